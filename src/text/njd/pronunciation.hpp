// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "text/njd/morpheme.hpp"

namespace hayakoe::text::njd {

/// Gives words without moras a reading, kana by kana and letter by letter; what cannot be read becomes a pause `、`.
/// Neighbouring single letters and kana are joined to one word; ウ after a verb becomes a long vowel; です and ます
/// before a question mark keep their vowel.
void set_pronunciation(Morphemes& words);

/// A pronunciation without the marks of devoiced moras.
std::string without_devoicing(std::string_view pron);

}  // namespace hayakoe::text::njd
