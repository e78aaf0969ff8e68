// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sndfile.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <hayakoe/error.hpp>
#include <initializer_list>
#include <iterator>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/files.hpp"

namespace hayakoe::audio::test {

using hayakoe::test::expect_error;
using hayakoe::test::TempFolder;
using hayakoe::test::write_file;

inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// What libsndfile finds in a file.
struct Decoded {
  SF_INFO info{};
  std::vector<float> samples;
};

inline Decoded decode(const std::filesystem::path& path) {
  Decoded out;
  SNDFILE* const file = sf_open(path.c_str(), SFM_READ, &out.info);
  if (file == nullptr) {
    ADD_FAILURE() << path << ": " << sf_strerror(nullptr);
    return out;
  }
  std::vector<float> block(4096);
  while (const auto count = sf_readf_float(file, block.data(), static_cast<sf_count_t>(block.size()))) {
    out.samples.insert(out.samples.end(), block.begin(), block.begin() + count);
  }
  sf_close(file);
  return out;
}

/// A 440 Hz tone with an amplitude of 0.5.
inline std::vector<float> tone(std::size_t count, int rate) {
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(0.5 * std::sin(2 * std::numbers::pi * 440 * static_cast<double>(i) / rate));
  }
  return out;
}

}  // namespace hayakoe::audio::test
