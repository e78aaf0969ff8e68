// SPDX-License-Identifier: Apache-2.0
#include "audio/resample.hpp"

#include <fmt/format.h>
#include <samplerate.h>

#include <cmath>
#include <hayakoe/error.hpp>

namespace hayakoe::audio {

std::vector<float> resampled(std::span<const float> samples, double ratio) {
  std::vector<float> out(static_cast<std::size_t>(std::llround(static_cast<double>(samples.size()) * ratio)));
  if (out.empty()) return out;
  SRC_DATA data{};
  data.data_in = samples.data();
  data.input_frames = static_cast<long>(samples.size());
  data.data_out = out.data();
  data.output_frames = static_cast<long>(out.size());
  data.src_ratio = ratio;
  const int error = src_simple(&data, SRC_SINC_MEDIUM_QUALITY, 1);
  if (error != 0) throw Error(fmt::format("Resampling by {}: {}.", ratio, src_strerror(error)));
  return out;
}

}  // namespace hayakoe::audio
