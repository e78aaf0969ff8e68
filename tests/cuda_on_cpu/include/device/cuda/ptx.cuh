// SPDX-License-Identifier: Apache-2.0
// The emulated twin of src/device/cuda/ptx.cuh: the same functions over the same fragment layouts, for kernels that run
// on the CPU.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace hayakoe::device::cuda {

/// The shared memory that the launch has asked for, as one T; its contents are undefined when a block begins.
template <typename T>
__device__ inline T& shared_memory() {
  static_assert(alignof(T) <= alignof(uint4));
  if (sizeof(T) > cuda_on_cpu::shared_bytes) {
    cuda_on_cpu::device_fault("the kernel uses %zu bytes of shared memory, the launch asked for %zu", sizeof(T),
                              cuda_on_cpu::shared_bytes);
  }
  return *reinterpret_cast<T*>(cuda_on_cpu::shared_begin);
}

/// The bits of an IEEE half / a bfloat16, to nearest even; a half beyond the range is the largest one.
uint16_t half_bits(float x);
inline uint16_t bfloat16_bits(float x) {
  const uint32_t bits = __float_as_uint(x);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return 0x7fff;  // the hardware has one NaN
  return static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

/// Two floats as IEEE halves, `low` in the lower 16 bits, to nearest even; beyond the range the largest half.
__device__ inline uint32_t pack_f16(float low, float high) {
  return half_bits(low) | static_cast<uint32_t>(half_bits(high)) << 16;
}

/// Two floats as bfloat16, `low` in the lower 16 bits, to nearest even.
__device__ inline uint32_t pack_bf16(float low, float high) {
  return bfloat16_bits(low) | static_cast<uint32_t>(bfloat16_bits(high)) << 16;
}

/// The bits of a float rounded to tf32 (10 bits of mantissa; ties away from zero).
__device__ inline uint32_t round_tf32(float x) {
  const uint32_t bits = __float_as_uint(x);
  if ((bits & 0x7f800000U) == 0x7f800000U) return bits;
  return (bits + 0x1000U) & 0xffffe000U;
}

void multiply_f16(cuda_on_cpu::WarpExchange& warp);
void multiply_bf16(cuda_on_cpu::WarpExchange& warp);
void multiply_tf32(cuda_on_cpu::WarpExchange& warp);

/// Fragments a warp multiplies at a time, in each direction.
inline constexpr int kMostFragments = 16;

/// Shows this lane's fragments to the others and waits: whoever comes last multiplies for all. There are `down` of a,
/// `across` of b, and the product of those of d.
inline __attribute__((always_inline)) void multiply_fragments(cuda_on_cpu::Site site,
                                                              void (*multiply)(cuda_on_cpu::WarpExchange&), int down,
                                                              int across, float* d, const uint32_t* a,
                                                              const uint32_t* b) {
  cuda_on_cpu::WarpExchange& warp = *cuda_on_cpu::warp;
  warp.a[cuda_on_cpu::lane] = a;
  warp.b[cuda_on_cpu::lane] = b;
  warp.d[cuda_on_cpu::lane] = d;
  warp.down = down;
  warp.across = across;
  cuda_on_cpu::wait_for_warp(site, multiply);
}

// d += a·b of a warp's fragments; lane l = 4·g + t of the warp holds
//   d: (g, 2t), (g, 2t+1), (g+8, 2t), (g+8, 2t+1)
// and in words of 32 bits, two 16-bit values (the lower one first) or one tf32 value each, 8 words a row:
//   a [16 rows]: (g, t), (g+8, t), (g, t+4), (g+8, t+4)        b [8 columns]: (g, t), (g, t+4)
// (PTX ISA, "Matrix Fragments for mma.m16n8k16 / m16n8k8".)

/// 16 products deep.
__device__ inline void mma_f16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                               const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  multiply_fragments({"mma_f16", file, line}, multiply_f16, 1, 1, d, a, b);
}

/// 16 products deep. Compute capability 8.0 and up; the host sees to it that older ones never get here.
__device__ inline void mma_bf16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                                const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  multiply_fragments({"mma_bf16", file, line}, multiply_bf16, 1, 1, d, a, b);
}

/// 8 products deep. Compute capability 8.0 and up, likewise.
__device__ inline void mma_tf32(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                                const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  multiply_fragments({"mma_tf32", file, line}, multiply_tf32, 1, 1, d, a, b);
}

// The same for tiles of fragments, d[i][j] += a[i]·b[j]. On a device that is a loop; here the warp's lanes then wait
// for each other once.
#define CUDA_ON_CPU_MMA_TILE(name, multiply)                                                               \
  template <int Down, int Across>                                                                          \
  inline void name(float(&d)[Down][Across][4], const uint32_t(&a)[Down][4], const uint32_t(&b)[Across][2], \
                   const char* file = __builtin_FILE(), int line = __builtin_LINE()) {                     \
    static_assert(Down <= kMostFragments && Across <= kMostFragments);                                     \
    multiply_fragments({#name, file, line}, multiply, Down, Across, &d[0][0][0], a[0], b[0]);              \
  }
CUDA_ON_CPU_MMA_TILE(mma_f16, multiply_f16)
CUDA_ON_CPU_MMA_TILE(mma_bf16, multiply_bf16)
CUDA_ON_CPU_MMA_TILE(mma_tf32, multiply_tf32)
#undef CUDA_ON_CPU_MMA_TILE

}  // namespace hayakoe::device::cuda
