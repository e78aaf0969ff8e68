// SPDX-License-Identifier: Apache-2.0
#include "text/natural/number_words.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"

namespace hayakoe::text::natural {
namespace {

// 192.168.0.1: digit by digit.
void read_addresses_of_hosts(Draft& draft) {
  static const Regex address(
      U"(?<![0-9.])([12]?[0-9]{1,2})\\.([12]?[0-9]{1,2})\\.([12]?[0-9]{1,2})\\.([12]?[0-9]{1,2})(?![0-9]|\\.[0-9])");
  replace_all(draft.text, address, [&](const Match& m) -> std::optional<std::u32string> {
    constexpr int kGreatest = 255;
    std::u32string out;
    for (std::size_t i = 1; i <= 4; ++i) {
      if (value_of(m[i]) > kGreatest) return std::nullopt;
      if (i > 1) out += draft.give({U"点", "テン", 1, Given::Phrase::kAuto});
      out += kBoundary + digit_words(draft, m[i]);
    }
    return out;
  });
}

void read_with_name(Draft& draft) {
  static const Regex named(
      U"(?<![A-Za-z0-9])(?:([vV])|[vV]er(?:sion)?)\\.? ?([0-9]{1,6}(?:\\.[0-9]{1,6}){0,6}+)(?![0-9A-Za-z])");
  replace_all(draft.text, named, [&](const Match& m) -> std::optional<std::u32string> {
    // V8 is an engine, V6 a band.
    if (m[1] == U"V" && m[2].find(U'.') == std::u32string_view::npos) return std::nullopt;
    return U"バージョン" + version_words(draft, m[2]);
  });
}

void read_bare(Draft& draft) {
  static const Regex bare(U"(?<![0-9.])[0-9]{1,6}(?:\\.[0-9]{1,6}){2,6}+(?![0-9]|\\.[0-9])");
  replace_all(draft.text, bare,
              [&](const Match& m) -> std::optional<std::u32string> { return version_words(draft, m[0]); });
}

}  // namespace

void read_versions(Draft& draft) {
  read_with_name(draft);
  read_addresses_of_hosts(draft);
  read_bare(draft);
}

}  // namespace hayakoe::text::natural
