// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include <algorithm>
#include <hayakoe/error.hpp>

#include "device/cuda/cuda_stream.hpp"
#include "device/cuda/map.cuh"
#include "device/philox.hpp"

namespace hayakoe::device::cuda {
namespace {

// The keys of some segments, passed as a parameter: they need no upload.
struct Keys {
  static constexpr int kMost = 256;
  uint64_t key[kMost];
  int first;  // segment
};

// Rows `first_row` … of the batch, which belong to the segments of the keys; a thread for four columns.
__global__ void normal_kernel(View<float> rows, int first_row, Batch batch, Keys keys) {
  const int r = grid_row();
  const int column = grid_group() * 4;
  if (r >= rows.rows || column >= rows.cols) return;
  const int row = first_row + r;
  const int segment = batch.segment[row / batch.factor];
  float four[4];
  normal_quad(keys.key[segment - keys.first], static_cast<uint32_t>(row - batch.bounds(segment).x),
              static_cast<uint32_t>(column / 4), four);
  float* out = row_of(rows, r) + column;
  for (int i = 0; i < 4; ++i) {
    if (column + i < rows.cols) out[i] = four[i];
  }
}

}  // namespace

Tensor CudaStream::normal(const Segments& s, int64_t cols, std::span<const uint64_t> keys) {
  if (static_cast<int64_t>(keys.size()) != s.count()) throw Error("normal: one key a segment is needed");
  Tensor y = allocate(s.rows(), cols);
  if (s.rows() == 0) return y;
  const Batch b = batch(s);
  for (int64_t first = 0; first < s.count(); first += Keys::kMost) {
    const int64_t end = std::min(first + Keys::kMost, s.count());
    Keys some{};
    std::copy(keys.begin() + first, keys.begin() + end, some.key);
    some.first = static_cast<int>(first);
    const int64_t row = s.begin(first);
    const Tensor part = y.slice_rows(row, s.begin(end) - row);
    const RowGrid g(part.rows(), (cols + 3) / 4);
    launch(normal_kernel, g.grid, g.block, 0, view(part), static_cast<int>(row), b, some);
  }
  return y;
}

}  // namespace hayakoe::device::cuda
