// SPDX-License-Identifier: Apache-2.0
// Noise that depends on its place alone, not on what was drawn before.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "device/host_device.hpp"

namespace hayakoe::device {

/// Not std::array: GPU code cannot call its members.
struct PhiloxWords {
  uint32_t word[4];
  constexpr bool operator==(const PhiloxWords&) const = default;
};
struct PhiloxKey {
  uint32_t word[2];
};

/// Philox-4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011): four
/// random words that depend only on the counter and the key.
HAYAKOE_HOST_DEVICE constexpr PhiloxWords philox4x32(PhiloxWords counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53U} * counter.word[0];
    const uint64_t b = uint64_t{0xCD9E8D57U} * counter.word[2];
    counter = {{static_cast<uint32_t>(b >> 32U) ^ counter.word[1] ^ key.word[0], static_cast<uint32_t>(b),
                static_cast<uint32_t>(a >> 32U) ^ counter.word[3] ^ key.word[1], static_cast<uint32_t>(a)}};
    key.word[0] += 0x9E3779B9U;
    key.word[1] += 0xBB67AE85U;
  }
  return counter;
}

/// (0, 1], never 0: its logarithm is taken. 24 bits, the precision of a float.
HAYAKOE_HOST_DEVICE constexpr float uniform(uint32_t bits) {
  return (static_cast<float>(bits >> 8U) + 1.0F) * 0x1.0p-24F;
}

/// Two normal values from two words (Box and Muller 1958).
HAYAKOE_HOST_DEVICE inline void box_muller(uint32_t a, uint32_t b, float* out) {
  const float radius = std::sqrt(-2.0F * std::log(uniform(a)));
  const float angle = 2.0F * std::numbers::pi_v<float> * uniform(b);
  out[0] = radius * std::cos(angle);
  out[1] = radius * std::sin(angle);
}

/// The values of columns 4·quad … 4·quad + 3 of a row of standard normal noise.
HAYAKOE_HOST_DEVICE inline void normal_quad(uint64_t key, uint32_t row, uint32_t quad, float (&out)[4]) {
  const PhiloxWords bits =
      philox4x32({{quad, row, 0, 0}}, {{static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32U)}});
  box_muller(bits.word[0], bits.word[1], out);
  box_muller(bits.word[2], bits.word[3], out + 2);
}

}  // namespace hayakoe::device
