// SPDX-License-Identifier: Apache-2.0
// Open JTalk's word stages (NJD) in their order, written from a description of their rules.
#pragma once

#include <string_view>
#include <vector>

#include "text/njd/dictionary.hpp"
#include "text/njd/morpheme.hpp"

namespace hayakoe::text::njd {

/// The words of a normalised text with pronunciations, accent phrases and accents. Takes any text; linear in its
/// length.
Morphemes analyze(const Dictionary& dictionary, std::string_view norm_text);

/// The words that dictionary nodes stand for, not yet through any stage.
Morphemes make_words(const std::vector<Node>& nodes);

/// The stages behind the dictionary, in place.
void run_stages(Morphemes& words);

}  // namespace hayakoe::text::njd
