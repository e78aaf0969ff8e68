// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "text/njd/morpheme.hpp"

namespace hayakoe::text::njd {

/// Appends the word, or the chain of words, that one dictionary node stands for. `feature` is the comma-separated
/// dictionary entry: pos, g1, g2, g3, ctype, cform, orig, read, pron, acc/moras, rule, flag; missing fields count as
/// `*`. An entry with k accents is a chain: its orig, read, pron and acc are `:`-separated lists of k.
void append_words(std::string_view surface, std::string_view feature, Morphemes& words);

}  // namespace hayakoe::text::njd
