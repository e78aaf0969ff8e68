// SPDX-License-Identifier: Apache-2.0
// The shared memory of the block that runs, up to a guard page.
#pragma once

#include <cstddef>

namespace cuda_on_cpu {

inline constexpr size_t kSharedDefault = 48 * 1024;
inline constexpr size_t kSharedLargest = 227 * 1024;  ///< with cudaFuncSetAttribute, as on compute capability 9.0

/// What blocks get from now on: exactly so many bytes (rounded up to 16).
void ask_for_shared(size_t bytes);
/// Makes its contents undefined again.
void refill_shared();
bool is_shared_guard(const void* address);

}  // namespace cuda_on_cpu
