// SPDX-License-Identifier: Apache-2.0
#include "text/split.hpp"

#include <algorithm>

#include "text/unicode.hpp"

namespace hayakoe::text {
namespace {

constexpr std::u32string_view kMarks = U"。！？!?\n";
constexpr std::u32string_view kClosers = U"」』）)】〕］]〉》｣〙〗｝}”’〞〟»";

bool is_mark(char32_t c) { return kMarks.find(c) != std::u32string_view::npos; }

bool is_closer(char32_t c) { return kClosers.find(c) != std::u32string_view::npos; }

bool has_letters(std::u32string_view piece) { return std::any_of(piece.begin(), piece.end(), is_letter_or_number); }

// The end of the run of marks and closers that begins with the mark at `i`. A new line always ends it; an ASCII quote
// closes only what is open.
std::size_t end_of_marks(std::u32string_view text, std::size_t i, bool& quote_open) {
  while (i < text.size()) {
    const bool closing_quote = text[i] == U'"' && quote_open;
    if (closing_quote) quote_open = false;
    if (!is_mark(text[i]) && !is_closer(text[i]) && !closing_quote) break;
    if (text[i++] == U'\n') break;
  }
  return i;
}

std::vector<std::u32string_view> cut(std::u32string_view text, Rules rules) {
  std::vector<std::u32string_view> pieces;
  std::size_t start = 0;
  bool quote_open = false;
  const auto add = [&](std::size_t end) {
    const auto piece = strip(text.substr(start, end - start));
    if (!piece.empty()) pieces.push_back(piece);
    start = end;
  };
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == U'"') quote_open = !quote_open;
    if (!is_mark(text[i])) {
      ++i;
      continue;
    }
    i = rules == Rules::kSbv2 ? i + 1 : end_of_marks(text, i, quote_open);
    add(i);
  }
  add(text.size());
  return pieces;
}

}  // namespace

std::vector<std::string> split_sentences(std::string_view text, Rules rules) {
  const auto characters = to_u32(text);
  std::vector<std::string> sentences;
  bool first_is_marks = false;  // the first sentence still waits for one with letters
  for (const auto piece : cut(characters, rules)) {
    const bool only_marks = rules == Rules::kNatural && !has_letters(piece);
    if (!sentences.empty() && (only_marks || first_is_marks)) {
      sentences.back() += to_utf8(piece);
      first_is_marks = first_is_marks && only_marks;
    } else {
      sentences.push_back(to_utf8(piece));
      first_is_marks = only_marks;
    }
  }
  return sentences;
}

}  // namespace hayakoe::text
