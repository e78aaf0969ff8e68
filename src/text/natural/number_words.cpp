// SPDX-License-Identifier: Apache-2.0
#include "text/natural/number_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/normalize.hpp"
#include "text/unicode.hpp"

namespace hayakoe::text::natural {
namespace {

constexpr std::u32string_view kDigits = U"〇一二三四五六七八九";
constexpr std::array<std::u32string_view, 4> kSmallUnits{U"", U"十", U"百", U"千"};
constexpr std::array<std::u32string_view, 6> kGroupUnits{U"", U"万", U"億", U"兆", U"京", U"垓"};
constexpr std::size_t kMostDigits = 4 * kGroupUnits.size();

// Digits one by one; all have two moras.
struct Digit {
  std::string_view reading;
  int accent;
};
constexpr std::array<Digit, 10> kReadings{{{"ゼロ", 1},
                                           {"イチ", 2},
                                           {"ニー", 1},
                                           {"サン", 0},
                                           {"ヨン", 1},
                                           {"ゴー", 1},
                                           {"ロク", 2},
                                           {"ナナ", 1},
                                           {"ハチ", 2},
                                           {"キュー", 1}}};

// The last word of what stands before a decimal point, and how it is read there. The point itself is テン.
struct BeforePoint {
  char32_t word;
  std::string_view reading;
};
constexpr std::array<BeforePoint, 13> kBeforePoint{{{U'零', "レー"},
                                                    {U'一', "イッ"},
                                                    {U'二', "ニー"},
                                                    {U'三', "サン"},
                                                    {U'四', "ヨン"},
                                                    {U'五', "ゴー"},
                                                    {U'六', "ロク"},
                                                    {U'七', "ナナ"},
                                                    {U'八', "ハッ"},
                                                    {U'九', "キュー"},
                                                    {U'十', "ジュッ"},
                                                    {U'百', "ヒャク"},
                                                    {U'千', "セン"}}};

std::size_t digit_value(char32_t c) { return static_cast<std::size_t>(c - U'0'); }

std::u32string_view without_leading_zeros(std::u32string_view s) {
  return s.substr(std::min(s.find_first_not_of(U'0'), s.size()));
}

std::u32string without_commas(std::u32string_view digits) {
  std::u32string plain;
  std::copy_if(digits.begin(), digits.end(), std::back_inserter(plain), [](char32_t c) { return c != U','; });
  return plain;
}

// One to four digits as words. An 一 before 十 and 百 is silent, before 千 only where no larger unit follows (一千万).
std::u32string group_words(std::u32string_view group, bool has_unit) {
  std::u32string out;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const std::size_t place = group.size() - 1 - i;
    if (group[i] == U'0') continue;
    if (group[i] != U'1' || place == 0 || (place == 3 && has_unit)) out += kDigits[digit_value(group[i])];
    out += kSmallUnits[place];
  }
  return out;
}

// An integer of at most kMostDigits digits that does not begin with 0; nothing for none.
std::u32string integer_words(std::u32string_view digits) {
  std::u32string out;
  while (!digits.empty()) {
    const std::size_t unit = (digits.size() - 1) / 4;
    const std::size_t head = digits.size() - 4 * unit;
    const std::u32string words = group_words(digits.substr(0, head), unit > 0);
    if (!words.empty()) out.append(words).append(kGroupUnits[unit]);
    digits.remove_prefix(head);
  }
  return out;
}

std::u32string with_boundaries(std::u32string_view words) {
  std::u32string out(1, kBoundary);
  for (const char32_t c : words) {
    out += c;
    out += kBoundary;
  }
  return out;
}

// In kana: kanji digits that touch are put together to a number again by the word analysis.
std::u32string kana_of_digits(std::u32string_view digits) {
  std::u32string out(1, kBoundary);
  for (const char32_t c : digits) out += to_u32(kReadings[digit_value(c)].reading);
  out += kBoundary;
  return out;
}

bool is_counter_start(char32_t c) { return is_word_character(c) || c == kBoundary; }

std::u32string give_digits(Draft& draft, std::u32string_view digits, std::string_view zero, Given::Phrase phrase) {
  std::u32string surface;
  std::string reading;
  for (const char32_t c : digits) {
    surface += kDigits[digit_value(c)];
    reading += c == U'0' ? zero : kReadings[digit_value(c)].reading;
  }
  return draft.give({surface, reading, digits.size() == 2 ? 3 : kReadings[digit_value(digits.front())].accent, phrase});
}

// The words of an integer and the point behind it, the last of them with the point as one word: 十|二点.
std::u32string with_point(Draft& draft, std::u32string words, bool long_vowels) {
  const char32_t last = words.back() == U'〇' ? U'零' : words.back();
  words.pop_back();
  const auto row =
      std::find_if(kBeforePoint.begin(), kBeforePoint.end(), [&](const auto& r) { return r.word == last; });
  if (row == kBeforePoint.end()) return with_boundaries(words + last) + U"点" + kBoundary;
  std::string reading(row->reading);
  if (!long_vowels && last == U'二') reading = "ニ";
  if (!long_vowels && last == U'五') reading = "ゴ";
  return with_boundaries(words) + draft.give({{last, U'点'}, reading + "テン", 0, Given::Phrase::kAuto}) + kBoundary;
}

std::u32string words_before_point(Draft& draft, std::u32string_view integer, bool long_vowels) {
  const std::u32string_view significant = without_leading_zeros(integer);
  if (significant.size() > kMostDigits) return kana_of_digits(significant) + U"点";
  return with_point(draft, significant.empty() ? U"零" : integer_words(significant), long_vowels);
}

// The digits behind a point, in pairs. The last one is left to the analyser if a counter follows.
std::u32string fraction_words(Draft& draft, std::u32string_view digits, char32_t next) {
  const bool counted = is_counter_start(next) && digits.back() != U'0' &&
                       (digits.size() == 1 || (digits.back() != U'2' && digits.back() != U'5'));
  const bool alone = digits.size() == 1 && digits.back() != U'0';
  std::u32string out;
  std::u32string_view rest = digits.substr(0, digits.size() - (counted || alone ? 1 : 0));
  Given::Phrase phrase = Given::Phrase::kAuto;
  while (!rest.empty()) {
    const std::u32string_view pair = rest.substr(0, 2);
    out += give_digits(draft, pair, "ゼロ", phrase);
    phrase = Given::Phrase::kBegins;
    rest.remove_prefix(pair.size());
  }
  return counted || alone ? out + with_boundaries(std::u32string(1, kDigits[digit_value(digits.back())]))
                          : out + kBoundary;
}

}  // namespace

std::string_view digit_name(char32_t c) {
  return c >= U'0' && c <= U'9' ? kReadings[c - U'0'].reading : std::string_view();
}

std::u32string number_words(std::u32string_view digits) {
  const std::u32string plain = without_commas(digits);
  const std::u32string_view significant = without_leading_zeros(plain);
  if (significant.empty()) return std::u32string(1, kBoundary) + U"ゼロ" + kBoundary;
  return significant.size() > kMostDigits ? kana_of_digits(significant) : with_boundaries(integer_words(significant));
}

std::u32string number_words(Draft& draft, std::u32string_view number, char32_t next) {
  const std::size_t point = std::min(number.find(U'.'), number.size());
  const std::u32string integer = without_commas(number.substr(0, point));
  const std::size_t named = without_leading_zeros(integer).size();
  if (named > kMostDigits) {
    draft.warn(fmt::format("A number of {} digits has no name (the limit is {}); its digits are read one by one.",
                           named, kMostDigits));
  }
  if (point == number.size()) return number_words(integer);
  return words_before_point(draft, integer, true) + fraction_words(draft, number.substr(point + 1), next);
}

std::u32string kanji_decimal_words(Draft& draft, std::u32string_view integer, std::u32string_view fraction,
                                   char32_t next) {
  std::u32string digits;
  for (const char32_t c : fraction) digits += static_cast<char32_t>(U'0' + kDigits.find(c));
  return with_point(draft, std::u32string(integer), true) + fraction_words(draft, digits, next);
}

std::u32string month_words(std::u32string_view digits) {
  return kBoundary + integer_words(without_leading_zeros(digits)) + U"月" + kBoundary;
}

bool is_month(std::u32string_view digits) {
  const int value = value_of(digits);
  return digits.size() <= 2 && value >= 1 && value <= 12;
}

std::u32string version_words(Draft& draft, std::u32string_view version) {
  std::u32string out;
  std::size_t begin = 0;
  for (std::size_t point = version.find(U'.'); point != std::u32string_view::npos; point = version.find(U'.', begin)) {
    const std::u32string_view part = version.substr(begin, point - begin);
    const bool zero = begin > 0 && without_leading_zeros(part).empty();
    out += zero ? draft.give({U"零点", "ゼロテン", 0, Given::Phrase::kAuto}) : words_before_point(draft, part, false);
    begin = point + 1;
  }
  return out + number_words(version.substr(begin));
}

std::u32string digit_words(Draft& draft, std::u32string_view digits, std::string_view zero) {
  std::u32string out;
  while (!digits.empty()) {
    const std::u32string_view pair = digits.substr(0, 2);
    out += give_digits(draft, pair, zero, Given::Phrase::kBegins);
    digits.remove_prefix(pair.size());
  }
  return out + kBoundary;
}

int value_of(std::u32string_view digits) {
  if (digits.size() > 9) return -1;
  int value = 0;
  for (const char32_t c : digits) value = value * 10 + static_cast<int>(c - U'0');
  return value;
}

}  // namespace hayakoe::text::natural
