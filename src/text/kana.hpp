// SPDX-License-Identifier: Apache-2.0
// Katakana and phones, both ways.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hayakoe::text {

/// One row of data/mora.tsv. The views live as long as the program.
struct Mora {
  std::string_view kana;       ///< one or two katakana
  std::string_view consonant;  ///< empty if there is none
  std::string_view vowel;      ///< a i u e o, `N` for ン, `q` for ッ
  bool canonical = false;      ///< the kana that this consonant and vowel are written with
};

/// Every kana that has phones, in the order of the file. Loaded once, safe to call from any thread.
const std::vector<Mora>& mora_table();

/// True if `c` is in the katakana block (U+30A0 to U+30FF).
bool is_katakana(char32_t c);

/// The phones of one word: greedily the longest kana of the mora table each; `ー` repeats the last letter of the phone
/// before it; `ー` at the beginning stays as a phone `ー` for the step that knows the word before. A word of
/// punctuation only gives one phone per character. A character that is in no row is kept as a phone of its own.
std::vector<std::string> kana_to_phones(std::string_view katakana);

/// Phones with tones as kana with tones: `_` at the ends is dropped, punctuation stays, consonant and vowel become the
/// canonical kana with the vowel's tone; phones that form no kana stay as they are. Long vowels come as vowels (コオ).
/// Throws Error if the lengths differ.
std::vector<std::pair<std::string, int>> phones_to_kana(const std::vector<std::string>& phones,
                                                        const std::vector<int>& tones);

/// The way back: (phone, tone) pairs with (`_`, 0) at both ends. Takes any kana of the table, several in one element
/// too, punctuation, and `ー` (the vowel before it again, `-` where there is none).
/// Throws Error for an element that holds anything else, naming it.
std::vector<std::pair<std::string, int>> kana_to_phone_tones(const std::vector<std::pair<std::string, int>>& kana);

/// A mora, a mark or `_` as a stretch of a phone list.
struct MoraSpan {
  std::string kana;  ///< canonical kana; a mark or `_` as it is; phones that form no kana run together
  int first = 0;     ///< index of its first phone
  int count = 0;     ///< number of its phones, 1 or 2
};

/// Groups any phone list into moras; the spans follow each other and cover all phones. Never throws.
std::vector<MoraSpan> moras_of(const std::vector<std::string>& phones);

}  // namespace hayakoe::text
