// SPDX-License-Identifier: Apache-2.0
// The part of the device language that kernels use beyond C++: built-in variables, barriers, shuffles, and the
// functions that CUDA has in the global namespace.
#pragma once

#include <math.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cuda_on_cpu/block.hpp"
#include "cuda_on_cpu/vector_types.hpp"

// Constant references to known objects: reading one costs no more than the object.
inline constexpr const uint3& threadIdx = cuda_on_cpu::thread_index;
inline constexpr const uint3& blockIdx = cuda_on_cpu::block_index;
inline constexpr const dim3& blockDim = cuda_on_cpu::block_size;
inline constexpr const dim3& gridDim = cuda_on_cpu::grid_size;
inline constexpr int warpSize = 32;

inline __attribute__((always_inline)) void __syncthreads(const char* file = __builtin_FILE(),
                                                         int line = __builtin_LINE()) {
  cuda_on_cpu::wait_for_block({"__syncthreads", file, line});
}

namespace cuda_on_cpu {

inline void check_mask(const Site& site, unsigned mask) {
  if (mask != 0xffffffffU) device_fault("%s with mask 0x%08x: only full warps are emulated", site.what, mask);
}

/// All lanes give `value`; each gets the one of lane `from`.
template <typename T>
T exchange(const Site& site, unsigned mask, T value, unsigned from) {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= sizeof(uint64_t), "shuffles move numbers of up to 8 bytes");
  check_mask(site, mask);
  uint64_t* const values = warp->values[warp->set];
  std::memcpy(&values[lane], &value, sizeof(T));
  wait_for_warp(site, [](WarpExchange& w) { w.set ^= 1U; });
  std::memcpy(&value, &values[from], sizeof(T));
  return value;
}

inline void check_width(const Site& site, int width) {
  if (width < 1 || width > 32 || (width & (width - 1)) != 0)
    device_fault("%s with width %d: widths are 1, 2, 4, 8, 16 or 32", site.what, width);
}

}  // namespace cuda_on_cpu

inline void __syncwarp(unsigned mask = 0xffffffffU, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const cuda_on_cpu::Site site{"__syncwarp", file, line};
  cuda_on_cpu::check_mask(site, mask);
  cuda_on_cpu::wait_for_warp(site, nullptr);
}

template <typename T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, const char* file = __builtin_FILE(),
              int line = __builtin_LINE()) {
  const cuda_on_cpu::Site site{"__shfl_sync", file, line};
  cuda_on_cpu::check_width(site, width);
  const auto w = static_cast<unsigned>(width);
  const unsigned from = (cuda_on_cpu::lane & ~(w - 1)) + (static_cast<unsigned>(source) & (w - 1));
  return cuda_on_cpu::exchange(site, mask, value, from);
}

// The other three leave a lane its own value where the source lies outside its group of `width` lanes.

template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, const char* file = __builtin_FILE(),
                 int line = __builtin_LINE()) {
  const cuda_on_cpu::Site site{"__shfl_up_sync", file, line};
  cuda_on_cpu::check_width(site, width);
  const unsigned in_group = cuda_on_cpu::lane & (static_cast<unsigned>(width) - 1);
  const unsigned from = delta <= in_group ? cuda_on_cpu::lane - delta : cuda_on_cpu::lane;
  return cuda_on_cpu::exchange(site, mask, value, from);
}

template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, const char* file = __builtin_FILE(),
                   int line = __builtin_LINE()) {
  const cuda_on_cpu::Site site{"__shfl_down_sync", file, line};
  cuda_on_cpu::check_width(site, width);
  const unsigned in_group = cuda_on_cpu::lane & (static_cast<unsigned>(width) - 1);
  const bool inside = delta < static_cast<unsigned>(width) - in_group;
  return cuda_on_cpu::exchange(site, mask, value, inside ? cuda_on_cpu::lane + delta : cuda_on_cpu::lane);
}

template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  const cuda_on_cpu::Site site{"__shfl_xor_sync", file, line};
  cuda_on_cpu::check_width(site, width);
  const unsigned from = cuda_on_cpu::lane ^ static_cast<unsigned>(lane_mask);
  // A lane may read from an earlier group of `width` lanes but not from a later one.
  const unsigned group_end = (cuda_on_cpu::lane | (static_cast<unsigned>(width) - 1)) + 1;
  return cuda_on_cpu::exchange(site, mask, value, from < group_end ? from : cuda_on_cpu::lane);
}

inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }

inline float rsqrtf(float x) { return 1.0F / sqrtf(x); }

#define CUDA_ON_CPU_MIN_MAX(T)                        \
  constexpr T min(T a, T b) { return b < a ? b : a; } \
  constexpr T max(T a, T b) { return a < b ? b : a; }
CUDA_ON_CPU_MIN_MAX(int)
CUDA_ON_CPU_MIN_MAX(unsigned)
CUDA_ON_CPU_MIN_MAX(long)
CUDA_ON_CPU_MIN_MAX(unsigned long)
CUDA_ON_CPU_MIN_MAX(long long)
CUDA_ON_CPU_MIN_MAX(unsigned long long)
#undef CUDA_ON_CPU_MIN_MAX
// As the hardware does it, a number wins over NaN.
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }

/// Ends the kernel with an error, as a trap does on a device.
[[noreturn]] inline void __trap() { cuda_on_cpu::device_fault("__trap"); }
