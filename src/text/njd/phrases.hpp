// SPDX-License-Identifier: Apache-2.0
// Words → accent phrases → a tone for every phone.
#pragma once

#include <string_view>
#include <vector>

#include "text/njd/morpheme.hpp"

namespace hayakoe::text::njd {

/// One mora of an accent phrase. The views point into the mora table, which lives as long as the program.
struct PhraseMora {
  std::string_view consonant;        ///< empty if there is none
  std::string_view vowel;            ///< also N, q
  bool after_pause = false;          ///< a pause stands before it
  bool repeats_across_word = false;  ///< a word that begins with ー repeats the phone of the word before
};

/// Moras that share one accent nucleus.
struct AccentPhrase {
  int accent = 0;  ///< 1-based mora of the nucleus, 0 = flat
  std::vector<PhraseMora> moras;
};

/// A phone with its tone; no punctuation.
struct TonedPhone {
  std::string_view phone;
  int tone = 0;                      ///< 0 low, 1 high
  bool repeats_across_word = false;  ///< as in PhraseMora
};

/// The accent phrases of words that went through all stages.
std::vector<AccentPhrase> make_phrases(const Morphemes& words);

/// The phones of the phrases in order. Tokyo accent: the first mora is low unless it is the nucleus, the moras up to
/// the nucleus are high, those behind it low. A pause inside a phrase starts again from low.
std::vector<TonedPhone> make_tones(const std::vector<AccentPhrase>& phrases);

}  // namespace hayakoe::text::njd
