// SPDX-License-Identifier: Apache-2.0
#include "text/markup.hpp"

#include <algorithm>
#include <charconv>

#include "text/natural/regex.hpp"
#include "text/unicode.hpp"

namespace hayakoe::text {
namespace {

double to_number(std::u32string_view digits) {
  const std::string ascii = to_utf8(digits);
  double value = 0.0;
  std::from_chars(ascii.data(), ascii.data() + ascii.size(), value);
  return value;
}

}  // namespace

std::vector<Span> parse_pauses(std::string_view text) {
  if (text.find("[[") == std::string_view::npos) return {{std::string(text), {}, 1.0, 1.0}};
  static const natural::Regex pause(U"\\[\\[ ?pause[ :=]{1,2}([0-9]{1,6}(?:\\.[0-9]{1,6})?) ?(ms|s)? ?\\]\\]");
  const std::u32string characters = to_u32(text);
  std::vector<Span> spans(1);
  const auto add_text = [&](std::size_t begin, std::size_t end) {
    spans.back().text = to_utf8(std::u32string_view(characters).substr(begin, end - begin));
  };
  std::size_t done = 0;
  for (auto match = pause.find(characters); match; match = pause.find(characters, done)) {
    add_text(done, match->begin());
    const double seconds = to_number((*match)[1]) * ((*match)[2] == U"s" ? 1.0 : 0.001);
    if (strip(spans.back().text).empty()) {
      spans.back().text.clear();
      spans.back().pause_before = std::min(spans.back().pause_before.value_or(0.0) + seconds, kLongestPause);
    } else {
      spans.push_back({"", std::min(seconds, kLongestPause), 1.0, 1.0});
    }
    done = match->end();
  }
  add_text(done, characters.size());
  return spans;
}

}  // namespace hayakoe::text
