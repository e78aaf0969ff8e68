// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace hayakoe::audio {

/// `samples` at `ratio` times their rate (0.1 to 10), band-limited (a windowed sinc): round(samples × ratio) samples,
/// without delay. Played at the old rate they are `ratio` times as long and 1 / `ratio` times as high.
[[nodiscard]] std::vector<float> resampled(std::span<const float> samples, double ratio);

}  // namespace hayakoe::audio
