// SPDX-License-Identifier: Apache-2.0
#include "tensor/npy_writer.hpp"

#include <gtest/gtest.h>

#include "file_helpers.hpp"
#include "tensor/npy.hpp"

namespace hayakoe::tensor {
namespace {

using test::expect_error;
using test::TempFolder;
using Shape = std::vector<std::int64_t>;

std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(NpyWriter, WhatItWritesIsRead) {
  const TempFolder folder;
  const auto path = folder.path() / "a.npy";
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 3}, Shape{4, 0}, Shape{1, 2, 3}}) {
    std::size_t count = 1;
    for (const std::int64_t axis : shape) count *= static_cast<std::size_t>(axis);
    std::vector<float> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(0.25F - static_cast<float>(i));
    write_npy(path, shape, values);
    const NpyArray array = read_npy(path);
    EXPECT_EQ(array.shape, shape);
    EXPECT_EQ(array.values, values);
  }
}

// Byte by byte what NumPy wrote for a voice.
TEST(NpyWriter, WritesAsNumPyDoes) {
  const TempFolder folder;
  const auto numpy = test::kData / "voice-tiny" / "style_vectors.npy";
  const NpyArray array = read_npy(numpy);
  write_npy(folder.path() / "a.npy", array.shape, array.values);
  EXPECT_EQ(file_bytes(folder.path() / "a.npy"), file_bytes(numpy));
}

TEST(NpyWriter, RefusesAShapeThatDoesNotFit) {
  const TempFolder folder;
  const std::vector<float> values(3);
  expect_error([&] { write_npy(folder.path() / "a.npy", Shape{2, 2}, values); }, {"a.npy", "[2, 2]", "3"});
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace hayakoe::tensor
