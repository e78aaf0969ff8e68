// SPDX-License-Identifier: Apache-2.0
#include "text/natural/letters.hpp"

#include <array>

#include "text/normalize.hpp"
#include "text/unicode.hpp"
#include "text/user_words.hpp"

namespace hayakoe::text::natural {
namespace {

constexpr std::array<std::string_view, 26> kLetters = {
    "エー",   "ビー",   "シー", "ディー", "イー",       "エフ",     "ジー", "エイチ", "アイ",
    "ジェー", "ケー",   "エル", "エム",   "エヌ",       "オー",     "ピー", "キュー", "アール",
    "エス",   "ティー", "ユー", "ブイ",   "ダブリュー", "エックス", "ワイ", "ゼット"};
constexpr std::array<std::string_view, 10> kDigits = {"ゼロ",     "ワン",     "ツー",   "スリー", "フォー",
                                                      "ファイブ", "シックス", "セブン", "エイト", "ナイン"};

char32_t capital(char32_t c) { return is_small(c) ? c - U'a' + U'A' : c; }

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string with_long_vowels(std::string_view reading) {
  return replace_all(replace_all(std::string(reading), "ジェイ", "ジェー"), "ケイ", "ケー");
}

}  // namespace

bool is_japanese(char32_t c) { return is_word_character(c) || c == 0x3007; }

std::string_view letter_name(char32_t c) {
  if (is_latin(c)) return kLetters.at(capital(c) - U'A');
  if (is_digit(c)) return kDigits.at(c - U'0');
  return {};
}

Given spelt(std::u32string_view letters) {
  Given given{std::u32string(letters), "", 0};
  std::string_view last;
  for (const char32_t c : letters) {
    const auto name = letter_name(c);
    if (name.empty()) continue;
    given.reading += name;
    last = name;
  }
  given.accent = count_moras(given.reading) - count_moras(last) + (last == "スリー" ? 2 : 1);
  return given;
}

bool is_spelling(std::string_view reading, std::u32string_view letters) {
  std::string names;
  for (const char32_t c : letters) names += letter_name(c);
  return !names.empty() && with_long_vowels(reading) == names;
}

std::u32string apart(std::u32string_view katakana) {
  std::u32string out(1, kBoundary);
  out += katakana;
  out += kBoundary;
  return out;
}

std::u32string apart(std::string_view katakana) { return apart(to_u32(katakana)); }

}  // namespace hayakoe::text::natural
