// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text/njd/morpheme.hpp"

namespace hayakoe::text::njd {

/// Gives words without moras a reading, kana by kana and letter by letter; what cannot be read becomes a pause `、`.
/// Neighbouring single letters and kana are joined to one word; ウ after a verb becomes a long vowel; です and ます
/// before a question mark keep their vowel.
void set_pronunciation(Morphemes& words);

}  // namespace hayakoe::text::njd
