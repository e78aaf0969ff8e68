// SPDX-License-Identifier: Apache-2.0
#include "text/natural/romaji.hpp"

#include <array>

namespace hayakoe::text::natural {
namespace {

constexpr std::string_view kVowels = "aiueo";

// A consonant and its kana before a, i, u, e and o; empty where Japanese has none.
struct Row {
  std::string_view consonant;
  std::array<std::u32string_view, 5> kana;
};

// Longer consonants first.
constexpr Row kRows[] = {
    {"sh", {U"シャ", U"シ", U"シュ", U"シェ", U"ショ"}},
    {"ch", {U"チャ", U"チ", U"チュ", U"チェ", U"チョ"}},
    {"ts", {U"", U"", U"ツ", U"", U""}},
    {"ky", {U"キャ", U"", U"キュ", U"", U"キョ"}},
    {"gy", {U"ギャ", U"", U"ギュ", U"", U"ギョ"}},
    {"sy", {U"シャ", U"", U"シュ", U"", U"ショ"}},
    {"zy", {U"ジャ", U"", U"ジュ", U"", U"ジョ"}},
    {"jy", {U"ジャ", U"", U"ジュ", U"", U"ジョ"}},
    {"ty", {U"チャ", U"", U"チュ", U"", U"チョ"}},
    {"ny", {U"ニャ", U"", U"ニュ", U"", U"ニョ"}},
    {"hy", {U"ヒャ", U"", U"ヒュ", U"", U"ヒョ"}},
    {"by", {U"ビャ", U"", U"ビュ", U"", U"ビョ"}},
    {"py", {U"ピャ", U"", U"ピュ", U"", U"ピョ"}},
    {"my", {U"ミャ", U"", U"ミュ", U"", U"ミョ"}},
    {"ry", {U"リャ", U"", U"リュ", U"", U"リョ"}},
    {"k", {U"カ", U"キ", U"ク", U"ケ", U"コ"}},
    {"g", {U"ガ", U"ギ", U"グ", U"ゲ", U"ゴ"}},
    {"s", {U"サ", U"シ", U"ス", U"セ", U"ソ"}},
    {"z", {U"ザ", U"ジ", U"ズ", U"ゼ", U"ゾ"}},
    {"t", {U"タ", U"チ", U"ツ", U"テ", U"ト"}},
    {"d", {U"ダ", U"ヂ", U"ヅ", U"デ", U"ド"}},
    {"n", {U"ナ", U"ニ", U"ヌ", U"ネ", U"ノ"}},
    {"h", {U"ハ", U"ヒ", U"フ", U"ヘ", U"ホ"}},
    {"b", {U"バ", U"ビ", U"ブ", U"ベ", U"ボ"}},
    {"p", {U"パ", U"ピ", U"プ", U"ペ", U"ポ"}},
    {"m", {U"マ", U"ミ", U"ム", U"メ", U"モ"}},
    {"y", {U"ヤ", U"", U"ユ", U"", U"ヨ"}},
    {"r", {U"ラ", U"リ", U"ル", U"レ", U"ロ"}},
    {"w", {U"ワ", U"", U"", U"", U"ヲ"}},
    {"f", {U"ファ", U"フィ", U"フ", U"フェ", U"フォ"}},
    {"j", {U"ジャ", U"ジ", U"ジュ", U"ジェ", U"ジョ"}},
    {"", {U"ア", U"イ", U"ウ", U"エ", U"オ"}},
};

bool is_vowel(std::string_view word, std::size_t i) {
  return i < word.size() && kVowels.find(word[i]) != std::string_view::npos;
}

// The mora at `i`, and its length in letters; 0 if there is none.
std::size_t take_mora(std::string_view word, std::size_t i, std::u32string& kana) {
  for (const Row& row : kRows) {
    const std::size_t vowel = i + row.consonant.size();
    if (word.substr(i, row.consonant.size()) != row.consonant || !is_vowel(word, vowel)) continue;
    const auto mora = row.kana.at(kVowels.find(word[vowel]));
    if (mora.empty()) return 0;
    kana += mora;
    return row.consonant.size() + 1;
  }
  return 0;
}

// ン and ッ: letters of which only the first is taken.
std::u32string_view lone_mora(std::string_view word, std::size_t i) {
  const char next = i + 1 < word.size() ? word[i + 1] : ' ';
  constexpr std::string_view kBilabials = "bpm";
  if (word[i] == 'n' && !is_vowel(word, i + 1) && next != 'y') return U"ン";
  if (word[i] == 'm' && kBilabials.find(next) != std::string_view::npos) return U"ン";
  constexpr std::string_view kDoubled = "kgstdzcpbj";
  if (i > 0 && word[i] == next && kDoubled.find(next) != std::string_view::npos) return U"ッ";
  if (i > 0 && word[i] == 't' && word.substr(i + 1, 2) == "ch") return U"ッ";
  return {};
}

}  // namespace

std::u32string romaji_to_kana(std::string_view word) {
  std::u32string kana;
  for (std::size_t i = 0; i < word.size();) {
    if (const auto lone = lone_mora(word, i); !lone.empty()) {
      kana += lone;
      ++i;
      continue;
    }
    const std::size_t taken = take_mora(word, i, kana);
    if (taken == 0) return {};
    i += taken;
  }
  return kana;
}

}  // namespace hayakoe::text::natural
