// SPDX-License-Identifier: Apache-2.0
// 16-bit floats on the host.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace hayakoe::device {

/// The nearest bfloat16, ties to even; NaN stays NaN.
inline uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16U) | 0x40U);
  return static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

/// The nearest IEEE half, ties to even; beyond its range the largest one.
inline uint16_t to_f16(float value) {
  constexpr float kLargest = 65504.0F;
  constexpr float kLeastNormal = 0x1p-14F;
  const auto sign = static_cast<uint16_t>((std::bit_cast<uint32_t>(value) >> 16U) & 0x8000U);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7E00U);
  const float size = std::min(std::abs(value), kLargest);
  // Subnormal: a whole number of 2^-24. nearbyint() rounds halves to even.
  if (size < kLeastNormal) return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::nearbyint(size * 0x1p24F)));
  const auto bits = std::bit_cast<uint32_t>(size);
  const uint32_t rounded = bits + 0xFFFU + ((bits >> 13U) & 1U);
  constexpr uint32_t kBias = (127U - 15U) << 23U;
  return static_cast<uint16_t>(sign | ((rounded - kBias) >> 13U));
}

}  // namespace hayakoe::device
