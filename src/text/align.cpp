// SPDX-License-Identifier: Apache-2.0
#include "text/align.hpp"

#include <algorithm>

#include "text/normalize.hpp"

namespace hayakoe::text {
namespace {

constexpr std::size_t kLookAhead = 8;

// Where `phone` stands at or a little behind `cursor`, or the end of the list.
std::size_t find_phone(const std::vector<njd::TonedPhone>& toned, std::size_t cursor, const std::string& phone) {
  std::size_t repeated = cursor;
  while (repeated < toned.size() && toned[repeated].repeats_across_word && toned[repeated].phone != phone) ++repeated;
  if (repeated < toned.size() && toned[repeated].phone == phone) return repeated;
  const std::size_t end = std::min(cursor + kLookAhead, toned.size());
  for (std::size_t i = cursor; i < end; ++i) {
    if (toned[i].phone == phone) return i;
  }
  return toned.size();
}

}  // namespace

std::vector<int> align_tones(const std::vector<std::string>& phones, const std::vector<njd::TonedPhone>& toned,
                             bool* mismatched) {
  std::vector<int> tones(phones.size(), 0);
  std::size_t cursor = 0;
  for (std::size_t i = 0; i < phones.size() && cursor < toned.size(); ++i) {
    const bool fits = toned[cursor].phone == phones[i];
    if (!fits && is_punctuation(phones[i])) continue;
    const std::size_t found = fits ? cursor : find_phone(toned, cursor, phones[i]);
    if (found == toned.size()) {
      *mismatched = true;
      continue;
    }
    tones[i] = toned[found].tone;
    cursor = found + 1;
  }
  return tones;
}

}  // namespace hayakoe::text
