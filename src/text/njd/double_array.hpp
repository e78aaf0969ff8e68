// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace hayakoe::text::njd {

/// A node of a double array: the children of a node with base b are at b + label + 1 (label: the byte) and have
/// check = b; a key ends at b itself, whose base is -1 - value.
struct DoubleArrayUnit {
  std::int32_t base = 0;
  std::uint32_t check = 0;
};

/// A double array for prefix searches (J. Aoe, "An efficient digital search algorithm by using a double-array
/// structure", 1989). `keys` are sorted by bytes, distinct and not empty; values are 0 or more. The array is long
/// enough for any look-up to stay inside it.
std::vector<DoubleArrayUnit> build_double_array(const std::vector<std::pair<std::string_view, std::int32_t>>& keys);

}  // namespace hayakoe::text::njd
