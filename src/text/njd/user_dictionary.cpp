// SPDX-License-Identifier: Apache-2.0
#include "text/njd/user_dictionary.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "text/njd/double_array.hpp"

namespace hayakoe::text::njd {
namespace {

constexpr std::uint32_t kMagic = 0xEF718F77;
constexpr std::uint32_t kUserDictionary = 1;
constexpr std::size_t kCharsetBytes = 32;
constexpr std::int32_t kMaxTokens = 0xFF;  // of one surface

struct Token {
  std::uint16_t left_id = 0;
  std::uint16_t right_id = 0;
  std::uint16_t part_of_speech_id = 0;
  std::int16_t cost = 0;
  std::uint32_t feature = 0;  // offset in the features
  std::uint32_t compound = 0;
};
static_assert(sizeof(Token) == 16 && sizeof(DoubleArrayUnit) == 8);

template <typename T>
void append(std::string& out, const T* data, std::size_t count) {
  out.append(reinterpret_cast<const char*>(data), count * sizeof(T));
}

std::vector<const UserEntry*> sorted(std::span<const UserEntry> entries) {
  std::vector<const UserEntry*> order;
  for (const UserEntry& entry : entries) {
    if (!entry.surface.empty()) order.push_back(&entry);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const UserEntry* a, const UserEntry* b) { return a->surface < b->surface; });
  return order;
}

}  // namespace

std::string build_user_dictionary(std::span<const UserEntry> entries, const DictionaryFormat& format) {
  std::vector<Token> tokens;
  std::string features;
  std::vector<std::pair<std::string_view, std::int32_t>> keys;
  for (const UserEntry* entry : sorted(entries)) {
    const auto id = static_cast<std::uint16_t>(entry->context_id);
    if (keys.empty() || keys.back().first != entry->surface) {
      keys.emplace_back(entry->surface, static_cast<std::int32_t>(tokens.size() << 8));
    }
    if ((keys.back().second & 0xFF) == kMaxTokens) continue;
    ++keys.back().second;
    tokens.push_back(
        {id, id, 0, static_cast<std::int16_t>(entry->cost), static_cast<std::uint32_t>(features.size()), 0});
    features += entry->feature;
    features += '\0';
  }
  const auto units = build_double_array(keys);

  std::uint32_t header[10] = {0,
                              format.version,
                              kUserDictionary,
                              static_cast<std::uint32_t>(tokens.size()),
                              format.left_size,
                              format.right_size,
                              static_cast<std::uint32_t>(units.size() * sizeof(DoubleArrayUnit)),
                              static_cast<std::uint32_t>(tokens.size() * sizeof(Token)),
                              static_cast<std::uint32_t>(features.size()),
                              0};
  const auto total = sizeof(header) + kCharsetBytes + header[6] + header[7] + header[8];
  header[0] = static_cast<std::uint32_t>(total) ^ kMagic;

  std::string out;
  out.reserve(total);
  append(out, header, std::size(header));
  std::string charset = format.charset;
  charset.resize(kCharsetBytes);
  out += charset;
  append(out, units.data(), units.size());
  append(out, tokens.data(), tokens.size());
  out += features;
  return out;
}

}  // namespace hayakoe::text::njd
