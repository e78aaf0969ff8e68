// SPDX-License-Identifier: Apache-2.0
// Numbers of 16 and 19 bits and the tensor cores' products. Where a fragment's elements lie is written here element by
// element, as the PTX manual has it ("Matrix Fragments for mma.m16n8k16" and "… m16n8k8").
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "device/cuda/ptx.cuh"
#include "test_helpers.hpp"

namespace cuda_on_cpu::test {
namespace {

using namespace hayakoe::device::cuda;

enum class Format { kF16, kBF16, kTF32 };
constexpr int depth_of(Format f) { return f == Format::kTF32 ? 8 : 16; }

/// A value of IEEE 754 binary16, by its definition.
double value_of_half(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31U);
  const int fraction = static_cast<int>(bits & 1023U);
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

unsigned half_of(float x) { return pack_f16(x, 0.0F) & 0xffffU; }

TEST(Half, RoundsToNearestEven) {
  // Every finite half, and what lies halfway to the next.
  for (unsigned bits = 0; bits < 0x7bffU; ++bits) {
    const auto value = static_cast<float>(value_of_half(bits));
    const auto next = static_cast<float>(value_of_half(bits + 1));
    const float middle = (value + next) / 2;  // exact in a float
    ASSERT_EQ(half_of(value), bits);
    ASSERT_EQ(half_of(middle), bits % 2 == 0 ? bits : bits + 1) << bits;
    ASSERT_EQ(half_of(std::nextafter(middle, 0.0F)), bits) << bits;
    ASSERT_EQ(half_of(std::nextafter(middle, 1e9F)), bits + 1) << bits;
    ASSERT_EQ(half_of(-middle), 0x8000U | half_of(middle)) << bits;
  }
}

TEST(Half, BeyondTheRangeIsTheLargest) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(pack_f16(65504.0F, 65520.0F), 0x7bff7bffU);
  EXPECT_EQ(pack_f16(1e30F, -1e30F), 0xfbff7bffU);
  EXPECT_EQ(pack_f16(infinity, -infinity), 0xfbff7bffU);
  EXPECT_EQ(pack_f16(1.0F, -2.0F), 0xc0003c00U);
  EXPECT_EQ(pack_f16(-0.0F, 0.0F), 0x00008000U);
}

TEST(BFloat16, RoundsToNearestEven) {
  EXPECT_EQ(pack_bf16(1.0F, -2.0F), 0xc0003f80U);
  EXPECT_EQ(pack_bf16(1.0F + 0x1p-8F, 1.0F + 0x3p-8F), 0x3f823f80U);  // halfway: to the even one
  EXPECT_EQ(pack_bf16(1.0F + 0x1.1p-8F, 1.0F + 0x0.fp-8F), 0x3f803f81U);
  EXPECT_EQ(pack_bf16(std::numeric_limits<float>::max(), std::numeric_limits<float>::infinity()), 0x7f807f80U);
  EXPECT_EQ(pack_bf16(0x1p-133F, std::nanf("")), 0x7fff0001U);
}

TEST(TF32, RoundsTiesAwayFromZero) {
  const auto rounded = [](float x) { return __uint_as_float(round_tf32(x)); };
  EXPECT_EQ(rounded(1.0F), 1.0F);
  EXPECT_EQ(rounded(1.0F + 0x1p-11F), 1.0F + 0x1p-10F);
  EXPECT_EQ(rounded(-1.0F - 0x1p-11F), -1.0F - 0x1p-10F);
  EXPECT_EQ(rounded(1.0F + 0x1.8p-12F), 1.0F);
  EXPECT_EQ(rounded(1.0F + 0x3p-11F), 1.0F + 0x2p-10F);
  EXPECT_EQ(rounded(2.0F - 0x1p-11F), 2.0F);
}

template <Format F>
__device__ uint32_t bits_of(float x) {
  if (F == Format::kF16) return pack_f16(x, 0.0F) & 0xffffU;
  if (F == Format::kBF16) return pack_bf16(x, 0.0F) & 0xffffU;
  return round_tf32(x);
}

// Puts element i of a lane's fragment into its registers: two to a register, or one.
template <Format F>
__device__ void set_element(uint32_t* registers, int i, float x) {
  if (F == Format::kTF32) {
    registers[i] = bits_of<F>(x);
  } else {
    registers[i / 2] |= bits_of<F>(x) << (i % 2 * 16);
  }
}

template <Format F>
__device__ void load_a(uint32_t (&registers)[4], const float* a, int stride) {
  const int group = static_cast<int>(threadIdx.x) >> 2, in_group = static_cast<int>(threadIdx.x) % 4;
  for (uint32_t& r : registers) r = 0;
  if (F == Format::kTF32) {
    for (int i = 0; i < 4; ++i) {
      const int row = i == 0 || i == 2 ? group : group + 8;
      const int column = i == 0 || i == 1 ? in_group : in_group + 4;
      set_element<F>(registers, i, a[row * stride + column]);
    }
  } else {
    for (int i = 0; i < 8; ++i) {
      const int row = (i >= 0 && i < 2) || (i >= 4 && i < 6) ? group : group + 8;
      const int column = i < 4 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8;
      set_element<F>(registers, i, a[row * stride + column]);
    }
  }
}

template <Format F>
__device__ void load_b(uint32_t (&registers)[2], const float* b, int stride) {
  const int group = static_cast<int>(threadIdx.x) >> 2, in_group = static_cast<int>(threadIdx.x) % 4;
  for (uint32_t& r : registers) r = 0;
  if (F == Format::kTF32) {
    for (int i = 0; i < 2; ++i) set_element<F>(registers, i, b[(i == 0 ? in_group : in_group + 4) * stride + group]);
  } else {
    for (int i = 0; i < 4; ++i) {
      const int row = i < 2 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8;
      set_element<F>(registers, i, b[row * stride + group]);
    }
  }
}

__device__ int row_of_sum(int i) { return static_cast<int>(threadIdx.x) / 4 + (i < 2 ? 0 : 8); }
__device__ int column_of_sum(int i) { return static_cast<int>(threadIdx.x) % 4 * 2 + (i & 1); }

template <Format F, typename D, typename A, typename B>
__device__ void mma(D& d, const A& a, const B& b) {
  if constexpr (F == Format::kF16) mma_f16(d, a, b);
  if constexpr (F == Format::kBF16) mma_bf16(d, a, b);
  if constexpr (F == Format::kTF32) mma_tf32(d, a, b);
}

// d += a·b for a [16·kDown, depth], b [depth, 8·kAcross], fragment by fragment or all at once.
template <Format F, int kDown, int kAcross, bool kAtOnce>
__global__ void multiply(float* d, const float* a, const float* b) {
  constexpr int kDepth = depth_of(F), kColumns = 8 * kAcross;
  uint32_t left[kDown][4], right[kAcross][2];
  float sums[kDown][kAcross][4];
  for (int i = 0; i < kDown; ++i) load_a<F>(left[i], a + i * 16 * kDepth, kDepth);
  for (int j = 0; j < kAcross; ++j) load_b<F>(right[j], b + j * 8, kColumns);
  const auto at = [](int i, int j, int e) { return (16 * i + row_of_sum(e)) * kColumns + 8 * j + column_of_sum(e); };
  for (int i = 0; i < kDown; ++i)
    for (int j = 0; j < kAcross; ++j)
      for (int e = 0; e < 4; ++e) sums[i][j][e] = d[at(i, j, e)];
  if constexpr (kAtOnce) {
    mma<F>(sums, left, right);
  } else {
    for (int i = 0; i < kDown; ++i)
      for (int j = 0; j < kAcross; ++j) mma<F>(sums[i][j], left[i], right[j]);
  }
  for (int i = 0; i < kDown; ++i)
    for (int j = 0; j < kAcross; ++j)
      for (int e = 0; e < 4; ++e) d[at(i, j, e)] = sums[i][j][e];
}

struct Matrices {
  std::vector<float> d, a, b;
};

/// Whole numbers, so that every format and sum is exact.
template <Format F, int kDown, int kAcross>
Matrices whole_numbers() {
  constexpr size_t kDepth = depth_of(F);
  Matrices m{std::vector<float>(kDown * 16 * kAcross * 8), std::vector<float>(kDown * 16 * kDepth),
             std::vector<float>(kDepth * kAcross * 8)};
  std::mt19937 random(5);
  for (auto* values : {&m.d, &m.a, &m.b})
    for (float& x : *values) x = static_cast<float>(static_cast<int>(random() % 201) - 100);
  return m;
}

template <Format F, int kDown, int kAcross, bool kAtOnce>
std::vector<float> product(const Matrices& m) {
  const DeviceArray<float> d(m.d), a(m.a), b(m.b);
  expect_success(launch({1, 32}, multiply<F, kDown, kAcross, kAtOnce>, d.data(), a.data(), b.data()));
  return d.get();
}

template <int kDown, int kAcross>
std::vector<float> plain_product(const Matrices& m, size_t depth) {
  std::vector<float> d(m.d.size());
  constexpr size_t kColumns = 8 * kAcross;
  for (size_t i = 0; i < 16 * kDown; ++i) {
    for (size_t j = 0; j < kColumns; ++j) {
      double sum = m.d[i * kColumns + j];
      for (size_t k = 0; k < depth; ++k) sum += double{m.a[i * depth + k]} * m.b[k * kColumns + j];
      d[i * kColumns + j] = static_cast<float>(sum);
    }
  }
  return d;
}

template <Format F>
void expect_products() {
  for (const Order order : kOrders) {
    const InOrder in_order(order);
    const Matrices one = whole_numbers<F, 1, 1>();
    EXPECT_EQ((product<F, 1, 1, false>(one)), (plain_product<1, 1>(one, depth_of(F))));
    const Matrices tile = whole_numbers<F, 3, 2>();
    EXPECT_EQ((product<F, 3, 2, false>(tile)), (plain_product<3, 2>(tile, depth_of(F))));
    EXPECT_EQ((product<F, 3, 2, true>(tile)), (plain_product<3, 2>(tile, depth_of(F))));
  }
}

TEST(TensorCores, MultiplyHalves) { expect_products<Format::kF16>(); }
TEST(TensorCores, MultiplyBFloat16) { expect_products<Format::kBF16>(); }
TEST(TensorCores, MultiplyTF32) { expect_products<Format::kTF32>(); }

// One value of a times 1.
__global__ void show_half(float* values, unsigned first) {
  for (unsigned i = 0; i < 256; ++i) {
    float d[4] = {};
    const uint32_t a[4] = {threadIdx.x == 0 ? first + i : 0, 0, 0, 0};
    const uint32_t b[2] = {threadIdx.x == 0 ? pack_f16(1.0F, 0.0F) : 0, 0};
    mma_f16(d, a, b);
    if (threadIdx.x == 0) values[first + i] = d[0];
  }
}

TEST(TensorCores, KnowEveryHalf) {
  const DeviceArray<float> values(65536);
  for (unsigned first = 0; first < 65536; first += 256)
    expect_success(launch({1, 32}, show_half, values.data(), first));
  const std::vector<float> seen = values.get();
  for (unsigned bits = 0; bits < 65536; ++bits) {
    if ((bits & 0x7c00U) != 0x7c00U) {
      ASSERT_EQ(seen[bits], static_cast<float>(value_of_half(bits))) << bits;
    } else if ((bits & 1023U) != 0) {
      ASSERT_TRUE(std::isnan(seen[bits])) << bits;
    }
  }
  EXPECT_EQ(seen[0x7c00], std::numeric_limits<float>::infinity());
  EXPECT_EQ(seen[0xfc00], -std::numeric_limits<float>::infinity());
}

__global__ void square_unrounded(float* out, float x) {
  float d[4] = {};
  const uint32_t bits = threadIdx.x == 0 ? __float_as_uint(x) : 0;
  const uint32_t a[4] = {bits, 0, 0, 0};
  const uint32_t b[2] = {bits, 0};
  mma_tf32(d, a, b);
  if (threadIdx.x == 0) *out = d[0];
}

TEST(TensorCores, DoNotSeeWhatTF32LeavesOut) {
  const DeviceArray<float> out(1);
  const float x = 1.0F + 0x1p-9F;
  expect_success(launch({1, 32}, square_unrounded, out.data(), x + 0x1.fp-11F));
  EXPECT_EQ(out.get()[0], x * x);
}

__global__ void multiply_zeros(int format) {
  float d[4] = {};
  const uint32_t a[4] = {}, b[2] = {};
  if (format == 0) mma_f16(d, a, b);
  if (format == 1) mma_bf16(d, a, b);
  if (format == 2) mma_tf32(d, a, b);
}

TEST(TensorCoresDeathTest, OfOldDevicesMultiplyHalvesOnly) {
  const auto run_on_turing = [](int format) {
    cuda_on_cpu_set_compute_capability(75);
    launch({1, 32}, multiply_zeros, format);
    cudaDeviceSynchronize();
    cuda_on_cpu_set_compute_capability(90);
  };
  run_on_turing(0);
  EXPECT_DEATH(run_on_turing(1), "mma_bf16 needs compute capability 8.0, this device has 7.5");
  EXPECT_DEATH(run_on_turing(2), "mma_tf32 needs compute capability 8.0, this device has 7.5");
}

}  // namespace
}  // namespace cuda_on_cpu::test
