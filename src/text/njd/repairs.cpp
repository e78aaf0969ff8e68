// SPDX-License-Identifier: Apache-2.0
#include "text/njd/repairs.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "text/unicode.hpp"

namespace hayakoe::text::njd {
namespace {

bool is_kanji(char32_t c) { return c >= 0x4E00 && c <= 0x9FFF; }
bool is_hiragana(char32_t c) { return c >= U'ぁ' && c <= U'ゖ'; }
bool is_particle(char32_t c) { return std::u32string_view(U"がとをはにもへ").find(c) != std::u32string_view::npos; }

bool is_noun_with_particle(const Node& node) {
  const auto is = [&](std::string_view kind) { return node.feature.starts_with(kind); };
  if (!is("名詞") || is("名詞,代名詞") || is("名詞,副詞可能")) return false;
  const auto characters = to_u32(node.surface);
  return characters.size() == 2 && is_kanji(characters[0]) && is_particle(characters[1]);
}

bool is_repeated_pair(const std::string& surface) {
  const auto c = to_u32(surface);
  return c.size() == 4 && c[0] == c[2] && c[1] == c[3] && c[0] != c[1] &&
         std::all_of(c.begin(), c.end(), [](char32_t k) { return is_hiragana(k) || (k >= U'ァ' && k <= U'ヺ'); });
}

// The accent field "1/4" of a feature as "0/4".
void make_flat(std::string& feature) {
  constexpr int kAccent = 9;  // fields before it
  std::size_t begin = 0;
  for (int i = 0; i < kAccent; ++i) {
    const auto comma = feature.find(',', begin);
    if (comma == std::string::npos) return;
    begin = comma + 1;
  }
  const auto slash = feature.find('/', begin);
  if (slash != std::string::npos) feature.replace(begin, slash - begin, "0");
}

}  // namespace

bool add_name_boundaries(const std::vector<Node>& nodes, std::vector<std::size_t>& boundaries) {
  constexpr std::size_t kParticleBytes = 3;
  const std::size_t before = boundaries.size();
  std::size_t end = 0;
  for (const Node& node : nodes) {
    end += node.surface.size();
    if (is_noun_with_particle(node)) boundaries.push_back(end - kParticleBytes);
  }
  std::sort(boundaries.begin(), boundaries.end());
  return boundaries.size() > before;
}

void flatten_onomatopoeia(std::vector<Node>& nodes) {
  constexpr std::array<std::string_view, 6> kBehind = {"の", "な", "に", "だ", "です", "で"};
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const bool flat = std::find(kBehind.begin(), kBehind.end(), nodes[i + 1].surface) != kBehind.end();
    if (flat && is_repeated_pair(nodes[i].surface)) make_flat(nodes[i].feature);
  }
}

}  // namespace hayakoe::text::njd
