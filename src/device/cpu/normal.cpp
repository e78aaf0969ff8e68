// SPDX-License-Identifier: Apache-2.0
// Noise that depends on its place alone, not on what was drawn before.
#include <cmath>
#include <hayakoe/error.hpp>
#include <numbers>

#include "device/cpu/cpu_device.hpp"
#include "device/philox.hpp"

namespace hayakoe::device {
namespace {

// (0, 1], never 0: its logarithm is taken. 24 bits, the precision of a float.
float uniform(uint32_t bits) { return (static_cast<float>(bits >> 8U) + 1.0F) * 0x1.0p-24F; }

// Two normal values from two words (Box and Muller 1958).
void box_muller(uint32_t a, uint32_t b, float* out) {
  const float radius = std::sqrt(-2.0F * std::log(uniform(a)));
  const float angle = 2.0F * std::numbers::pi_v<float> * uniform(b);
  out[0] = radius * std::cos(angle);
  out[1] = radius * std::sin(angle);
}

}  // namespace

Tensor CpuStream::normal(const Segments& s, int64_t cols, std::span<const uint64_t> keys) {
  if (static_cast<int64_t>(keys.size()) != s.count()) throw Error("normal: one key a segment is needed");
  Tensor y = allocate(s.rows(), cols);
  for (int64_t i = 0; i < s.count(); ++i) {
    const uint64_t key = keys[static_cast<size_t>(i)];
    const std::array<uint32_t, 2> words{static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32U)};
    pool_->for_each(s.length(i), cols * 8, [&](int64_t t) {
      float* row = row_of(y, s.begin(i) + t);
      for (int64_t c = 0; c < cols; c += 4) {
        const auto bits = philox4x32({static_cast<uint32_t>(c / 4), static_cast<uint32_t>(t), 0, 0}, words);
        float four[4];
        box_muller(bits[0], bits[1], four);
        box_muller(bits[2], bits[3], four + 2);
        for (int64_t j = 0; j < 4 && c + j < cols; ++j) row[c + j] = four[j];
      }
    });
  }
  return y;
}

}  // namespace hayakoe::device
