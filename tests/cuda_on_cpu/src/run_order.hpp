// SPDX-License-Identifier: Apache-2.0
// In which order blocks, warps and lanes run: HAYAKOE_CUDA_ORDER = forward | reverse | random[:seed], or what a test
// has set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cuda_on_cpu {

/// The order of a grid's blocks; empty: as they come.
std::vector<uint64_t> block_order(uint64_t count);
/// Fills in the order of a warp's lanes.
void order_lanes(std::span<uint8_t> lanes);
/// One of the warps of a set that isn't empty.
unsigned choose_warp(uint32_t ready);

}  // namespace cuda_on_cpu
