// SPDX-License-Identifier: Apache-2.0
// What kernels use of the hardware that C++ has no words for: shared memory, 16-bit floats and the tensor cores. The
// tests run the same kernels on the CPU with another file of this name (tests/cuda_on_cpu).
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace hayakoe::device::cuda {

/// The shared memory that the launch has asked for, as one T; its contents are undefined when a block begins.
template <typename T>
__device__ inline T& shared_memory() {
  extern __shared__ uint4 hayakoe_shared[];
  static_assert(alignof(T) <= alignof(uint4));
  return *reinterpret_cast<T*>(hayakoe_shared);
}

/// Two floats as IEEE halves, `low` in the lower 16 bits, to nearest even; beyond the range the largest half.
__device__ inline uint32_t pack_f16(float low, float high) {
  constexpr float kLargest = 65504.0F;
  const __half2 h = __floats2half2_rn(fminf(fmaxf(low, -kLargest), kLargest), fminf(fmaxf(high, -kLargest), kLargest));
  return *reinterpret_cast<const uint32_t*>(&h);
}

/// Two floats as bfloat16, `low` in the lower 16 bits, to nearest even.
__device__ inline uint32_t pack_bf16(float low, float high) {
  const __nv_bfloat162 h = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const uint32_t*>(&h);
}

/// The bits of a float rounded to tf32 (10 bits of mantissa; ties away from zero).
__device__ inline uint32_t round_tf32(float x) {
  uint32_t bits = 0;
#if __CUDA_ARCH__ >= 800
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
#else
  bits = __float_as_uint(x);
#endif
  return bits;
}

// d += a·b of a warp's fragments; lane l = 4·g + t of the warp holds
//   d: (g, 2t), (g, 2t+1), (g+8, 2t), (g+8, 2t+1)
// and in words of 32 bits, two 16-bit values (the lower one first) or one tf32 value each, 8 words a row:
//   a [16 rows]: (g, t), (g+8, t), (g, t+4), (g+8, t+4)        b [8 columns]: (g, t), (g, t+4)
// (PTX ISA, "Matrix Fragments for mma.m16n8k16 / m16n8k8".)

/// 16 products deep.
__device__ inline void mma_f16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[2]), "r"(a[3]), "r"(b[1]));
#endif
}

/// 16 products deep. Compute capability 8.0 and up; the host sees to it that older ones never get here.
__device__ inline void mma_bf16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  __trap();
#endif
}

/// 8 products deep. Compute capability 8.0 and up, likewise.
__device__ inline void mma_tf32(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  __trap();
#endif
}

// The same for tiles of fragments, d[i][j] += a[i]·b[j].
template <typename Mma, int Down, int Across>
__device__ inline void mma_tile(const Mma& mma, float (&d)[Down][Across][4], const uint32_t (&a)[Down][4],
                                const uint32_t (&b)[Across][2]) {
#pragma unroll
  for (int i = 0; i < Down; ++i) {
#pragma unroll
    for (int j = 0; j < Across; ++j) mma(d[i][j], a[i], b[j]);
  }
}

using OneFragment = float (&)[4];
using LeftFragment = const uint32_t (&)[4];
using RightFragment = const uint32_t (&)[2];

template <int Down, int Across>
__device__ inline void mma_f16(float (&d)[Down][Across][4], const uint32_t (&a)[Down][4],
                               const uint32_t (&b)[Across][2]) {
  mma_tile([](OneFragment x, LeftFragment l, RightFragment r) { mma_f16(x, l, r); }, d, a, b);
}
template <int Down, int Across>
__device__ inline void mma_bf16(float (&d)[Down][Across][4], const uint32_t (&a)[Down][4],
                                const uint32_t (&b)[Across][2]) {
  mma_tile([](OneFragment x, LeftFragment l, RightFragment r) { mma_bf16(x, l, r); }, d, a, b);
}
template <int Down, int Across>
__device__ inline void mma_tf32(float (&d)[Down][Across][4], const uint32_t (&a)[Down][4],
                                const uint32_t (&b)[Across][2]) {
  mma_tile([](OneFragment x, LeftFragment l, RightFragment r) { mma_tf32(x, l, r); }, d, a, b);
}

}  // namespace hayakoe::device::cuda
