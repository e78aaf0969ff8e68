// SPDX-License-Identifier: Apache-2.0
// The shape that most simple operations have: out(row, column) = f(inputs at this place). An input is any struct with
//   at<kWidth>(row, column)   kWidth values side by side, called on the GPU
//   wide()                    whether it can give four of them at once
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/cuda/cuda_stream.hpp"

namespace hayakoe::device::cuda {

/// Values side by side: one, or four that lie on a multiple of 16 bytes.
template <int kWidth>
struct Values {
  static_assert(kWidth == 1 || kWidth == 4);
  float v[kWidth];
};

template <int kWidth>
__device__ inline Values<kWidth> load(const float* from) {
  if constexpr (kWidth == 4) {
    const float4 q = *reinterpret_cast<const float4*>(from);
    return {{q.x, q.y, q.z, q.w}};
  } else {
    return {{*from}};
  }
}

template <int kWidth>
__device__ inline void store(float* to, const Values<kWidth>& x) {
  if constexpr (kWidth == 4) {
    *reinterpret_cast<float4*>(to) = make_float4(x.v[0], x.v[1], x.v[2], x.v[3]);
  } else {
    *to = x.v[0];
  }
}

template <typename T>
__device__ inline T* row_of(const View<T>& x, int row) {
  return x.data + row * x.stride;
}

/// Whether each row can be read four values at a time, if their number is a multiple of four.
inline bool is_wide(const View<float>& x) {
  return reinterpret_cast<uintptr_t>(x.data) % sizeof(float4) == 0 && x.stride % 4 == 0;
}

/// The rows of a tensor as they are.
struct Rows {
  View<float> x;
  explicit Rows(const Tensor& tensor) : x(view(tensor)) {}
  [[nodiscard]] bool wide() const { return is_wide(x); }
  template <int kWidth>
  __device__ Values<kWidth> at(int row, int column) const {
    return load<kWidth>(row_of(x, row) + column);
  }
};

/// The only row of a tensor, for every row.
struct OneRow {
  View<float> x;
  explicit OneRow(const Tensor& tensor) : x(view(tensor)) {}
  [[nodiscard]] bool wide() const { return is_wide(x); }
  template <int kWidth>
  __device__ Values<kWidth> at(int /*row*/, int column) const {
    return load<kWidth>(x.data + column);
  }
};

/// Leaves its input as it is.
struct Same {
  __device__ float operator()(float x) const { return x; }
};

struct Add {
  __device__ float operator()(float x, float y) const { return x + y; }
};

/// A grid with one thread for each of `groups` in each of `rows`: neighbours in a row, then rows.
struct RowGrid {
  dim3 grid, block;
  RowGrid(int64_t rows, int64_t groups) {
    constexpr unsigned kThreads = 256;
    unsigned across = 1;
    while (across < kThreads && across < groups) across *= 2;
    block = dim3(across, kThreads / across);
    grid = dim3(blocks_of(rows, block.y), blocks_of(groups, block.x));
  }
};

/// Of the thread, in a RowGrid.
__device__ inline int grid_row() { return static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y); }
__device__ inline int grid_group() { return static_cast<int>(blockIdx.y * blockDim.x + threadIdx.x); }

template <int kWidth, typename F, typename... Inputs>
__global__ void map_kernel(View<float> out, F f, Inputs... inputs) {
  const int row = grid_row();
  const int column = grid_group() * kWidth;
  if (row >= out.rows || column >= out.cols) return;
  const auto apply = [&](const auto&... values) {
    Values<kWidth> y;
    for (int i = 0; i < kWidth; ++i) y.v[i] = f(values.v[i]...);
    return y;
  };
  store(row_of(out, row) + column, apply(inputs.template at<kWidth>(row, column)...));
}

template <typename F, typename... Inputs>
void CudaStream::map(const Tensor& out, F f, Inputs... inputs) {
  const View<float> to = view(out);
  if (to.cols % 4 == 0 && is_wide(to) && (inputs.wide() && ...)) {
    const RowGrid g(to.rows, to.cols / 4);
    launch(&map_kernel<4, F, Inputs...>, g.grid, g.block, 0, to, f, inputs...);
  } else {
    const RowGrid g(to.rows, to.cols);
    launch(&map_kernel<1, F, Inputs...>, g.grid, g.block, 0, to, f, inputs...);
  }
}

}  // namespace hayakoe::device::cuda
