// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <hayakoe/error.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hayakoe::tensor::test {

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

 private:
  std::filesystem::path path_;
};

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline std::vector<std::byte> to_bytes(std::string_view text) {
  const auto view = as_bytes(text);
  return {view.begin(), view.end()};
}

/// The bytes of a number, lowest first.
template <typename T>
std::string le(T value) {
  std::string out(sizeof(T), '\0');
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}

/// A safetensors file of this header and these data.
inline std::string safetensors_file(std::string_view header, std::string_view data) {
  return le<std::uint64_t>(header.size()) + std::string(header) + std::string(data);
}

inline std::filesystem::path write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
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

inline const std::filesystem::path kData = HAYAKOE_TEST_DATA;

}  // namespace hayakoe::tensor::test
