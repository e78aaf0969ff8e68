// SPDX-License-Identifier: Apache-2.0
#include "audio/samples.hpp"

#include <cmath>

namespace hayakoe::audio {
namespace {

// In double the product is exact and so is adding a half, so the rounding is right for every float.
template <typename Int>
Int to_integer(float sample, double full_scale) {
  const double scaled = static_cast<double>(to_unit(sample)) * full_scale;
  return static_cast<Int>(scaled + (scaled < 0 ? -0.5 : 0.5));
}

}  // namespace

std::int16_t to_pcm16(float sample) { return to_integer<std::int16_t>(sample, 32767.0); }

std::int32_t to_pcm24(float sample) { return to_integer<std::int32_t>(sample, 8388607.0); }

float to_finite(float sample) { return std::isinf(sample) || std::isnan(sample) ? to_unit(sample) : sample; }

float to_unit(float sample) {
  if (std::isnan(sample)) {
    return 0.0F;
  }
  return sample > 1.0F ? 1.0F : (sample < -1.0F ? -1.0F : sample);
}

float peak(std::span<const float> samples) {
  float highest = 0.0F;
  for (const float sample : samples) {
    const float magnitude = std::fabs(sample);
    highest = magnitude > highest ? magnitude : highest;  // false for NaN
  }
  return highest;
}

void scale_to_peak(std::span<float> samples, float target) {
  const float highest = peak(samples);
  if (highest == 0.0F || std::isinf(highest)) {
    return;
  }
  const double factor = static_cast<double>(target) / static_cast<double>(highest);
  for (float& sample : samples) {
    sample = static_cast<float>(static_cast<double>(sample) * factor);
  }
}

}  // namespace hayakoe::audio
