// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace hayakoe::text {

/// How many phones and characters a word has.
struct WordShare {
  int phones = 0;
  int characters = 0;
};

/// Shares the phones of each word among its characters as evenly as whole numbers allow, the first ones getting more.
/// One entry per character, and a 1 at each end for `_`. A word without characters gives its phones to the word before
/// it, else to the one behind it, else to the first `_`, so that the sum is always the number of phones plus two.
std::vector<int> share_phones(const std::vector<WordShare>& words);

}  // namespace hayakoe::text
