// SPDX-License-Identifier: Apache-2.0
// A file of its own for each format: they are compiled side by side.
#include "device/cuda/product.cuh"

namespace hayakoe::device::cuda {

ProductKernels bf16_kernels() { return tensor_kernels<Format::kBF16>(); }

}  // namespace hayakoe::device::cuda
