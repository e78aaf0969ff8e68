// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "cuda_on_cpu/runtime_api.hpp"
#include "streams.hpp"

namespace cuda_on_cpu {

/// Remembers an error for cudaGetLastError, and returns it.
cudaError_t remember(cudaError_t error);

/// Why nothing works, if so: HAYAKOE_CUDA_DRIVER (too old or 0) or HAYAKOE_CUDA_DEVICES=0.
cudaError_t device_state();

/// One call of the API: alone in the runtime, its error remembered.
template <typename F>
cudaError_t api_call(const F& call) {
  const std::lock_guard lock(runtime_mutex());
  const cudaError_t state = device_state();
  return remember(state == cudaSuccess ? call() : state);
}

}  // namespace cuda_on_cpu
