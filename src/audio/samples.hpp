// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace hayakoe::audio {

/// A sample as a 16-bit integer: x * 32767 rounded to the nearest integer, halves away from zero, so that full scale is
/// symmetric (1 -> 32767, -1 -> -32767). What lies outside [-1, 1] is clipped; NaN becomes 0.
[[nodiscard]] std::int16_t to_pcm16(float sample);

/// The same with 24 bits: x * 8388607.
[[nodiscard]] std::int32_t to_pcm24(float sample);

/// What a file of floats gets: finite samples as they are, even beyond [-1, 1]; infinities become +-1 and NaN 0.
[[nodiscard]] float to_finite(float sample);

/// Clipped to [-1, 1]; NaN becomes 0.
[[nodiscard]] float to_unit(float sample);

/// The largest magnitude; 0 for no samples. NaN counts as 0.
[[nodiscard]] float peak(std::span<const float> samples);

/// Multiplies all samples by target / peak(samples), so that the loudest gets the magnitude `target` (>= 0, 1 = full
/// scale). Silence stays silence. Samples so quiet that the factor is beyond float's range are scaled all the same.
/// Where the peak is infinite, nothing is changed.
void scale_to_peak(std::span<float> samples, float target);

}  // namespace hayakoe::audio
