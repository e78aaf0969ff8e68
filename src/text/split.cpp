// SPDX-License-Identifier: Apache-2.0
#include "text/split.hpp"

#include <algorithm>

#include "text/natural/regex.hpp"
#include "text/unicode.hpp"

namespace hayakoe::text {
namespace {

constexpr std::u32string_view kMarks = U"。！？!?\n";
constexpr std::u32string_view kClosers = U"」』）)】〕］]〉》｣〙〗｝}”’〞〟»";

bool is_mark(char32_t c) { return kMarks.find(c) != std::u32string_view::npos; }

bool is_closer(char32_t c) { return kClosers.find(c) != std::u32string_view::npos; }

// False for what only colours the sentence before it: marks, and the 888 (applause) and www (laughter) of chats.
bool has_letters(std::u32string_view piece) {
  const auto is_all = [&](std::u32string_view set) {
    return piece.find_first_not_of(set) == std::u32string_view::npos;
  };
  if (piece.size() >= 3 && (is_all(U"8８") || is_all(U"wWｗＷ"))) return false;
  return std::any_of(piece.begin(), piece.end(), is_letter_or_number);
}

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

// What is never cut, as marks inside it mean something else: web addresses, Aozora notes, [[…]], names with a mark.
class Uncut {
 public:
  Uncut(std::u32string_view text, Rules rules) : text_(text), any_(rules == Rules::kNatural) { find_from(0); }

  // The end of the stretch that `i` lies in, or `i`. Ask with growing `i`.
  std::size_t end(std::size_t i) {
    while (any_ && end_ <= i) find_from(end_);
    return any_ && begin_ <= i ? end_ : i;
  }

 private:
  void find_from(std::size_t from) {
    static const natural::Regex uncut(
        U"(?:https?://|www\\.|[A-Za-z0-9-]{1,63}\\.[a-z]{2,10}/)[!-~]{0,500}[A-Za-z0-9/=&_-]"
        U"|[［\\[][＃#][^］\\]\\n]{0,200}+[］\\]]|\\[\\[[^\\]\\n]{1,200}+\\]\\]"
        U"|Yahoo[!！](?=[ぁ-んァ-ヶ一-龠A-Za-z])|モーニング娘。(?=[のはがをにともや])");
    const auto match = any_ ? uncut.find(text_, from) : std::nullopt;
    any_ = match.has_value();
    if (!match) return;
    begin_ = match->begin();
    end_ = match->end();
  }

  std::u32string_view text_;
  bool any_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

std::vector<std::u32string_view> cut(std::u32string_view text, Rules rules) {
  std::vector<std::u32string_view> pieces;
  std::size_t start = 0;
  bool quote_open = false;
  const auto add = [&](std::size_t end) {
    const auto piece = strip(text.substr(start, end - start));
    if (!piece.empty()) pieces.push_back(piece);
    start = end;
  };
  Uncut uncut(text, rules);
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == U'"') quote_open = !quote_open;
    if (!is_mark(text[i])) {
      ++i;
      continue;
    }
    if (const std::size_t end = uncut.end(i); end > i) {
      i = end;
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
