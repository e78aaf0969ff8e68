// SPDX-License-Identifier: Apache-2.0
#include "device/spline.hpp"

#include <cuda_runtime.h>

#include "device/cuda/cuda_stream.hpp"
#include "device/cuda/map.cuh"

namespace hayakoe::device::cuda {
namespace {

// A thread a row: there are some hundred rows, of which each takes a chain of small decisions.
__global__ void spline_inverse_kernel(View<float> y, View<float> params, float scale) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= y.rows) return;
  float* value = row_of(y, row);
  *value = static_cast<float>(spline_inverse(*value, row_of(params, row), (params.cols + 1) / 3, scale));
}

}  // namespace

void CudaStream::spline_inverse_in_place(Tensor& y, const Tensor& params, float scale) {
  constexpr int kThreads = 64;
  launch(spline_inverse_kernel, blocks_of(y.rows(), kThreads), kThreads, 0, view(y), view(params), scale);
}

}  // namespace hayakoe::device::cuda
