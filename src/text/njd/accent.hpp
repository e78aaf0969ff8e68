// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text/njd/morpheme.hpp"

namespace hayakoe::text::njd {

/// Decides for every word but the first whether it joins the accent phrase before it (chain_flag 1) or not (0), by the
/// parts of speech of it and the word before. Flags that are already decided stay.
void set_accent_phrases(Morphemes& words);

/// Combines the accents of the words of each phrase: the first word of the phrase gets the accent of the phrase.
void set_accent_types(Morphemes& words);

/// Marks devoiced vowels: `’` behind the mora in `pron`. Needs phrases and their accents.
void set_devoicing(Morphemes& words);

}  // namespace hayakoe::text::njd
