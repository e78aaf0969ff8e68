// SPDX-License-Identifier: Apache-2.0
#include "text/natural/latin_words.hpp"

#include <algorithm>
#include <vector>

#include "text/english.hpp"
#include "text/natural/latin_table.hpp"
#include "text/natural/letters.hpp"
#include "text/natural/romaji.hpp"
#include "text/natural/sounds.hpp"
#include "text/unicode.hpp"
#include "text/user_words.hpp"

namespace hayakoe::text::natural {
namespace {

constexpr std::size_t kLongestWord = 40;      // what is longer is no word of any table
constexpr std::size_t kLongestName = 200;     // what is longer is no camelCase either
constexpr std::size_t kShortestLoudWord = 4;  // capitals that may be a word of the English table
constexpr std::size_t kShortestLoudName = 5;  // capitals that may be a word of no table
constexpr std::size_t kShortestPart = 3;      // of two words written together
constexpr std::size_t kShortestRomaji = 3;
constexpr std::size_t kLettersOfOneBreath = 8;  // letters spelt as one word

std::string small_ascii(std::u32string_view word) {
  std::string out;
  for (const char32_t c : word) out += static_cast<char>(is_capital(c) ? c - U'A' + U'a' : c);
  return out;
}

bool has_vowel(std::string_view word) { return word.find_first_of("aeiouy") != std::string_view::npos; }

bool all_capitals(std::u32string_view word) { return std::all_of(word.begin(), word.end(), is_capital); }

// SDGs, PCs: a plural of capitals.
bool is_plural_initialism(std::u32string_view word) {
  return word.size() >= 3 && word.back() == U's' && all_capitals(word.substr(0, word.size() - 1));
}

// True if camelCase begins a new part at `i`: userName, XMLParser.
bool begins_part(std::u32string_view word, std::size_t i) {
  if (i == 0 || !is_capital(word[i])) return false;
  return is_small(word[i - 1]) || (i + 1 < word.size() && is_small(word[i + 1]));
}

std::vector<std::u32string_view> parts_of(std::u32string_view word) {
  std::vector<std::u32string_view> parts;
  std::size_t start = 0;
  for (std::size_t i = 1; i <= word.size(); ++i) {
    if (i < word.size() && !begins_part(word, i)) continue;
    parts.push_back(word.substr(start, i - start));
    start = i;
  }
  return parts;
}

// The plural of a word as Japanese writes it: テスト テスツ, ログ ログズ, マップ マップス.
std::string plural_kana(const std::string& kana) {
  constexpr std::string_view kT = "ト";
  if (kana.ends_with(kT)) return kana.substr(0, kana.size() - kT.size()) + "ツ";
  const bool voiceless = kana.ends_with("ク") || kana.ends_with("プ") || kana.ends_with("フ");
  return kana + (voiceless ? "ス" : "ズ");
}

}  // namespace

// The English table's reading of a word, whatever its capitals; empty if there is none.
std::string LatinWords::known_kana(std::u32string_view word) const {
  const std::string lower = small_ascii(word);
  // The sounds of what has no vowel are its letters' names, which the table does not always have right.
  if (word.size() > kLongestWord || !has_vowel(lower)) return {};
  return std::string(english_.lookup(lower));
}

std::u32string LatinWords::spell(std::u32string_view letters, Phrase phrase) {
  std::u32string out;
  for (std::size_t i = 0; i < letters.size(); i += kLettersOfOneBreath) {
    Given given = spelt(letters.substr(i, kLettersOfOneBreath));
    given.phrase = phrase;
    if (!given.reading.empty()) out += draft_.give(std::move(given));
  }
  return out;
}

std::u32string LatinWords::say(std::u32string_view word, std::string_view kana, Phrase phrase) {
  if (is_spelling(kana, word)) return spell(word, phrase);
  // The analyser would make a particle and a rest of トゥ, or a word of Japanese of オン.
  constexpr int kShort = 2;
  if (phrase == Phrase::kAuto && count_moras(kana) > kShort) return apart(kana);
  return say_guess(to_u32(kana), phrase);
}

std::u32string LatinWords::say_guess(std::u32string_view kana, Phrase phrase) {
  return draft_.give({std::u32string(kana), to_utf8(kana), loanword_accent(kana), phrase});
}

std::u32string LatinWords::read_parts(std::u32string_view word, Phrase phrase) {
  std::u32string out;
  for (const auto part : parts_of(word)) {
    out += read(part, phrase);
    phrase = Phrase::kAuto;
  }
  return out;
}

// What a word that no table has may be; empty if it can only be spelt.
std::u32string LatinWords::guess_kana(std::u32string_view word) const {
  const std::string lower = small_ascii(word);
  if (word.size() > kLongestWord) return {};
  if (lower.ends_with('s') && word.size() > kShortestPart) {
    const std::string kana = known_kana(word.substr(0, word.size() - 1));
    if (!kana.empty()) return to_u32(plural_kana(kana));
  }
  if (lower.size() >= kShortestRomaji) {
    if (auto kana = romaji_to_kana(lower); !kana.empty()) return kana;
  }
  for (std::size_t i = lower.size() - std::min(lower.size(), kShortestPart); i >= kShortestPart; --i) {
    const std::string first = known_kana(word.substr(0, i));
    const std::string second = known_kana(word.substr(i));
    if (!first.empty() && !second.empty()) return to_u32(first + second);
  }
  return all_capitals(word) ? std::u32string() : sound_out(lower);
}

std::u32string LatinWords::read(std::u32string_view word, Phrase phrase) {
  if (word.size() == 1) return spell(word, phrase);
  if (const LatinEntry* entry = find_latin_entry(word); entry != nullptr) {
    if (entry->how == LatinEntry::How::kSpelt) return spell(word, phrase);
    if (entry->how == LatinEntry::How::kWord) return say(word, known_kana(word), phrase);
    return draft_.give({to_u32(entry->reading), entry->reading, entry->accent, phrase});
  }
  const std::string as_written(english_.lookup_as_written(std::string(word.begin(), word.end())));
  if (!as_written.empty()) return say(word, as_written, phrase);
  if (is_plural_initialism(word)) return spell(word.substr(0, word.size() - 1), phrase) + apart(U"ズ");
  const bool capitals = all_capitals(word);
  if (capitals && word.size() < kShortestLoudWord) return spell(word, phrase);
  if (const std::string kana = known_kana(word); !kana.empty()) return say(word, kana, phrase);
  if (word.size() > kLongestName) return spell(word, phrase);
  if (parts_of(word).size() > 1) return read_parts(word, phrase);
  if (capitals && word.size() < kShortestLoudName) return spell(word, phrase);
  const std::u32string guess = guess_kana(word);
  return guess.empty() ? spell(word, phrase) : say_guess(guess, phrase);
}

}  // namespace hayakoe::text::natural
