// SPDX-License-Identifier: Apache-2.0
// What the dictionary gets wrong for whole kinds of words, mended under `natural`.
#pragma once

#include <cstddef>
#include <vector>

#include "text/njd/dictionary.hpp"

namespace hayakoe::text::njd {

/// The dictionary knows nouns such as 朝が (チョーガ) and 目と (モクト), which in running text are nearly always a noun
/// and a particle. Adds a boundary before the particle of each; `nodes` must cover the text from its start. Returns
/// true if there were any: the text should then be analysed again.
bool add_name_boundaries(const std::vector<Node>& nodes, std::vector<std::size_t>& boundaries);

/// Onomatopoeia of a repeated pair of kana are flat before の, な, に, だ and です (ふわふわのケーキ: LHHH) and fall
/// after the first mora elsewhere (ふわふわする: HLLL), which is what the dictionary has.
void flatten_onomatopoeia(std::vector<Node>& nodes);

}  // namespace hayakoe::text::njd
