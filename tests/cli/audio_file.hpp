// SPDX-License-Identifier: Apache-2.0
// Audio files as another program reads them.
#pragma once

#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace hayakoe::test {

struct AudioFile {
  int rate = 0;
  int channels = 0;
  int format = 0;  ///< SF_FORMAT_* bits
  std::vector<float> samples;

  [[nodiscard]] float peak() const {
    float most = 0;
    for (const float s : samples) most = std::max(most, std::abs(s));
    return most;
  }
  [[nodiscard]] double seconds() const { return static_cast<double>(samples.size()) / rate; }
};

inline AudioFile read_audio(const std::string& path) {
  SF_INFO info{};
  SNDFILE* file = sf_open(path.c_str(), SFM_READ, &info);
  if (file == nullptr) throw std::runtime_error(path + ": " + sf_strerror(nullptr));
  AudioFile audio{info.samplerate, info.channels, info.format, {}};
  audio.samples.resize(static_cast<std::size_t>(info.frames * info.channels));
  const sf_count_t read = sf_read_float(file, audio.samples.data(), info.frames * info.channels);
  audio.samples.resize(static_cast<std::size_t>(read));
  sf_close(file);
  return audio;
}

}  // namespace hayakoe::test
