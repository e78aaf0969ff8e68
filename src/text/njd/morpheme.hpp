// SPDX-License-Identifier: Apache-2.0
// A word on its way through the NJD stages.
#pragma once

#include <list>
#include <string>

namespace hayakoe::text::njd {

/// One word with everything that the stages need. Fields without a value hold `*`, except `read` and `pron`, which the
/// stages empty: a word with an empty `pron` is silent and is removed at the end of the stage.
struct Morpheme {
  std::string string;       ///< as it stands in the (full-width) text
  std::string pos = "*";    ///< part of speech
  std::string g1 = "*";     ///< its first subdivision
  std::string g2 = "*";     ///< its second subdivision
  std::string g3 = "*";     ///< its third subdivision
  std::string ctype = "*";  ///< kind of inflection
  std::string cform = "*";  ///< inflected form
  std::string orig = "*";   ///< dictionary form
  std::string read = "*";   ///< reading in katakana
  std::string pron = "*";   ///< pronunciation in katakana, ’ after a devoiced mora
  std::string rule = "*";   ///< how its accent combines with that of the words before it
  int acc = 0;              ///< accent nucleus, 1-based mora, 0 = flat
  int mora_size = 0;        ///< number of moras
  int chain_flag = -1;      ///< 1: joins the phrase before it, 0: does not, -1: not decided
};

/// The words of a text. A list, because the number stage inserts and removes in the middle.
using Morphemes = std::list<Morpheme>;

/// Removes the silent words.
inline void remove_silent(Morphemes& words) {
  words.remove_if([](const Morpheme& w) { return w.pron.empty(); });
}

}  // namespace hayakoe::text::njd
