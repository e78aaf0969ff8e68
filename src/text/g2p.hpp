// SPDX-License-Identifier: Apache-2.0
// Words with pronunciations → phones, tones and how many phones each character has.
#pragma once

#include "text/njd/morpheme.hpp"
#include "text/types.hpp"

namespace hayakoe::text {

/// Fills `njd`, `sep_text`, `sep_kata`, `bert_text`, `phones`, `tones`, `word2ph` and `unreadable`, and adds to
/// `warnings`. Takes any words and never throws for them. What always holds afterwards: phones.size() == tones.size()
/// == sum of word2ph, word2ph.size() == characters of bert_text + 2.
/// A word without a reading is spoken as one `'` per character under `kSbv2`; under `kNatural` its characters stay in
/// the text but get no phones. Either way `unreadable` is set and a warning names it.
void words_to_phones(const njd::Morphemes& words, Rules rules, Analysis& analysis);

}  // namespace hayakoe::text
