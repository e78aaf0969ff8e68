// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

namespace hayakoe::device::cuda {

/// x·Φ(x), exactly (Hendrycks and Gimpel 2016).
__device__ inline float gelu(float x) { return 0.5F * x * (1.0F + erff(x * 0.70710678F)); }

}  // namespace hayakoe::device::cuda
