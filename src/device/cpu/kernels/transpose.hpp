// SPDX-License-Identifier: Apache-2.0
// Rows that become columns, on the calling thread.
#pragma once

#include <cstdint>

namespace hayakoe::device {

/// kPanel rows as the columns of one panel of gemm(): panel[i·kPanel + j] = rows[j][i] for 0 ≤ i < depth. A null row is
/// zeros.
void pack_rows(const float* const* rows, int64_t depth, float* panel);

/// to[i·to_stride + j] += from[j·from_stride + i] for 0 ≤ i < rows, 0 ≤ j < cols. The two must not overlap.
void add_transposed(int64_t rows, int64_t cols, const float* from, int64_t from_stride, float* to, int64_t to_stride);

}  // namespace hayakoe::device
