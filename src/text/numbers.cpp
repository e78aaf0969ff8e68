// SPDX-License-Identifier: Apache-2.0
#include "text/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace hayakoe::text {
namespace {

constexpr std::array<std::string_view, 10> kDigits{"零", "一", "二", "三", "四", "五", "六", "七", "八", "九"};
constexpr std::array<std::string_view, 4> kSmallUnits{"", "十", "百", "千"};
constexpr std::array<std::string_view, 13> kGroupUnits{"",   "万", "億", "兆", "京", "垓", "秭",
                                                       "穣", "溝", "澗", "正", "載", "極"};
constexpr std::size_t kMostDigits = 51;         // up to 九百九十九極…
constexpr std::size_t kSignificantDigits = 28;  // precision of the decimal type that the rules were made with

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool all_digits(std::string_view s) { return !s.empty() && std::all_of(s.begin(), s.end(), is_digit); }

std::string_view without_leading_zeros(std::string_view s) {
  return s.substr(std::min(s.find_first_not_of('0'), s.size()));
}

std::string_view digit_word(char c) { return kDigits[static_cast<std::size_t>(c - '0')]; }

std::string digit_words(std::string_view digits) {
  std::string out;
  out.reserve(digits.size() * 3);
  for (const char c : digits) out += digit_word(c);
  return out;
}

// In kana: kanji digits that touch are put together to a number again by the word analysis.
std::string digit_readings(std::string_view digits) {
  constexpr std::array<std::string_view, 10> kKana{"ゼロ", "イチ", "ニー", "サン", "ヨン",
                                                   "ゴー", "ロク", "ナナ", "ハチ", "キュー"};
  std::string out;
  out.reserve(digits.size() * 9);
  for (const char c : digits) out += kKana[static_cast<std::size_t>(c - '0')];
  return out;
}

// One to four digits; an 一 before 十 百 千 is silent.
std::string group_words(std::string_view group) {
  std::string out;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const std::size_t place = group.size() - 1 - i;
    if (group[i] == '0') continue;
    if (group[i] != '1' || place == 0) out += digit_word(group[i]);
    out += kSmallUnits[place];
  }
  return out;
}

// Rounds a string of digits half to even to its 28 leading digits.
std::string round_to_precision(std::string_view digits) {
  if (digits.size() <= kSignificantDigits) return std::string(digits);
  std::string kept(digits.substr(0, kSignificantDigits));
  const auto rest = digits.substr(kSignificantDigits);
  const bool above_half = rest[0] > '5' || (rest[0] == '5' && rest.find_first_not_of('0', 1) != std::string_view::npos);
  const bool tie_to_odd = rest[0] == '5' && !above_half && (kept.back() - '0') % 2 == 1;
  if (above_half || tie_to_odd) {
    auto i = kept.rbegin();
    for (; i != kept.rend() && *i == '9'; ++i) *i = '0';
    if (i == kept.rend()) {
      kept.insert(kept.begin(), '1');
    } else {
      ++*i;
    }
  }
  return kept + std::string(rest.size(), '0');
}

// An integer below 10^51 without leading zeros. `rounded`: of what the highest unit leaves, only 28 digits count.
std::string integer_words(std::string_view digits, bool rounded) {
  if (digits.empty()) return std::string(kDigits[0]);
  std::string out;
  std::string buffer(digits);
  std::string_view rest = buffer;
  while (!rest.empty()) {
    const std::size_t unit = (rest.size() - 1) / 4;
    const std::size_t head = rest.size() - 4 * unit;
    out += group_words(rest.substr(0, head));
    out += kGroupUnits[unit];
    const std::string_view tail = without_leading_zeros(rest.substr(head));
    std::string next = rounded ? round_to_precision(tail) : std::string(tail);
    buffer.swap(next);
    rest = buffer;
  }
  return out;
}

// The shortest decimal that reads back as `v`, and how many decimals Python's repr() of it has: exponent form, which
// repr() takes outside 1e-4 ≤ v < 1e16, counts as |exponent of the last digit|.
std::size_t decimals_of_repr(double v) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), v, std::chars_format::scientific).ptr;
  const std::string_view repr(text.data(), static_cast<std::size_t>(end - text.data()));
  const auto e = repr.find('e');
  int exponent = 0;
  const auto exponent_text = repr.substr(repr[e + 1] == '+' ? e + 2 : e + 1);
  std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
  const int digits_after_first = e > 1 ? static_cast<int>(e) - 2 : 0;
  const int last_digit = exponent - digits_after_first;
  if (exponent < -4 || exponent >= 16) return static_cast<std::size_t>(std::abs(last_digit));
  return static_cast<std::size_t>(std::max(1, -last_digit));
}

double to_double(std::string_view text) {
  double v = 0;
  std::from_chars(text.data(), text.data() + text.size(), v);  // too small a value leaves 0
  return v;
}

// A number whose decimals are not all zero, as a double.
std::string double_words(double v) {
  const double whole = std::trunc(v);
  std::string out = integer_words(without_leading_zeros(fmt::format("{:.0f}", whole)), false);
  const std::size_t places = decimals_of_repr(v);
  if (places == 0) return out;
  const double scaled = (v - whole) * to_double(fmt::format("1e{}", places));
  const double nearest = std::nearbyint(scaled);
  const double chosen = std::abs(nearest - scaled) < 0.01 ? nearest : std::floor(scaled);
  std::string digits = fmt::format("{:.0f}", chosen);
  if (digits.size() < places) digits.insert(0, places - digits.size(), '0');
  return out + "点" + digit_words(digits);
}

void warn_too_long(std::size_t digits, std::vector<std::string>* warnings) {
  if (warnings == nullptr) return;
  warnings->push_back(fmt::format(
      "A number of {} digits has no name (the limit is {}); its digits are read one by one.", digits, kMostDigits));
}

}  // namespace

std::string number_to_kanji(std::string_view number, std::vector<std::string>* warnings) {
  const auto point = std::min(number.find('.'), number.size());
  const auto whole = number.substr(0, point);
  const auto decimals = number.substr(std::min(point + 1, number.size()));
  if (!all_digits(whole) || (point < number.size() && !all_digits(decimals))) return std::string(number);
  const bool integer = decimals.find_first_not_of('0') == std::string_view::npos;
  const auto digits = without_leading_zeros(whole);
  if (digits.size() > kMostDigits) {
    warn_too_long(digits.size(), warnings);
    return integer ? digit_readings(digits) : digit_readings(digits) + "点" + digit_readings(decimals);
  }
  if (integer) return integer_words(digits, true);
  constexpr std::size_t kMostPlaces = 308;  // 10^p must be a double
  const double v = to_double(number);
  if (decimals_of_repr(v) > kMostPlaces) return integer_words(digits, true) + "点" + digit_words(decimals);
  return double_words(v);
}

}  // namespace hayakoe::text
