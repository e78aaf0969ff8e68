// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "text/njd/phrases.hpp"

namespace hayakoe::text {

/// A tone for each of `phones` (which hold punctuation) from the phones of the accent phrases (which hold none).
/// Punctuation and phones behind the last one get tone 0. Where the two lists disagree, the phones win: a word that
/// begins with ー behind a ッ is `-` here and a second `q` there, which is skipped; anything else is looked for a few
/// phones ahead, and gets tone 0 if it is not there (`*mismatched` is set then). Never throws; linear.
std::vector<int> align_tones(const std::vector<std::string>& phones, const std::vector<njd::TonedPhone>& toned,
                             bool* mismatched);

}  // namespace hayakoe::text
