// SPDX-License-Identifier: Apache-2.0
// What a thread of an emulated block sees: who it is, its warp's exchange, its block's shared memory, and the two ways
// to wait for others. One OS thread at a time runs device work, so these are plain globals; whoever switches threads
// sets them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda_on_cpu/fiber.hpp"
#include "cuda_on_cpu/vector_types.hpp"

namespace cuda_on_cpu {

inline constexpr unsigned kWarp = 32;

/// Where and in what a thread waits. All threads that wait for each other must be in the same one.
struct Site {
  const char* what;
  const char* file;
  int line;
};

/// What the lanes of a warp hand each other.
struct WarpExchange {
  /// Two sets of shuffled values: a lane that has read its own may write the next before the others have read.
  uint64_t values[2][kWarp];
  unsigned set = 0;
  /// Fragments of a matrix product, where the lanes have them (device/cuda/ptx.cuh).
  const uint32_t *a[kWarp], *b[kWarp];
  float* d[kWarp];
  int down, across;  ///< how many of them
};

extern uint3 thread_index, block_index;
extern dim3 block_size, grid_size;
extern unsigned lane;
extern WarpExchange* warp;
extern std::byte* shared_begin;
extern size_t shared_bytes;
/// 10·major + minor of the device that is emulated.
int compute_capability();

/// The two halves of a wait: choose who runs next, then go there; null if it is the running thread itself.
extern Fiber* running_fiber;
Fiber* stop_for_block(Site site);
Fiber* stop_for_warp(Site site, void (*last)(WarpExchange&));
inline __attribute__((always_inline)) void go_on(Fiber* to) {
  if (to == nullptr) return;
  Fiber* const from = running_fiber;
  running_fiber = to;
  Fiber::switch_to(*to, *from);
}

/// Waits until every thread of the block is here.
inline __attribute__((always_inline)) void wait_for_block(Site site) { go_on(stop_for_block(site)); }

/// Waits until every lane of the warp is here; whoever comes last calls `last` (if any) before the others go on.
inline __attribute__((always_inline)) void wait_for_warp(Site site, void (*last)(WarpExchange&)) {
  go_on(stop_for_warp(site, last));
}

/// Says what is wrong, in which kernel, block and thread, and aborts.
[[noreturn, gnu::format(printf, 1, 2)]] void device_fault(const char* format, ...);

}  // namespace cuda_on_cpu
