// SPDX-License-Identifier: Apache-2.0
#include "tensor/safetensors_writer.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <csignal>
#include <cstring>
#include <utility>

#include "file_helpers.hpp"
#include "tensor/safetensors.hpp"

namespace hayakoe::tensor {
namespace {

using test::as_bytes;
using test::expect_error;
using test::TempFolder;

std::string bytes_of(const SafeTensors& file, const std::string& name) {
  const auto bytes = file.get(name).bytes;
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(SafeTensorsWriter, WhatItWritesIsRead) {
  const std::vector<std::pair<TensorEntry, std::string>> tensors{
      {{"iteration", DType::kI64, {1}}, test::le<std::int64_t>(-5)},
      {{"doubles", DType::kF64, {1, 1}}, test::le(0.1)},
      {{"weight", DType::kF32, {2, 3}}, test::le(1.5F) + std::string(20, 'x')},
      {{"scalar", DType::kI32, {}}, test::le<std::int32_t>(7)},
      {{"half", DType::kF16, {3}}, "abcdef"},
      {{"brain", DType::kBF16, {2, 1}}, "ghij"},
      {{"short", DType::kI16, {1}}, "kl"},
      {{"nothing", DType::kF32, {0, 4}}, ""},
      {{"int8", DType::kI8, {5}}, "mnopq"},
      {{"byte \"quoted\" 重み", DType::kU8, {1}}, "r"},
      {{"bool", DType::kBool, {2}}, std::string("\0\1", 2)},
  };
  std::vector<TensorEntry> entries;
  for (const auto& [entry, data] : tensors) entries.push_back(entry);
  const TempFolder folder;
  const auto path = folder.path() / "a.safetensors";
  SafeTensorsWriter writer(path, entries, {{"format", "pt"}, {"note", "線\n"}});
  for (const auto& [entry, data] : tensors) writer.write(entry.name, as_bytes(data));
  writer.finish();
  EXPECT_EQ(writer.size(), std::filesystem::file_size(path));

  const auto file = SafeTensors::open(path);
  EXPECT_EQ(file.metadata(), (std::map<std::string, std::string>{{"format", "pt"}, {"note", "線\n"}}));
  ASSERT_EQ(file.tensors().size(), tensors.size());
  for (const auto& [entry, data] : tensors) {
    EXPECT_EQ(file.get(entry.name).dtype, entry.dtype) << entry.name;
    EXPECT_EQ(file.get(entry.name).shape, entry.shape) << entry.name;
    EXPECT_EQ(bytes_of(file, entry.name), data) << entry.name;
  }
  EXPECT_EQ(file.read_i64("iteration"), std::vector<std::int64_t>{-5});
  EXPECT_EQ(file.read_f32("weight")[0], 1.5F);
}

TEST(SafeTensorsWriter, TheDataBeginAtACacheLine) {
  const TempFolder folder;
  const auto path = folder.path() / "a.safetensors";
  for (std::size_t length = 1; length < 70; ++length) {
    SafeTensorsWriter writer(path, {{std::string(length, 'n'), DType::kU8, {3}}});
    writer.write(std::string(length, 'n'), as_bytes("xyz"));
    writer.finish();
    const std::string bytes = file_bytes(path);
    EXPECT_EQ((bytes.size() - 3) % 64, 0U) << length;
    EXPECT_TRUE(bytes.ends_with("xyz"));
    EXPECT_EQ(SafeTensors::open(path).tensors().size(), 1U);
  }
}

TEST(SafeTensorsWriter, TakesPieces) {
  const TempFolder folder;
  const auto path = folder.path() / "a.safetensors";
  SafeTensorsWriter writer(path, {{"a", DType::kU8, {5}}, {"b", DType::kU8, {1}}});
  writer.write("a", as_bytes("12"));
  writer.write("a", {});
  writer.write("a", as_bytes("345"));
  writer.write("b", as_bytes("6"));
  writer.finish();
  EXPECT_EQ(bytes_of(SafeTensors::open(path), "a"), "12345");
}

TEST(SafeTensorsWriter, AnEmptyListIsAFile) {
  const TempFolder folder;
  SafeTensorsWriter(folder.path() / "a.safetensors", {}).finish();
  EXPECT_TRUE(SafeTensors::open(folder.path() / "a.safetensors").tensors().empty());
}

TEST(SafeTensorsWriter, TheNameComesInTheEnd) {
  const TempFolder folder;
  const auto path = test::write_file(folder.path() / "a.safetensors", "old");
  {
    SafeTensorsWriter writer(path, {{"a", DType::kU8, {1}}});
    writer.write("a", as_bytes("1"));
    EXPECT_EQ(file_bytes(path), "old");
  }
  EXPECT_EQ(file_bytes(path), "old");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.safetensors"});
}

TEST(SafeTensorsWriter, RefusesWhatDoesNotFitItsList) {
  const TempFolder folder;
  const auto path = folder.path() / "a.safetensors";
  const std::vector<TensorEntry> list{{"a", DType::kF32, {1}}, {"b", DType::kU8, {1}}};
  SafeTensorsWriter writer(path, list);
  expect_error([&] { writer.write("b", as_bytes("1")); }, {"a.safetensors", "'b'", "'a'"});
  writer.write("a", as_bytes("12"));
  expect_error([&] { writer.write("a", as_bytes("345")); }, {"a.safetensors", "'a'", "3 bytes", "2 more"});
  expect_error([&] { writer.finish(); }, {"a.safetensors", "'a'", "2 bytes"});
  writer.write("a", as_bytes("34"));
  writer.write("b", as_bytes("5"));
  expect_error([&] { writer.write("b", as_bytes("6")); }, {"a.safetensors", "'b'", "the end"});
  writer.finish();
  EXPECT_EQ(bytes_of(SafeTensors::open(path), "a"), "1234");
}

TEST(SafeTensorsWriter, RefusesListsThatMakeNoFile) {
  const TempFolder folder;
  const auto refused = [&](std::vector<TensorEntry> list, std::initializer_list<std::string_view> parts) {
    expect_error([&] { SafeTensorsWriter(folder.path() / "a.safetensors", std::move(list)); }, parts);
  };
  refused({{"a", DType::kU8, {1}}, {"a", DType::kU8, {1}}}, {"a.safetensors", "two tensors 'a'"});
  refused({{"__metadata__", DType::kU8, {1}}}, {"a.safetensors", "__metadata__"});
  refused({{"a", DType::kU8, std::vector<std::int64_t>(65, 1)}}, {"a.safetensors", "65 axes", "64"});
  refused({{"a", DType::kU8, {-1}}}, {"-1"});
  refused({{"a", DType::kF32, {std::int64_t{1} << 50}}}, {"a.safetensors", "the disk has room for"});
  EXPECT_TRUE(folder.names().empty());
  expect_error([&] { SafeTensorsWriter(folder.path() / "none" / "a.safetensors", {}); }, {"none/a.safetensors"});
}

// A file that may not grow meets the same error path as a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(SafeTensorsWriter, AFullDiskIsAnErrorThatLeavesNothing) {
  const TempFolder folder;
  {
    const FileSizeLimit limit(4096);
    SafeTensorsWriter writer(folder.path() / "a.safetensors", {{"a", DType::kU8, {8192}}});
    expect_error([&] { writer.write("a", as_bytes(std::string(8192, 'x'))); }, {"cannot write", "a.safetensors"});
  }
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace hayakoe::tensor
