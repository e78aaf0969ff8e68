// SPDX-License-Identifier: Apache-2.0
// The reference, and what durations are made of: plain float products.
#include "device/cuda/product.cuh"

namespace hayakoe::device::cuda {
namespace {

template <int TileRows, int TileColumns, int Down, int Across, int Ahead>
ProductKernel plain_kernel() {
  return product_kernel_of<Format::kF32, TileRows, TileColumns, Ahead,
                           PlainSums<TileRows, TileColumns, Down, Across>>();
}

}  // namespace

ProductKernels f32_kernels() {
  return {.large = plain_kernel<128, 64, 8, 4, 1>(),
          .medium = plain_kernel<64, 64, 4, 4, 2>(),
          .small = plain_kernel<32, 32, 2, 4, 4>(),
          .narrow = plain_kernel<128, 32, 4, 4, 1>(),
          .thin = plain_kernel<128, 16, 4, 4, 1>()};
}

}  // namespace hayakoe::device::cuda
