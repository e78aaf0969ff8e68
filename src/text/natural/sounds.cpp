// SPDX-License-Identifier: Apache-2.0
#include "text/natural/sounds.hpp"

#include <algorithm>
#include <array>

namespace hayakoe::text::natural {
namespace {

constexpr std::string_view kVowels = "aiueo";

// A consonant alone and before a, i, u, e and o.
struct Row {
  std::string_view sound;
  std::u32string_view alone;
  std::array<std::u32string_view, 5> kana;
};

constexpr Row kRows[] = {
    {"", U"", {U"ア", U"イ", U"ウ", U"エ", U"オ"}},
    {"k", U"ク", {U"カ", U"キ", U"ク", U"ケ", U"コ"}},
    {"g", U"グ", {U"ガ", U"ギ", U"グ", U"ゲ", U"ゴ"}},
    {"s", U"ス", {U"サ", U"シ", U"ス", U"セ", U"ソ"}},
    {"z", U"ズ", {U"ザ", U"ジ", U"ズ", U"ゼ", U"ゾ"}},
    {"t", U"ト", {U"タ", U"ティ", U"トゥ", U"テ", U"ト"}},
    {"d", U"ド", {U"ダ", U"ディ", U"ドゥ", U"デ", U"ド"}},
    {"n", U"ン", {U"ナ", U"ニ", U"ヌ", U"ネ", U"ノ"}},
    {"h", U"", {U"ハ", U"ヒ", U"フ", U"ヘ", U"ホ"}},
    {"b", U"ブ", {U"バ", U"ビ", U"ブ", U"ベ", U"ボ"}},
    {"p", U"プ", {U"パ", U"ピ", U"プ", U"ペ", U"ポ"}},
    {"m", U"ム", {U"マ", U"ミ", U"ム", U"メ", U"モ"}},
    {"y", U"イ", {U"ヤ", U"イ", U"ユ", U"イェ", U"ヨ"}},
    {"r", U"ル", {U"ラ", U"リ", U"ル", U"レ", U"ロ"}},
    {"w", U"ウ", {U"ワ", U"ウィ", U"ウ", U"ウェ", U"ウォ"}},
    {"f", U"フ", {U"ファ", U"フィ", U"フ", U"フェ", U"フォ"}},
    {"j", U"ジ", {U"ジャ", U"ジ", U"ジュ", U"ジェ", U"ジョ"}},
    {"sh", U"シュ", {U"シャ", U"シ", U"シュ", U"シェ", U"ショ"}},
    {"ch", U"チ", {U"チャ", U"チ", U"チュ", U"チェ", U"チョ"}},
};

// Letters and their sound, longer ones first. `$` ends the word.
struct Spelling {
  std::string_view letters;
  std::string_view sound;
};

constexpr Spelling kConsonants[] = {
    {"tch", "ch"}, {"sch", "sh"}, {"th", "s"}, {"ph", "f"}, {"sh", "sh"}, {"ch", "ch"}, {"ck", "k"},
    {"gh", "g"},   {"wh", "w"},   {"rh", "r"}, {"ce", "s"}, {"ci", "s"},  {"cy", "s"},  {"ge", "j"},
    {"gi", "j"},   {"gy", "j"},   {"b", "b"},  {"c", "k"},  {"d", "d"},   {"f", "f"},   {"g", "g"},
    {"h", "h"},    {"j", "j"},    {"k", "k"},  {"l", "r"},  {"m", "m"},   {"n", "n"},   {"p", "p"},
    {"q", "k"},    {"r", "r"},    {"s", "s"},  {"t", "t"},  {"v", "b"},   {"w", "w"},   {"z", "z"},
};

// A vowel: its letter for the row of kana and what lengthens it.
struct VowelSpelling {
  std::string_view letters;
  char vowel;
  std::u32string_view rest;
};

constexpr VowelSpelling kVowelSpellings[] = {
    {"ee", 'i', U"ー"}, {"ea", 'i', U"ー"}, {"oo", 'u', U"ー"}, {"ou", 'a', U"ウ"}, {"ow", 'o', U"ー"},
    {"au", 'o', U"ー"}, {"aw", 'o', U"ー"}, {"ai", 'e', U"イ"}, {"ay", 'e', U"イ"}, {"ei", 'e', U"イ"},
    {"ey", 'i', U"ー"}, {"oa", 'o', U"ー"}, {"oi", 'o', U"イ"}, {"oy", 'o', U"イ"}, {"ue", 'u', U"ー"},
    {"ew", 'u', U"ー"}, {"a", 'a', U""},    {"i", 'i', U""},    {"u", 'u', U""},    {"e", 'e', U""},
    {"o", 'o', U""},    {"y", 'i', U""},
};

// Endings that are not the sum of their letters.
constexpr std::pair<std::string_view, std::u32string_view> kEndings[] = {
    {"tion", U"ション"}, {"sion", U"ジョン"}, {"ture", U"チャー"}, {"ing", U"イング"}};

bool is_vowel(char c) { return kVowels.find(c) != std::string_view::npos; }

class Sounds {
 public:
  explicit Sounds(std::string_view word) : word_(word) {}

  std::u32string read() {
    while (i_ < word_.size()) {
      if (!take_ending() && !take_vowel() && !take_x() && !take_consonant()) ++i_;
    }
    end_consonant();
    return out_;
  }

 private:
  char at(std::size_t i) const { return i < word_.size() ? word_[i] : '$'; }

  const Row& row() const {
    for (const Row& row : kRows) {
      if (row.sound == consonant_) return row;
    }
    return kRows[0];
  }

  void end_consonant() {
    if (consonant_.empty()) return;
    out_ += row().alone;
    consonant_ = {};
  }

  void say(char vowel, std::u32string_view rest) {
    out_ += row().kana.at(kVowels.find(vowel));
    out_ += rest;
    consonant_ = {};
  }

  bool take_ending() {
    for (const auto& [letters, kana] : kEndings) {
      if (i_ == 0 || word_.substr(i_) != letters) continue;
      if (is_vowel(letters[0]) && !consonant_.empty()) {
        say(letters[0], kana.substr(1));
      } else {
        end_consonant();
        out_ += kana;
      }
      i_ = word_.size();
      return true;
    }
    return false;
  }

  // The e of `code` is silent and changes the vowel before it.
  bool has_silent_e(std::size_t vowel) const {
    return vowel + 3 == word_.size() && at(vowel + 2) == 'e' && !is_vowel(at(vowel + 1)) && at(vowel + 1) != 'x';
  }

  bool take_magic_e() {
    if (!has_silent_e(i_)) return false;
    switch (word_[i_]) {
      case 'a':
        say('e', U"イ");
        break;
      case 'i':
        say('a', U"イ");
        break;
      case 'o':
        say('o', U"ー");
        break;
      default:
        return false;
    }
    ++i_;
    return true;
  }

  // er, ar and or before a consonant or the end.
  bool take_r_vowel() {
    constexpr std::string_view kBeforeR = "aeiuo";
    if (kBeforeR.find(word_[i_]) == std::string_view::npos || at(i_ + 1) != 'r' || is_vowel(at(i_ + 2)) ||
        at(i_ + 2) == 'r' || at(i_ + 2) == 'y') {
      return false;
    }
    say(word_[i_] == 'o' ? 'o' : 'a', U"ー");
    i_ += 2;
    return true;
  }

  bool take_vowel() {
    if (word_[i_] == 'y' && is_vowel(at(i_ + 1))) {
      end_consonant();
      consonant_ = "y";
      ++i_;
      return true;
    }
    if (word_[i_] == 'e' && i_ + 1 == word_.size() && i_ > 1 && !is_vowel(word_[i_ - 1])) {
      ++i_;
      return true;
    }
    if (is_vowel(word_[i_]) && (take_magic_e() || take_r_vowel())) return true;
    for (const VowelSpelling& spelling : kVowelSpellings) {
      if (word_.substr(i_, spelling.letters.size()) != spelling.letters) continue;
      say(spelling.vowel, spelling.rest);
      i_ += spelling.letters.size();
      take_stop(spelling);
      return true;
    }
    return false;
  }

  // A short vowel and a final stop: the ット of bot.
  void take_stop(const VowelSpelling& vowel) {
    constexpr std::string_view kStops = "kctp";
    const auto rest = word_.substr(i_);
    const bool stop = rest == "ck" || (rest.size() == 1 && kStops.find(rest[0]) != std::string_view::npos);
    if (stop && vowel.letters.size() == 1) out_ += U"ッ";
  }

  bool take_x() {
    if (word_[i_] != 'x') return false;
    end_consonant();
    out_ += i_ == 0 ? U"" : U"ック";
    consonant_ = i_ == 0 ? "z" : "s";
    ++i_;
    return true;
  }

  bool take_consonant() {
    for (const Spelling& spelling : kConsonants) {
      if (word_.substr(i_, spelling.letters.size()) != spelling.letters) continue;
      // ce and the like: the vowel is read on its own.
      const char last = spelling.letters.back();
      const bool with_vowel = spelling.letters.size() > 1 && (is_vowel(last) || last == 'y');
      const bool doubled = spelling.sound == consonant_;
      if (!doubled) {
        if (consonant_ == "m" && (spelling.sound == "b" || spelling.sound == "p")) {
          out_ += U"ン";
          consonant_ = {};
        }
        end_consonant();
      }
      consonant_ = spelling.sound;
      i_ += spelling.letters.size() - (with_vowel ? 1 : 0);
      return true;
    }
    return false;
  }

  std::string_view word_;
  std::size_t i_ = 0;
  std::string_view consonant_;  // waits for its vowel
  std::u32string out_;
};

bool is_small_kana(char32_t c) {
  return std::u32string_view(U"ァィゥェォャュョヮ").find(c) != std::u32string_view::npos;
}

// True for the second half of a long syllable, which cannot carry the accent.
bool is_second_half(char32_t c) { return c == U'ー' || c == U'ン' || c == U'ッ'; }

}  // namespace

std::u32string sound_out(std::string_view word) {
  constexpr std::size_t kShortest = 4;
  constexpr std::size_t kLettersPerVowel = 4;
  const auto vowels =
      static_cast<std::size_t>(std::count_if(word.begin(), word.end(), [](char c) { return is_vowel(c) || c == 'y'; }));
  if (word.size() < kShortest || vowels * kLettersPerVowel < word.size()) return {};
  return Sounds(word).read();
}

int loanword_accent(std::u32string_view katakana) {
  std::u32string moras;  // the first character of each
  for (const char32_t c : katakana) {
    if (!is_small_kana(c) || moras.empty()) moras += c;
  }
  constexpr std::size_t kFromEnd = 3;
  if (moras.size() <= kFromEnd) return 1;
  std::size_t at = moras.size() - kFromEnd;
  while (at > 0 && is_second_half(moras[at])) --at;
  return static_cast<int>(at) + 1;
}

}  // namespace hayakoe::text::natural
