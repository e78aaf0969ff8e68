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

#include "support/files.hpp"

namespace hayakoe::tensor::test {

using hayakoe::test::expect_error;
using hayakoe::test::TempFolder;
using hayakoe::test::write_file;

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

inline const std::filesystem::path kData = HAYAKOE_TEST_DATA;

}  // namespace hayakoe::tensor::test
