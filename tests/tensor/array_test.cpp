// SPDX-License-Identifier: Apache-2.0
#include "tensor/array.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "file_helpers.hpp"

namespace hayakoe::tensor {
namespace {

using test::expect_error;
using test::le;

// Straight from the definition of IEEE 754 binary formats, in arithmetic instead of bit moves.
double slow_float(unsigned bits, int exponent_bits, int mantissa_bits) {
  const unsigned mantissa = bits % (1U << mantissa_bits);
  const unsigned exponent = bits / (1U << mantissa_bits) % (1U << exponent_bits);
  const double sign = bits / (1U << (mantissa_bits + exponent_bits)) == 1 ? -1 : 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1U << exponent_bits) - 1) {
    return mantissa == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  const double fraction = static_cast<double>(mantissa) / (1U << mantissa_bits);
  return exponent == 0 ? sign * std::ldexp(fraction, 1 - bias)
                       : sign * std::ldexp(1 + fraction, static_cast<int>(exponent) - bias);
}

std::vector<std::byte> all_patterns() {
  std::vector<std::byte> bytes(2 * 65536);
  for (unsigned i = 0; i < 65536; ++i) {
    bytes[2 * i] = static_cast<std::byte>(i & 255U);
    bytes[2 * i + 1] = static_cast<std::byte>(i >> 8);
  }
  return bytes;
}

void expect_same(float got, double want, unsigned pattern) {
  if (std::isnan(want)) {
    ASSERT_TRUE(std::isnan(got)) << pattern;
    ASSERT_EQ(std::signbit(got), (pattern & 0x8000U) != 0) << pattern;
  } else {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(static_cast<float>(want))) << pattern;
    ASSERT_EQ(static_cast<double>(got), want) << pattern;
  }
}

TEST(Array, EveryF16) {
  const auto bytes = all_patterns();
  const auto values = to_f32({DType::kF16, {256, 256}, bytes});
  ASSERT_EQ(values.size(), 65536U);
  for (unsigned i = 0; i < 65536; ++i) {
    expect_same(values[i], slow_float(i, 5, 10), i);
    expect_same(f16_to_f32(static_cast<std::uint16_t>(i)), slow_float(i, 5, 10), i);
  }
}

TEST(Array, EveryBF16) {
  const auto bytes = all_patterns();
  const auto values = to_f32({DType::kBF16, {65536}, bytes});
  ASSERT_EQ(values.size(), 65536U);
  for (unsigned i = 0; i < 65536; ++i) {
    expect_same(values[i], slow_float(i, 8, 7), i);
    expect_same(bf16_to_f32(static_cast<std::uint16_t>(i)), slow_float(i, 8, 7), i);
  }
}

TEST(Array, ReadsFromAnyAddress) {
  for (std::size_t offset = 0; offset < 8; ++offset) {
    std::string text(offset, 'x');
    for (int i = 0; i < 37; ++i) {
      text += le(1.5 * i);
    }
    const auto bytes = test::as_bytes(text).subspan(offset);
    const auto doubles = to_f32({DType::kF64, {37}, bytes});
    for (int i = 0; i < 37; ++i) {
      EXPECT_EQ(doubles[static_cast<std::size_t>(i)], 1.5F * static_cast<float>(i));
    }
    EXPECT_EQ(to_f32({DType::kF32, {2, 37}, bytes}).size(), 74U);
    EXPECT_EQ(to_f32({DType::kF16, {148}, bytes})[147], f16_to_f32(0x404b));  // the upper end of 54.0
    EXPECT_EQ(to_i64({DType::kI64, {37}, bytes})[1], 0x3ff8000000000000);
  }
}

TEST(Array, DoublesRoundAndOverflowToInfinity) {
  const std::string text = le(0.1) + le(1e300) + le(-1e300) + le(std::numeric_limits<double>::quiet_NaN());
  const auto values = to_f32({DType::kF64, {4}, test::as_bytes(text)});
  EXPECT_EQ(values[0], 0.1F);
  EXPECT_EQ(values[1], std::numeric_limits<float>::infinity());
  EXPECT_EQ(values[2], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(values[3]));
}

TEST(Array, Integers) {
  const std::string bytes = std::string("\x80\x01\xff\x7f\x00\x00\x00\xf0", 8);
  const auto view = test::as_bytes(bytes);
  using Values = std::vector<std::int64_t>;
  EXPECT_EQ(to_i64({DType::kI8, {8}, view}), (Values{-128, 1, -1, 127, 0, 0, 0, -16}));
  EXPECT_EQ(to_i64({DType::kU8, {8}, view}), (Values{128, 1, 255, 127, 0, 0, 0, 240}));
  EXPECT_EQ(to_i64({DType::kBool, {2, 4}, view}), (Values{1, 1, 1, 1, 0, 0, 0, 1}));
  EXPECT_EQ(to_i64({DType::kI16, {4}, view}), (Values{0x0180, 0x7fff, 0, -4096}));
  EXPECT_EQ(to_i64({DType::kI32, {2}, view}), (Values{0x7fff0180, -268435456}));
  EXPECT_EQ(to_i64({DType::kI64, {}, view}), (Values{-0x0fffffff8000fe80}));
}

TEST(Array, EmptyAndScalar) {
  EXPECT_TRUE(to_f32({DType::kF32, {3, 0, 2}, {}}).empty());
  EXPECT_TRUE(to_i64({DType::kI8, {0}, {}}).empty());
  const std::string one = le(2.5F);
  EXPECT_EQ(to_f32({DType::kF32, {}, test::as_bytes(one)}), std::vector<float>{2.5F});
}

TEST(Array, Shapes) {
  EXPECT_EQ(shape_string(std::vector<std::int64_t>{}), "[]");
  EXPECT_EQ(shape_string(std::vector<std::int64_t>{7}), "[7]");
  EXPECT_EQ(shape_string(std::vector<std::int64_t>{1, 2, 3}), "[1, 2, 3]");
  constexpr std::int64_t kBig = std::int64_t{1} << 32;
  EXPECT_EQ(element_count(std::vector<std::int64_t>{kBig, kBig / 4, 1}), kBig * (kBig / 4));
  expect_error([] { (void)element_count(std::vector<std::int64_t>{kBig, kBig / 2}); }, {"[4294967296, 2147483648]"});
  expect_error([] { (void)element_count(std::vector<std::int64_t>{kBig, 0, kBig}); }, {"64-bit"});
  expect_error([] { (void)element_count(std::vector<std::int64_t>{3, -1}); }, {"[3, -1]", "negative"});
}

TEST(Array, WrongTypesAndSizes) {
  const std::string text(8, '\0');
  const auto bytes = test::as_bytes(text);
  expect_error([&] { (void)to_f32({DType::kI64, {1}, bytes}); }, {"I64", "F32"});
  expect_error([&] { (void)to_i64({DType::kF16, {4}, bytes}); }, {"F16", "I64"});
  expect_error([&] { (void)to_f32({DType::kF32, {3}, bytes}); }, {"[3]", "8 bytes"});
  expect_error([&] { (void)to_f32({DType::kF32, {std::int64_t{1} << 62}, bytes}); }, {"8 bytes"});
  expect_error([&] { (void)to_i64({DType::kI64, {1}, bytes.subspan(1)}); }, {"7 bytes"});
  std::vector<float> room(3);
  expect_error([&] { to_f32({DType::kF32, {2}, bytes}, room); }, {"3"});
}

TEST(Array, DTypes) {
  EXPECT_EQ(dtype_size(DType::kF32), 4U);
  EXPECT_EQ(dtype_size(DType::kF16), 2U);
  EXPECT_EQ(dtype_size(DType::kBF16), 2U);
  EXPECT_EQ(dtype_size(DType::kF64), 8U);
  EXPECT_EQ(dtype_size(DType::kI64), 8U);
  EXPECT_EQ(dtype_size(DType::kI32), 4U);
  EXPECT_EQ(dtype_size(DType::kI16), 2U);
  EXPECT_EQ(dtype_size(DType::kI8), 1U);
  EXPECT_EQ(dtype_size(DType::kU8), 1U);
  EXPECT_EQ(dtype_size(DType::kBool), 1U);
  EXPECT_EQ(dtype_name(DType::kBF16), "BF16");
  EXPECT_EQ(dtype_name(DType::kBool), "BOOL");
}

}  // namespace
}  // namespace hayakoe::tensor
