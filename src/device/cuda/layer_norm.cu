// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include "device/cuda/activation.cuh"
#include "device/cuda/cuda_stream.hpp"
#include "device/cuda/map.cuh"

namespace hayakoe::device::cuda {
namespace {

constexpr int kWarps = 8;  // of a block, a row each

struct NormTask {
  View<float> x, residual, gamma, beta, y;  // no residual: its data is null
  float eps;
  bool gelu;
};

__device__ float warp_sum(float x) {
  for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(0xffffffffU, x, distance);
  return x;
}

// A row of x + residual, spread over the lanes of a warp: lane l has the groups l, l + 32, … of kWidth columns. The
// first kHeld of them stay in registers, those of a very long row are read each time.
template <int kWidth, int kHeld>
class NormRow {
 public:
  __device__ NormRow(const NormTask& task, int row, int lane)
      : x_(row_of(task.x, row)), columns_(task.x.cols), first_(lane * kWidth) {
    if (task.residual.data != nullptr) residual_ = row_of(task.residual, row);
    for (int i = 0; i < kHeld; ++i) {
      const int column = first_ + i * kStep;
      if (column < columns_) held_[i] = read(column);
    }
  }

  /// Calls f(column, values) for the groups of this lane, in order.
  template <typename F>
  __device__ void for_each(const F& f) const {
    for (int i = 0; i < kHeld; ++i) {
      const int column = first_ + i * kStep;
      if (column < columns_) f(column, held_[i]);
    }
    for (int column = first_ + kHeld * kStep; column < columns_; column += kStep) f(column, read(column));
  }

 private:
  static constexpr int kStep = 32 * kWidth;

  __device__ Values<kWidth> read(int column) const {
    Values<kWidth> sum = load<kWidth>(x_ + column);
    if (residual_ == nullptr) return sum;
    const Values<kWidth> more = load<kWidth>(residual_ + column);
    for (int i = 0; i < kWidth; ++i) sum.v[i] += more.v[i];
    return sum;
  }

  const float* x_;
  const float* residual_ = nullptr;
  int columns_, first_;
  Values<kWidth> held_[kHeld];
};

template <int kWidth, int kHeld>
__global__ void layer_norm_kernel(NormTask task) {
  const int row = static_cast<int>(blockIdx.x * kWarps + threadIdx.y);
  if (row >= task.x.rows) return;  // all of a warp
  const NormRow<kWidth, kHeld> in(task, row, static_cast<int>(threadIdx.x));
  const auto count = static_cast<float>(task.x.cols);

  float sum = 0.0F;
  in.for_each([&](int, const Values<kWidth>& x) {
    for (int i = 0; i < kWidth; ++i) sum += x.v[i];
  });
  const float mean = warp_sum(sum) / count;
  // From the mean: E[x²] − E[x]² would cancel.
  float squares = 0.0F;
  in.for_each([&](int, const Values<kWidth>& x) {
    for (int i = 0; i < kWidth; ++i) squares += (x.v[i] - mean) * (x.v[i] - mean);
  });
  const float scale = rsqrtf(warp_sum(squares) / count + task.eps);

  float* out = row_of(task.y, row);
  in.for_each([&](int column, const Values<kWidth>& x) {
    const Values<kWidth> gamma = load<kWidth>(task.gamma.data + column);
    const Values<kWidth> beta = load<kWidth>(task.beta.data + column);
    Values<kWidth> y;
    for (int i = 0; i < kWidth; ++i) {
      y.v[i] = (x.v[i] - mean) * scale * gamma.v[i] + beta.v[i];
      if (task.gelu) y.v[i] = gelu(y.v[i]);
    }
    store(out + column, y);
  });
}

}  // namespace

Tensor CudaStream::layer_norm(const Tensor& x, const LayerNorm& norm, const Tensor* residual, Activation activation) {
  Tensor y = allocate(x.rows(), x.cols());
  const NormTask task{.x = view(x),
                      .residual = residual != nullptr ? view(*residual) : View<float>{},
                      .gamma = view(norm.gamma),
                      .beta = view(norm.beta),
                      .y = view(y),
                      .eps = norm.eps,
                      .gelu = activation == Activation::kGelu};
  const bool four = x.cols() % 4 == 0 && is_wide(task.x) && is_wide(task.residual) && is_wide(task.gamma) &&
                    is_wide(task.beta) && is_wide(task.y);
  launch(four ? layer_norm_kernel<4, 8> : layer_norm_kernel<1, 8>, blocks_of(x.rows(), kWarps), dim3(32, kWarps), 0,
         task);
  return y;
}

}  // namespace hayakoe::device::cuda
