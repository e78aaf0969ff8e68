// SPDX-License-Identifier: Apache-2.0
// y = x Wᵀ + b as matrix products over all rows of a batch, cut into tiles of rows and of columns.
#include <algorithm>
#include <cassert>

#include "device/cpu/cpu_device.hpp"
#include "device/cpu/cpu_weights.hpp"
#include "device/cpu/kernels/vector_math.hpp"

namespace hayakoe::device {

namespace {

// Columns of a tile: few, so that a product with few rows still feeds several threads; and the tile's weights are used
// for all of its rows while they are in the cache.
constexpr int64_t kColumns = 4 * kPanel;
// Rows of a tile: whole tiles of gemm(), and of 1,024 channels 516 KB.
constexpr int64_t kRows = 126;

}  // namespace

Tensor CpuStream::linear(const Tensor& x, const Linear& w, const Epilogue& e) {
  assert(x.cols() == w.in);
  Tensor y = allocate(x.rows(), w.out);
  const auto& packed = static_cast<const CpuWeights&>(*w.packed);
  const int64_t row_tiles = (x.rows() + kRows - 1) / kRows;
  const int64_t column_tiles = (w.out + kColumns - 1) / kColumns;
  // Tiles of the same columns behind one another: their weights are read from memory once.
  const auto tile = [&](int64_t t) {
    const int64_t row = t % row_tiles * kRows;
    const int64_t rows = std::min(kRows, x.rows() - row);
    const int64_t column = t / row_tiles * kColumns;
    const int64_t columns = std::min(kColumns, w.out - column);
    const GemmInput in{.data = row_of(x, row), .row_stride = x.stride(), .depth = w.in};
    GemmOutput out{.data = row_of(y, row) + column,
                   .row_stride = y.stride(),
                   .bias = packed.bias() + column,
                   .activation = e.activation,
                   .slope = e.slope};
    if (e.residual != nullptr) {
      out.residual = row_of(*e.residual, row) + column;
      out.residual_stride = e.residual->stride();
    }
    gemm(rows, columns, in, packed.matrix(0, column), out);
    if (e.activation != Activation::kGelu) return;
    for (int64_t r = row; r < row + rows; ++r) gelu_in_place(row_of(y, r) + column, columns);
  };
  pool_->for_each(row_tiles * column_tiles, std::min(x.rows(), kRows) * w.in * kColumns / 8, tile);
  return y;
}

}  // namespace hayakoe::device
