// SPDX-License-Identifier: Apache-2.0
#include "text/word2ph.hpp"

namespace hayakoe::text {

std::vector<int> share_phones(const std::vector<WordShare>& words) {
  std::vector<WordShare> shares;
  int homeless = 0;
  for (const WordShare& word : words) {
    if (word.characters > 0) {
      shares.push_back({word.phones + homeless, word.characters});
      homeless = 0;
    } else if (!shares.empty()) {
      shares.back().phones += word.phones;
    } else {
      homeless += word.phones;
    }
  }
  std::vector<int> word2ph{1 + homeless};
  for (const WordShare& share : shares) {
    const int each = share.phones / share.characters;
    const int more = share.phones % share.characters;
    for (int i = 0; i < share.characters; ++i) word2ph.push_back(i < more ? each + 1 : each);
  }
  word2ph.push_back(1);
  return word2ph;
}

}  // namespace hayakoe::text
