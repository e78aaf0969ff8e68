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

namespace hayakoe::audio::test {

/// A folder that is removed with all its files at the end of the test.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "hayakoe-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("no temporary folder");
    }
    path_ = name;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// The names of all files in it, sorted.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      out.push_back(entry.path().filename().string());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  std::filesystem::path path_;
};

inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
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

/// Expects that `action` throws hayakoe::Error with a message that contains each of `parts`.
template <typename Action>
void expect_error(Action action, std::initializer_list<std::string_view> parts) {
  try {
    action();
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    const std::string_view message = error.what();
    for (const std::string_view part : parts) {
      EXPECT_NE(message.find(part), std::string_view::npos) << "\"" << part << "\" is not in: " << message;
    }
  }
}

}  // namespace hayakoe::audio::test
