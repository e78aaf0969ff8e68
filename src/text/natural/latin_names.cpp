// SPDX-License-Identifier: Apache-2.0
// Latin names that hold digits, marks, spaces or Japanese characters, before the number steps see their digits.
#include <algorithm>
#include <array>
#include <optional>

#include "text/natural/latin_table.hpp"
#include "text/natural/latin_words.hpp"
#include "text/natural/letters.hpp"
#include "text/natural/number_words.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"
#include "text/unicode.hpp"
#include "text/word_matcher.hpp"

namespace hayakoe::text::natural {
namespace {

struct EnglishNumber {
  std::u32string_view digits;
  std::string_view kana;
  int accent;
};

// As they are said in names: Windows 11 ウィンドウズイレブン.
constexpr EnglishNumber kEnglishNumbers[] = {
    {U"0", "ゼロ", 1},        {U"1", "ワン", 1},
    {U"2", "ツー", 1},        {U"3", "スリー", 2},
    {U"4", "フォー", 1},      {U"5", "ファイブ", 1},
    {U"6", "シックス", 1},    {U"7", "セブン", 1},
    {U"8", "エイト", 1},      {U"9", "ナイン", 1},
    {U"10", "テン", 1},       {U"11", "イレブン", 2},
    {U"12", "トゥエルブ", 2}, {U"20", "トゥエンティー", 2},
};

std::u32string number_in_english(Draft& draft, std::u32string_view digits) {
  for (const EnglishNumber& number : kEnglishNumbers) {
    if (number.digits == digits) return draft.give({to_u32(number.kana), std::string(number.kana), number.accent});
  }
  return number_words(digits);
}

// The number of a name such as F1, A4, MP3 or N700: the first three are English ones, as are those behind initialisms;
// sizes of paper are Japanese.
std::u32string number_of_name(Draft& draft, std::u32string_view letters, std::u32string_view digits) {
  const bool paper = (letters == U"A" || letters == U"B") && digits == U"3";
  const bool english = digits.size() == 1 && (letters.size() > 1 || digits <= U"3") && !paper;
  return english ? number_in_english(draft, digits) : number_words(digits);
}

// Whole names are those that are not only letters: words are the business of read_latin.
bool is_name(const LatinEntry& entry) {
  for (const char32_t c : entry.surface) {
    if (!is_latin(c)) return entry.how == LatinEntry::How::kReading;
  }
  return false;
}

const WordMatcher& names() {
  static const WordMatcher matcher = [] {
    WordMatcher words;
    const auto& entries = latin_entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (is_name(entries[i])) words.add(entries[i].surface, static_cast<int>(i));
    }
    return words;
  }();
  return matcher;
}

bool is_latin_or_digit(char32_t c) { return is_latin(c) || is_digit(c); }

// False where a name would be the middle of another one: the 3D of R3D2.
bool stands_alone(std::u32string_view text, std::size_t begin, std::size_t end) {
  const bool before = begin > 0 && is_latin_or_digit(text[begin - 1]) && is_latin_or_digit(text[begin]);
  const bool after = end < text.size() && is_latin_or_digit(text[end]) && is_latin_or_digit(text[end - 1]);
  return !before && !after;
}

void replace_names(Draft& draft) {
  std::u32string out;
  std::size_t done = 0;
  for (const auto& match : names().find_all(draft.text)) {
    const std::size_t end = match.begin + match.length;
    if (!stands_alone(draft.text, match.begin, end)) continue;
    const LatinEntry& entry = latin_entries()[static_cast<std::size_t>(match.id)];
    out.append(draft.text, done, match.begin - done);
    out += draft.give({to_u32(entry.reading), entry.reading, entry.accent});
    done = end;
  }
  out.append(draft.text, done);
  draft.text = std::move(out);
}

// B1F 地下一階, 3F 三階.
void read_floors(Draft& draft) {
  static const Regex floor(U"(?<![A-Za-z0-9.,])(B?)([1-9][0-9]{0,2})F(?![A-Za-z0-9])");
  replace_all(draft.text, floor, [](const Match& m) -> std::optional<std::u32string> {
    return std::u32string(m[1].empty() ? U"" : U"地下") + number_words(m[2]) + U"階";
  });
}

// 3LDK, 1DK.
void read_rooms(Draft& draft) {
  static const Regex rooms(U"(?<![A-Za-z0-9.,])([1-9])(S?L?DK)(?![A-Za-z0-9])");
  replace_all(draft.text, rooms, [&](const Match& m) -> std::optional<std::u32string> {
    const auto number = m[1] == U"1" ? number_in_english(draft, m[1]) : number_words(m[1]);
    return number + draft.give(spelt(m[2]));
  });
}

// 2B and 4H of pencils.
void read_pencils(Draft& draft) {
  static const Regex pencil(U"(?<![A-Za-z0-9.,])([1-9])([BH])(?![A-Za-z0-9])");
  replace_all(draft.text, pencil, [&](const Match& m) -> std::optional<std::u32string> {
    return number_words(m[1]) + draft.give(spelt(m[2]));
  });
}

// No.1, #1.
void read_ordinals(Draft& draft) {
  static const Regex number(U"(?:(?<![A-Za-z])N[oO]\\.? ?|(?<![A-Za-z0-9&])#)([0-9]{1,9})(?![0-9A-Za-z]|[.,][0-9])");
  replace_all(draft.text, number, [&](const Match& m) -> std::optional<std::u32string> {
    const std::u32string digits = m[1] == U"1" ? number_in_english(draft, m[1]) : number_words(m[1]);
    return draft.give({U"ナンバー", "ナンバー", 1}) + digits;
  });
}

// Words that numbers follow as they do in Japanese; versions.cpp and others read them.
bool counts_on_its_own(std::u32string_view letters) {
  constexpr std::array<std::u32string_view, 14> kWords = {U"Ver", U"Vol",  U"No",  U"Fig", U"USD", U"JPY", U"EUR",
                                                          U"GBP", U"Page", U"TEL", U"Tel", U"FAX", U"Rev", U"V"};
  for (const auto word : kWords) {
    if (word == letters) return true;
  }
  return false;
}

// MP3, F1, A4, GPT-4, F-16, R2-D2.
void read_models(Draft& draft, LatinWords& words) {
  static const Regex model(
      U"(?<![A-Za-z0-9.])([A-Z][A-Za-z]{0,11})-?([0-9]{1,4})(?:-([A-Z])([0-9]))?(?![0-9A-Za-z]|[.,:/-][0-9])");
  replace_all(draft.text, model, [&](const Match& m) -> std::optional<std::u32string> {
    if (counts_on_its_own(m[1])) return std::nullopt;
    const bool zeros = m[2].size() > 1 && m[2].front() == U'0';
    std::u32string out = words.read(m[1]);
    out += zeros ? words.spell(m[2]) : number_of_name(draft, m[1], m[2]);
    if (m.has(3)) out += words.spell(m[3]) + number_in_english(draft, m[4]);
    return out;
  });
}

// Windows 11, Switch 2, but not "Apple 3個".
void read_numbered_words(Draft& draft, LatinWords& words) {
  static const Regex numbered(
      U"(?<![A-Za-z0-9.])([A-Z][A-Za-z]{1,19}) ([0-9]{1,2})(?=[をがはのにでともや、。!?」』)\\]]|$|\\s(?![0-9]))");
  replace_all(draft.text, numbered, [&](const Match& m) -> std::optional<std::u32string> {
    if (counts_on_its_own(m[1])) return std::nullopt;
    return words.read(m[1]) + number_in_english(draft, m[2]);
  });
}

// 乃木坂46.
void read_groups(Draft& draft) {
  static const Regex group(U"(?<=坂)46(?![0-9])");
  replace_all(draft.text, group, [&](const Match&) -> std::optional<std::u32string> {
    return draft.give({U"フォーティーシックス", "フォーティーシックス", 6});
  });
}

// W主演 ダブル主演.
void read_double(Draft& draft) {
  static const Regex twofold(U"(?<![A-Za-z0-9.])W(?=[\\x{3400}-\\x{9FFF}々〇])");
  replace_all(draft.text, twofold, [](const Match&) -> std::optional<std::u32string> { return U"ダブル"; });
}

// p.45 四十五ページ
void read_pages(Draft& draft) {
  static const Regex page(U"(?<![A-Za-z0-9])pp?\\. ?([0-9]{1,4})(?![0-9A-Za-z]|[.,-][0-9])");
  replace_all(draft.text, page,
              [](const Match& m) -> std::optional<std::u32string> { return number_words(m[1]) + U"ページ"; });
}

// The dots of T・S・エリオット are no pauses.
void join_initials(std::u32string& text) {
  static const Regex initials(U"(?<![A-Za-z0-9])(?:[A-Z]・){1,4}+(?=[ァ-ヺ]{2})");
  replace_all(text, initials, [](const Match& m) -> std::optional<std::u32string> {
    std::u32string out(m[0]);
    std::replace(out.begin(), out.end(), U'・', U' ');
    return out;
  });
}

void straighten_apostrophes(std::u32string& text) {
  static const Regex apostrophe(U"(?<=[A-Za-z])’(?=[A-Za-z])");
  replace_all(text, apostrophe, [](const Match&) -> std::optional<std::u32string> { return U"'"; });
}

}  // namespace

void read_latin_names(Draft& draft, const English& english) {
  LatinWords words(draft, english);
  straighten_apostrophes(draft.text);
  join_initials(draft.text);
  replace_names(draft);
  read_pages(draft);
  read_floors(draft);
  read_rooms(draft);
  read_pencils(draft);
  read_ordinals(draft);
  read_models(draft, words);
  read_numbered_words(draft, words);
  read_groups(draft);
  read_double(draft);
}

}  // namespace hayakoe::text::natural
