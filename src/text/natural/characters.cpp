// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "text/natural/draft.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"

namespace hayakoe::text::natural {
namespace {

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

std::u32string decimal(int value) {
  std::u32string out;
  for (const char c : std::to_string(value)) out += static_cast<char32_t>(c);
  return out;
}

// Keeps digits apart from those that touch them.
std::u32string apart(const Match& m, std::u32string digits) {
  if (!m.before().empty() && is_digit(m.before().back())) digits.insert(digits.begin(), kBoundary);
  if (!m.after().empty() && is_digit(m.after().front())) digits += kBoundary;
  return digits;
}

// Characters that stand for consecutive numbers.
struct NumberRange {
  char32_t first;
  char32_t last;
  int value;  // of the first
};
constexpr std::array<NumberRange, 12> kCircled{{{U'①', U'⑳', 1},
                                                {U'⓪', U'⓪', 0},
                                                {U'⓫', U'⓴', 11},
                                                {U'⓵', U'⓾', 1},
                                                {U'⓿', U'⓿', 0},
                                                {U'❶', U'❿', 1},
                                                {U'➀', U'➉', 1},
                                                {U'➊', U'➓', 1},
                                                {U'㉑', U'㉟', 21},
                                                {U'㊱', U'㊿', 36},
                                                {U'㉈', U'㉏', 10},
                                                {U'㊀', U'㊉', 1}}};

std::optional<int> circled_value(char32_t c) {
  for (const NumberRange& range : kCircled) {
    const int step = range.first == U'㉈' ? 10 : 1;
    if (c >= range.first && c <= range.last) return range.value + step * static_cast<int>(c - range.first);
  }
  return std::nullopt;
}

// ① at the head of an item is followed by a short pause, ①と is not.
void expand_circled(std::u32string& text) {
  static const Regex circled(U"[①-⑳⓪⓫-⓴⓵-⓾⓿❶-❿➀-➉➊-➓㉈-㉏㉑-㉟㊱-㊿㊀-㊉]");
  static const Regex item(
      U"^[ "
      U"\u3000]?(?=[\\p{L}「『])(?!(?:[とのはがをにでもへや]|から|まで|より|など|または|および|[番号章])(?![ぁ-ん]{2})"
      U")");
  replace_all(text, circled, [](const Match& m) -> std::optional<std::u32string> {
    const std::u32string digits = apart(m, decimal(circled_value(m[0].front()).value_or(0)));
    const auto before = m.before();
    const bool heads =
        before.empty() || std::u32string_view(U"\n\u3000 。!?！？").find(before.back()) != std::u32string_view::npos;
    return heads && item.find(m.after().substr(0, 4)) ? digits + U"、" : digits;
  });
}

int roman_digit(char32_t c) {
  constexpr std::array<int, 16> kValues{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 50, 100, 500, 1000};
  return kValues[static_cast<std::size_t>(c >= U'ⅰ' ? c - U'ⅰ' : c - U'Ⅰ')];
}

// Ⅳ, ⅩⅣ.
void expand_roman(std::u32string& text) {
  static const Regex roman(U"[Ⅰ-Ⅿⅰ-ⅿ]{1,16}+");
  replace_all(text, roman, [](const Match& m) -> std::optional<std::u32string> {
    int value = 0;
    for (std::size_t i = 0; i < m[0].size(); ++i) {
      const int digit = roman_digit(m[0][i]);
      const bool subtracted = i + 1 < m[0].size() && digit < roman_digit(m[0][i + 1]);
      value += subtracted ? -digit : digit;
    }
    return apart(m, decimal(value));
  });
}

// 10² → 10^2, m² → m^2; NFKC would make 102 of it. A superscript that is no exponent (注¹) is left to NFKC.
void expand_superscripts(std::u32string& text) {
  constexpr std::u32string_view kFrom = U"⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ";
  constexpr std::u32string_view kTo = U"0123456789+-n";
  static const Regex superscript(U"(?<=[0-9A-Za-z０-９Ａ-Ｚａ-ｚ)）πθ])[⁺⁻]?(?:[⁰¹²³⁴-⁹]{1,9}+|ⁿ)");
  replace_all(text, superscript, [&](const Match& m) -> std::optional<std::u32string> {
    std::u32string out = U"^";
    for (const char32_t c : m[0]) out += kTo[kFrom.find(c)];
    return out;
  });
}

// The letters of an element are spelt; its number is an English one as far as people do so: エイチツーオー.
std::u32string element_words(std::u32string_view element) {
  constexpr std::array<std::u32string_view, 5> kEnglish{U"", U"", U"ツー", U"スリー", U"フォー"};
  std::u32string letters;
  std::u32string digits;
  for (const char32_t c : element) (c >= U'₀' ? digits : letters) += c >= U'₀' ? U'0' + (c - U'₀') : c;
  std::u32string out(1, kBoundary);
  for (const char32_t c : letters) {
    out += c;
    out += kBoundary;
  }
  const bool spoken = digits.size() == 1 && digits[0] >= U'2' && digits[0] <= U'4';
  out += spoken ? kEnglish[static_cast<std::size_t>(digits[0] - U'0')] : digits;
  return out + kBoundary;
}

// H₂O; any other index (x₀) is a number.
void expand_subscripts(std::u32string& text) {
  static const Regex formula(
      U"(?<![A-Za-z])(?:[A-Z][a-z]?){1,8}+[₀-₉]{1,4}+(?:[A-Z][a-z]?[₀-₉]{0,4}+){0,16}+(?![A-Za-z])");
  static const Regex element(U"[A-Z][a-z]?[₀-₉]{0,4}+");
  replace_all(text, formula, [](const Match& m) -> std::optional<std::u32string> {
    std::u32string out(m[0]);
    replace_all(out, element, [](const Match& e) -> std::optional<std::u32string> { return element_words(e[0]); });
    return out;
  });
  static const Regex index(U"[₀-₉]{1,9}+");
  replace_all(text, index, [](const Match& m) -> std::optional<std::u32string> {
    std::u32string out(1, kBoundary);
    for (const char32_t c : m[0]) out += static_cast<char32_t>(U'0' + (c - U'₀'));
    return out + kBoundary;
  });
}

struct Words {
  std::u32string_view pattern;
  std::u32string_view words;
};

// What NFKC would spell in a way that says something else or nothing.
constexpr std::array<Words, 29> kWords{
    {{U"㈱", U"株式会社"}, {U"㍿", U"株式会社"}, {U"㈲", U"有限会社"}, {U"㈳", U"社団法人"}, {U"㈶", U"財団法人"},
     {U"㈻", U"学校法人"}, {U"㈹", U"代表"},     {U"㈵", U"特別"},     {U"㊙", U"マル秘"},   {U"№", U"ナンバー"},
     {U"℡", U"電話"},      {U"㎡", U"m2"},       {U"㎢", U"km2"},      {U"㎠", U"cm2"},      {U"㎟", U"mm2"},
     {U"㎥", U"m3"},       {U"㎦", U"km3"},      {U"㎤", U"cm3"},      {U"㎣", U"mm3"},      {U"㏄", U"cc"},
     {U"㎧", U"m/s"},      {U"㎨", U"m/s^2"},    {U"㏂", U"AM"},       {U"㏘", U"PM"},       {U"㋿", U"令和"},
     {U"™", U""},          {U"℠", U""},          {U"º", U"°"},         {U"㏋", U"馬力"}}};

void expand_words(std::u32string& text) {
  static const Regex characters(
      U"[㈱㍿㈲㈳㈶㈻㈹㈵㊙№℡㎡㎢㎠㎟㎥㎦㎤㎣㏄㎧㎨㏂㏘㋿™℠º㏋]");
  replace_all(text, characters, [](const Match& m) -> std::optional<std::u32string> {
    for (const Words& row : kWords) {
      if (row.pattern == m[0]) return std::u32string(row.words);
    }
    return std::nullopt;
  });
  static const Regex hours(U"[㍘-㍰]");
  replace_all(text, hours, [](const Match& m) -> std::optional<std::u32string> {
    return decimal(static_cast<int>(m[0].front() - U'㍘')) + U"時";
  });
  // Here because a list may begin with a triangle.
  static const Regex triangle(U"[△▲](?=[A-ZＡ-Ｚ]{3}(?![A-Za-zＡ-Ｚａ-ｚ]))");
  replace_all(text, triangle, [](const Match&) -> std::optional<std::u32string> { return U"三角形"; });
  static const Regex companies(U"[(（]([株有])[)）]");
  replace_all(text, companies, [](const Match& m) -> std::optional<std::u32string> {
    return m[1] == U"株" ? U"株式会社" : U"有限会社";
  });
}

// 2½ → 2と1⁄2; NFKC would make 21⁄2 of it.
void expand_fractions(std::u32string& text) {
  static const Regex mixed(U"(?<=[0-9０-９])(?=[¼½¾⅐-⅞↉])");
  replace_all(text, mixed, [](const Match&) -> std::optional<std::u32string> { return U"と"; });
}

}  // namespace

void expand_characters(Draft& draft) {
  expand_words(draft.text);
  expand_circled(draft.text);
  expand_roman(draft.text);
  expand_superscripts(draft.text);
  expand_subscripts(draft.text);
  expand_fractions(draft.text);
}

}  // namespace hayakoe::text::natural
