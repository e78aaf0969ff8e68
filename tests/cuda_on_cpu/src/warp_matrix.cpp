// SPDX-License-Identifier: Apache-2.0
// The matrix products of a warp: the lanes' fragments are gathered into matrices of floats, eight columns at a time
// multiplied, and the sums put back where the lanes have them.
#include <bit>
#include <cmath>
#include <cstring>

#include "device/cuda/ptx.cuh"

namespace hayakoe::device::cuda {
namespace {

#define CUDA_ON_CPU_INLINE inline __attribute__((always_inline))

using Exchange = cuda_on_cpu::WarpExchange;

constexpr int kRows = 16, kColumns = 8, kWords = 8;
using Floats = float __attribute__((vector_size(32)));
using Words = uint32_t __attribute__((vector_size(32)));

CUDA_ON_CPU_INLINE void half_to_float(const Words& half, Floats& out) {
  const Words sign = (half & 0x8000U) << 16;
  const Words magnitude = (half & 0x7fffU) << 13;
  const Words exponent = magnitude & 0x0f800000U;
  // Subnormal halves: let the float's subtraction normalise them.
  const Floats subnormal = reinterpret_cast<Floats>(magnitude + (113U << 23)) - std::bit_cast<float>(113U << 23);
  const Words normal = magnitude + (127U - 15U) * (1U << 23);
  const Words endless = magnitude + (255U - 31U) * (1U << 23);
  const Words bits = exponent == 0 ? reinterpret_cast<Words>(subnormal) : (exponent == 0x0f800000U ? endless : normal);
  out = reinterpret_cast<Floats>(bits | sign);
}

// What a word of 32 bits holds: kValues numbers.
struct F16 {
  static constexpr int kValues = 2;
  static CUDA_ON_CPU_INLINE void unpack(const Words& words, Floats (&out)[2]) {
    half_to_float(words & 0xffffU, out[0]);
    half_to_float(words >> 16, out[1]);
  }
};
struct BF16 {
  static constexpr int kValues = 2;
  static CUDA_ON_CPU_INLINE void unpack(const Words& words, Floats (&out)[2]) {
    out[0] = reinterpret_cast<Floats>(words << 16);
    out[1] = reinterpret_cast<Floats>(words & 0xffff0000U);
  }
};
struct TF32 {
  static constexpr int kValues = 1;
  static CUDA_ON_CPU_INLINE void unpack(const Words& words, Floats (&out)[1]) {
    out[0] = reinterpret_cast<Floats>(words & 0xffffe000U);  // the hardware doesn't look at the rest
  }
};

/// a's rows, b's words by columns; of each the first (lower), then the second value of all words.
template <typename Format>
struct Left {
  Floats values[kRows][Format::kValues];
};
template <typename Format>
struct Right {
  Floats values[kWords][Format::kValues];
};

template <typename Format>
CUDA_ON_CPU_INLINE void gather_left(const Exchange& warp, int down, Left<Format>& left) {
  alignas(32) uint32_t words[kRows][kWords];
  for (unsigned l = 0; l < cuda_on_cpu::kWarp; ++l) {
    const uint32_t* const a = warp.a[l] + 4 * down;
    const unsigned g = l / 4, t = l % 4;
    words[g][t] = a[0];
    words[g + 8][t] = a[1];
    words[g][t + 4] = a[2];
    words[g + 8][t + 4] = a[3];
  }
  for (int row = 0; row < kRows; ++row) {
    Words w;
    std::memcpy(&w, words[row], sizeof(w));
    Format::unpack(w, left.values[row]);
  }
}

template <typename Format>
CUDA_ON_CPU_INLINE void gather_right(const Exchange& warp, int across, Right<Format>& right) {
  alignas(32) uint32_t words[kWords][kColumns];
  for (unsigned l = 0; l < cuda_on_cpu::kWarp; ++l) {
    const uint32_t* const b = warp.b[l] + 2 * across;
    const unsigned g = l / 4, t = l % 4;
    words[t][g] = b[0];
    words[t + 4][g] = b[1];
  }
  for (int word = 0; word < kWords; ++word) {
    Words w;
    std::memcpy(&w, words[word], sizeof(w));
    Format::unpack(w, right.values[word]);
  }
}

/// Four rows' sums, from their values and b.
template <typename Format>
CUDA_ON_CPU_INLINE void multiply_rows(const Left<Format>& left, const Right<Format>& right, int row,
                                      Floats (&sums)[kRows]) {
  Floats s0 = sums[row], s1 = sums[row + 1], s2 = sums[row + 2], s3 = sums[row + 3];
  for (int word = 0; word < kWords; ++word) {
    for (int v = 0; v < Format::kValues; ++v) {
      const Floats b = right.values[word][v];
      s0 += left.values[row][v][word] * b;
      s1 += left.values[row + 1][v][word] * b;
      s2 += left.values[row + 2][v][word] * b;
      s3 += left.values[row + 3][v][word] * b;
    }
  }
  sums[row] = s0;
  sums[row + 1] = s1;
  sums[row + 2] = s2;
  sums[row + 3] = s3;
}

template <typename Format>
CUDA_ON_CPU_INLINE void multiply(const Exchange& warp, int fragment, const Left<Format>& left,
                                 const Right<Format>& right) {
  Floats sums[kRows];
  const auto pair = [&](unsigned row, unsigned t) { return reinterpret_cast<char*>(sums) + (row * 8 + 2 * t) * 4; };
  for (unsigned l = 0; l < cuda_on_cpu::kWarp; ++l) {
    const float* const d = warp.d[l] + 4 * fragment;
    std::memcpy(pair(l / 4, l % 4), d, 8);
    std::memcpy(pair(l / 4 + 8, l % 4), d + 2, 8);
  }
  for (int row = 0; row < kRows; row += 4) multiply_rows(left, right, row, sums);
  for (unsigned l = 0; l < cuda_on_cpu::kWarp; ++l) {
    float* const d = warp.d[l] + 4 * fragment;
    std::memcpy(d, pair(l / 4, l % 4), 8);
    std::memcpy(d + 2, pair(l / 4 + 8, l % 4), 8);
  }
}

template <typename Format>
CUDA_ON_CPU_INLINE void multiply_tile(const Exchange& warp) {
  Right<Format> right[kMostFragments];
  for (int j = 0; j < warp.across; ++j) gather_right(warp, j, right[j]);
  for (int i = 0; i < warp.down; ++i) {
    Left<Format> left;
    gather_left(warp, i, left);
    for (int j = 0; j < warp.across; ++j) multiply(warp, i * warp.across + j, left, right[j]);
  }
}

// The same code for processors that have wide vectors and for all others.
#if defined(__x86_64__)
template <typename Format>
__attribute__((target("avx2,fma"))) void multiply_wide(const Exchange& warp) {
  multiply_tile<Format>(warp);
}
bool has_wide_vectors() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
template <typename Format>
void multiply_wide(const Exchange& warp) {
  multiply_tile<Format>(warp);
}
bool has_wide_vectors() { return false; }
#endif

template <typename Format>
void multiply_anyhow(const Exchange& warp) {
  multiply_tile<Format>(warp);
}

template <typename Format>
void multiply_here(const Exchange& warp) {
  static const bool wide = has_wide_vectors();
  if (wide) {
    multiply_wide<Format>(warp);
  } else {
    multiply_anyhow<Format>(warp);
  }
}

void check_capability(const char* name) {
  if (cuda_on_cpu::compute_capability() < 80) {
    cuda_on_cpu::device_fault("%s needs compute capability 8.0, this device has %d.%d", name,
                              cuda_on_cpu::compute_capability() / 10, cuda_on_cpu::compute_capability() % 10);
  }
}

}  // namespace

void multiply_f16(Exchange& warp) { multiply_here<F16>(warp); }

void multiply_bf16(Exchange& warp) {
  check_capability("mma_bf16");
  multiply_here<BF16>(warp);
}

void multiply_tf32(Exchange& warp) {
  check_capability("mma_tf32");
  multiply_here<TF32>(warp);
}

uint16_t half_bits(float x) {
  constexpr float kLargest = 65504.0F;
  x = fminf(fmaxf(x, -kLargest), kLargest);
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t sign = (bits >> 16) & 0x8000U;
  const uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude < 0x38800000U) {
    // Below 2^-14: adding 0.5 leaves multiples of 2^-24, rounded to nearest even, in the mantissa's lowest bits.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000U));
  }
  const uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13) & 1U);
  return static_cast<uint16_t>(sign | ((rounded - (112U << 23)) >> 13));
}

}  // namespace hayakoe::device::cuda
