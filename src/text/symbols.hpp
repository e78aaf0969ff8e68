// SPDX-License-Identifier: Apache-2.0
// The phone inventory that every Style-Bert-VITS2 JP-Extra voice shares, and the numbers that a voice takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/types.hpp"

namespace hayakoe::text {

/// Number of symbols (112); ids run from 0 to symbol_count() - 1. Id 0 is `_`, which is the blank, too.
int symbol_count();

/// The id of a phone, -1 if it has none.
int symbol_id(std::string_view phone);

/// The phone of an id; empty outside the range. The view lives as long as the program.
std::string_view symbol(int id);

/// The id that `to_sequence` uses, always valid: `kw` and `gw` (クヮ, グヮ) become `k` and `g`, a long-vowel mark that
/// nothing resolved becomes `-`, and anything else that has no id becomes `'`, the phone of unreadable characters.
int symbol_id_or_substitute(std::string_view phone);

/// Ids of an analysed sentence: phone ids, tones + 6 (the Japanese range of the tone table) and language 1 (Japanese).
/// With `add_blank` a 0 goes between all elements and at both ends of all three (n → 2n+1) and word2ph is doubled, its
/// first entry plus one, so that it still sums to the number of phones. Phones without an id never fail, see above.
/// Throws Error if there are not as many tones as phones.
Sequence to_sequence(const std::vector<std::string>& phones, const std::vector<int>& tones,
                     const std::vector<int>& word2ph, bool add_blank = true);

}  // namespace hayakoe::text
