// SPDX-License-Identifier: Apache-2.0
// What a test may ask of the emulation beyond CUDA.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuda_on_cpu {

/// In which order the threads of a block run between barriers, and the blocks of a grid. A kernel whose result depends
/// on it has a race.
enum class Order { kForward, kReverse, kRandom };

/// Counts since the process began.
struct Counts {
  int64_t launches = 0, copies = 0, fills = 0;  ///< that have run
};

}  // namespace cuda_on_cpu

extern "C" {
/// Replaces what HAYAKOE_CUDA_ORDER says. `order` is an Order; the seed belongs to kRandom. Found in the plug-in by its
/// name, too.
__attribute__((visibility("default"))) void cuda_on_cpu_set_order(cuda_on_cpu::Order order, uint64_t seed);
/// Replaces what HAYAKOE_CUDA_MEMORY says: the bytes that the device has.
__attribute__((visibility("default"))) void cuda_on_cpu_set_memory(size_t bytes);
/// Replaces what HAYAKOE_CUDA_CC says: 10·major + minor.
__attribute__((visibility("default"))) void cuda_on_cpu_set_compute_capability(int capability);
__attribute__((visibility("default"))) void cuda_on_cpu_read_counts(cuda_on_cpu::Counts* counts);
}
