// SPDX-License-Identifier: Apache-2.0
// Damaged files must either be read, into views that lie where they say, or refused with hayakoe::Error. Anything else
// (another exception, a crash, an endless loop, or what the sanitizers find) is a failure. The seeds are fixed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <hayakoe/error.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mutate.hpp"
#include "tensor/base64.hpp"
#include "tensor/npy.hpp"
#include "tensor/safetensors.hpp"

namespace hayakoe::fuzz {
namespace {

constexpr int kRounds = 20'000;

std::vector<std::byte> to_bytes(std::string_view text) {
  const auto view = std::as_bytes(std::span(text.data(), text.size()));
  return {view.begin(), view.end()};
}

std::string to_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename T>
std::string le(T value) {
  std::string out(sizeof(T), '\0');
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}

std::string safetensors_seed() {
  const std::string header = R"({"__metadata__":{"format":"pt","あ":"\u3042"},)"
                             R"("a.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
                             R"("b":{"dtype":"F16","shape":[4],"data_offsets":[24,32]},)"
                             R"("c":{"dtype":"I64","shape":[1],"data_offsets":[32,40]},)"
                             R"("d":{"dtype":"BOOL","shape":[],"data_offsets":[40,41]},)"
                             R"("e":{"dtype":"BF16","shape":[1,0],"data_offsets":[41,41]},)"
                             R"("f":{"dtype":"I8","shape":[3],"data_offsets":[41,44]}}  )";
  return le<std::uint64_t>(header.size()) + header + std::string(44, '\x3c');
}

std::string npy_seed(std::string_view type, std::string_view order, int major) {
  std::string header = "{'descr': '" + std::string(type) + "', 'fortran_order': " + std::string(order) +
                       ", 'shape': (3, 4), }            \n";
  const std::string length =
      major == 1 ? le(static_cast<std::uint16_t>(header.size())) : le(static_cast<std::uint32_t>(header.size()));
  const std::size_t size = static_cast<std::size_t>(type.back() - '0') * 12;
  return std::string("\x93NUMPY") + static_cast<char>(major) + '\0' + length + header + std::string(size, '\x3c');
}

// The real AIVM file's metadata over a few small tensors: its own are megabytes.
std::string aivm_seed() {
  const auto file = tensor::SafeTensors::open(std::filesystem::path(HAYAKOE_TEST_DATA) / "voice-tiny.aivm");
  nlohmann::json header = {{"__metadata__", file.metadata()}};
  std::string data;
  for (const char* name : {"dec.cond.bias", "emb_g.weight", "sdp.flows.0.m"}) {
    const tensor::ArrayView& view = file.get(name);
    const std::size_t begin = data.size();
    data += to_text(view.bytes);
    header[name] = {
        {"dtype", tensor::dtype_name(view.dtype)}, {"shape", view.shape}, {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  return le<std::uint64_t>(text.size()) + text + data;
}

// Touches every byte of every view, through the conversions too, and checks what a caller relies on.
std::uint64_t use(const tensor::SafeTensors& file, std::size_t file_size) {
  std::uint64_t sum = 0;
  std::size_t total = 0;
  for (const auto& [name, view] : file.tensors()) {
    EXPECT_EQ(static_cast<std::size_t>(view.elements()) * tensor::dtype_size(view.dtype), view.bytes.size());
    total += view.bytes.size();
    for (const std::byte byte : view.bytes) {
      sum += std::to_integer<std::uint64_t>(byte);
    }
    EXPECT_EQ(&file.get(name), &view);
    const bool is_float = tensor::dtype_name(view.dtype).find('F') != std::string_view::npos;
    const std::size_t count = is_float ? file.read_f32(name).size() : file.read_i64(name).size();
    EXPECT_EQ(count, static_cast<std::size_t>(view.elements()));
  }
  EXPECT_LT(total, file_size);
  for (const auto& [key, value] : file.metadata()) {
    sum += key.size() + value.size();
  }
  return sum;
}

struct Tally {
  int read = 0;
  int refused = 0;
};

// `read` returns normally, or throws Error; everything else it throws fails the test.
template <typename Read>
void attempt(Tally& tally, std::string_view input, Read read) {
  try {
    read();
    ++tally.read;
  } catch (const Error& error) {
    ++tally.refused;
    EXPECT_GT(std::string_view(error.what()).size(), 10U);
    EXPECT_LT(std::string_view(error.what()).size(), 2000U);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what() << " for " << testing::PrintToString(std::string(input));
  }
}

void expect_both(const Tally& tally) {
  EXPECT_GT(tally.read, kRounds / 200) << "the mutations are too coarse to test anything but the first check";
  EXPECT_GT(tally.refused, kRounds / 10);
}

TEST(FuzzFiles, SafeTensors) {
  Mutator mutator(1);
  const std::string seed = safetensors_seed();
  Tally tally;
  for (int i = 0; i < kRounds; ++i) {
    const std::string input = mutator.mutate(seed, seed);
    attempt(tally, input, [&] { use(tensor::SafeTensors::parse(to_bytes(input), "fuzz"), input.size()); });
  }
  expect_both(tally);
}

// With the length in front always right, so that the damage reaches what lies behind the first check.
TEST(FuzzFiles, SafeTensorsHeader) {
  Mutator mutator(2);
  const std::string seed = safetensors_seed();
  const std::string data = seed.substr(seed.size() - 44);
  const std::string header = seed.substr(8, seed.size() - 8 - data.size());
  Tally tally;
  for (int i = 0; i < kRounds; ++i) {
    const std::string changed = mutator.mutate(header, header);
    const std::string input = le<std::uint64_t>(changed.size()) + changed + data;
    attempt(tally, input, [&] { use(tensor::SafeTensors::parse(to_bytes(input), "fuzz"), input.size()); });
  }
  expect_both(tally);
}

TEST(FuzzFiles, SafeTensorsOnDisk) {
  const auto path = std::filesystem::temp_directory_path() / ("hayakoe-fuzz-" + std::to_string(::getpid()));
  Mutator mutator(3);
  const std::string seed = safetensors_seed();
  Tally tally;
  for (int i = 0; i < 1000; ++i) {
    const std::string input = mutator.mutate(seed, seed);
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary).write(input.data(), static_cast<std::streamsize>(input.size()));
    attempt(tally, input, [&] { use(tensor::SafeTensors::open(path), input.size()); });
  }
  std::filesystem::remove(path);
  EXPECT_GT(tally.read, 0);
  EXPECT_GT(tally.refused, 0);
}

TEST(FuzzFiles, Npy) {
  Mutator mutator(4);
  const std::vector<std::string> seeds = {npy_seed("<f4", "False", 1), npy_seed("<f8", "True", 2),
                                          npy_seed("<f2", "True", 3), npy_seed("|u1", "False", 1),
                                          npy_seed("<i8", "False", 2)};
  Tally tally;
  for (int i = 0; i < kRounds; ++i) {
    const std::string input = mutator.mutate(seeds[mutator.below(seeds.size())], seeds[mutator.below(seeds.size())]);
    attempt(tally, input, [&] {
      const auto array = tensor::parse_npy(to_bytes(input), "fuzz");
      EXPECT_EQ(static_cast<std::size_t>(tensor::element_count(array.shape)), array.values.size());
    });
  }
  expect_both(tally);
}

TEST(FuzzFiles, Base64) {
  Mutator mutator(5);
  const std::string seed = "k05VTVBZAQB2AHsnZGVzY3InOiAnPGY0JywgJ2ZvcnRyYW5f\n b3JkZXInOiBGYWxzZSwgJ3NoYXBlJzo=";
  Tally tally;
  for (int i = 0; i < kRounds; ++i) {
    const std::string input = mutator.mutate(seed, seed);
    attempt(tally, input, [&] { EXPECT_LE(tensor::decode_base64(input, "fuzz").size() * 4, input.size() * 3); });
  }
  expect_both(tally);
}

// The whole way a voice's styles take: file, metadata, base64, npy.
TEST(FuzzFiles, Aivm) {
  Mutator mutator(6);
  const std::string seed = aivm_seed();
  ASSERT_LT(seed.size(), 20'000U);
  Tally tally;
  for (int i = 0; i < kRounds / 2; ++i) {
    const std::string input = mutator.mutate(seed, seed);
    attempt(tally, input, [&] {
      const auto file = tensor::SafeTensors::parse(to_bytes(input), "fuzz");
      use(file, input.size());
      const auto styles = file.metadata().find("aivm_style_vectors");
      if (styles != file.metadata().end()) {
        const auto array = tensor::parse_npy(tensor::decode_base64(styles->second, "fuzz"), "fuzz");
        EXPECT_EQ(static_cast<std::size_t>(tensor::element_count(array.shape)), array.values.size());
      }
    });
  }
  expect_both(tally);
}

}  // namespace
}  // namespace hayakoe::fuzz
