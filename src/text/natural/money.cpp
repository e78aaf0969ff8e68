// SPDX-License-Identifier: Apache-2.0
#include "text/natural/number_words.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"

namespace hayakoe::text::natural {
namespace {

std::u32string_view currency(char32_t sign) {
  switch (sign) {
    case U'$':
      return U"ドル";
    case U'€':
      return U"ユーロ";
    case U'£':
      return U"ポンド";
    case U'₩':
      return U"ウォン";
    case U'₿':
      return U"ビットコイン";
    default:
      return U"円";
  }
}

}  // namespace

void read_money(Draft& draft) {
  static const std::u32string number(kNumberPattern);
  static const Regex before(U"([¥$€£₩₿]) ?([-−]?)(" + number + U")((?: ?[十百千万億兆]){0,3}+)");
  replace_all(draft.text, before, [&](const Match& m) -> std::optional<std::u32string> {
    std::u32string out = m[2].empty() ? U"" : U"マイナス";
    out += number_words(draft, m[3], kBoundary);
    return out.append(m[4]).append(currency(m[1].front())) + kBoundary;
  });
  static const Regex behind(U"(?<![0-9])(" + number + U") ?([¥$€£₩₿])");
  replace_all(draft.text, behind, [&](const Match& m) -> std::optional<std::u32string> {
    return number_words(draft, m[1], kBoundary).append(currency(m[2].front())) + kBoundary;
  });
}

}  // namespace hayakoe::text::natural
