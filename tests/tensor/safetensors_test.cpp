// SPDX-License-Identifier: Apache-2.0
#include "tensor/safetensors.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "file_helpers.hpp"
#include "tensor/base64.hpp"
#include "tensor/npy.hpp"

namespace hayakoe::tensor {
namespace {

using test::expect_error;
using test::safetensors_file;
using Shape = std::vector<std::int64_t>;

SafeTensors parse(std::string_view header, std::string_view data) {
  return SafeTensors::parse(test::to_bytes(safetensors_file(header, data)), "x.safetensors");
}

void refused_bytes(std::string_view bytes, std::initializer_list<std::string_view> parts) {
  expect_error([&] { (void)SafeTensors::parse(test::to_bytes(bytes), "x.safetensors"); }, parts);
}

void refused(std::string_view header, std::string_view data, std::string_view part) {
  refused_bytes(safetensors_file(header, data), {"x.safetensors", part});
}

TEST(SafeTensors, ReadsAVoice) {
  const auto file = SafeTensors::open(test::kData / "voice-tiny" / "model.safetensors");
  EXPECT_EQ(file.tensors().size(), 1165U);
  EXPECT_TRUE(file.metadata().empty());
  EXPECT_EQ(file.path().filename(), "model.safetensors");
  EXPECT_TRUE(file.has("enc_p.emb.weight"));
  EXPECT_FALSE(file.has("enc_p.emb"));
  const ArrayView& emb = file.get("enc_p.emb.weight");
  EXPECT_EQ(emb.dtype, DType::kF32);
  EXPECT_EQ(emb.shape, (Shape{112, 32}));
  EXPECT_EQ(emb.bytes.size(), 112U * 32 * 4);
  EXPECT_EQ(file.get("iteration").dtype, DType::kI64);
  EXPECT_EQ(file.read_i64("iteration").size(), 1U);
}

// Every tensor of the real files against an independent reading: the header through a general JSON parser, the numbers
// by their place in the file.
TEST(SafeTensors, AgreesWithAGeneralJsonParser) {
  for (const char* name : {"voice-tiny/model.safetensors", "voice-tiny.aivm", "unit/rqs.safetensors"}) {
    std::ifstream in(test::kData / name, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    auto header = nlohmann::json::parse(bytes.substr(8, length));
    const auto file = SafeTensors::open(test::kData / name);
    EXPECT_EQ(file.metadata(), header.value("__metadata__", std::map<std::string, std::string>()));
    header.erase("__metadata__");
    ASSERT_EQ(file.tensors().size(), header.size());
    for (const auto& [key, value] : header.items()) {
      const ArrayView& view = file.get(key);
      EXPECT_EQ(dtype_name(view.dtype), value["dtype"].get<std::string>());
      EXPECT_EQ(view.shape, value["shape"].get<Shape>());
      const auto begin = value["data_offsets"][0].get<std::size_t>();
      const auto end = value["data_offsets"][1].get<std::size_t>();
      ASSERT_EQ(view.bytes.size(), end - begin);
      EXPECT_EQ(std::memcmp(view.bytes.data(), bytes.data() + 8 + length + begin, end - begin), 0) << key;
    }
  }
}

TEST(SafeTensors, HalfPrecisionFileHasTheSameNumbers) {
  const auto full = SafeTensors::open(test::kData / "bert-tiny" / "model.safetensors");
  const auto half = SafeTensors::open(test::kData / "bert-tiny" / "model-f16.safetensors");
  ASSERT_EQ(full.tensors().size(), half.tensors().size());
  ASSERT_GT(full.tensors().size(), 80U);
  for (const auto& [name, view] : full.tensors()) {
    EXPECT_EQ(view.dtype, DType::kF32);
    EXPECT_EQ(half.get(name).dtype, DType::kF16);
    EXPECT_EQ(half.get(name).shape, view.shape);
    EXPECT_EQ(full.read_f32(name), half.read_f32(name)) << name;
  }
}

TEST(SafeTensors, ReadsAnAivmFile) {
  const auto aivm = SafeTensors::open(test::kData / "voice-tiny.aivm");
  ASSERT_TRUE(aivm.metadata().contains("aivm_manifest"));
  ASSERT_TRUE(aivm.metadata().contains("aivm_hyper_parameters"));
  EXPECT_EQ(nlohmann::json::parse(aivm.metadata().at("aivm_manifest"))["name"], "voice-tiny");
  const auto styles = parse_npy(decode_base64(aivm.metadata().at("aivm_style_vectors"), "styles"), "styles");
  const auto want = read_npy(test::kData / "voice-tiny" / "style_vectors.npy");
  EXPECT_EQ(styles.shape, want.shape);
  EXPECT_EQ(styles.values, want.values);
  const auto plain = SafeTensors::open(test::kData / "voice-tiny" / "model.safetensors");
  ASSERT_EQ(aivm.tensors().size(), plain.tensors().size());
  for (const auto& [name, view] : plain.tensors()) {
    const ArrayView& other = aivm.get(name);
    EXPECT_EQ(other.shape, view.shape);
    ASSERT_EQ(other.bytes.size(), view.bytes.size());
    EXPECT_EQ(std::memcmp(other.bytes.data(), view.bytes.data(), view.bytes.size()), 0) << name;
  }
}

TEST(SafeTensors, ViewsOutliveTheFirstHandle) {
  std::optional<SafeTensors> first = parse(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", test::le(2.5F));
  const SafeTensors copy = *first;
  const ArrayView& view = first->get("a");
  first.reset();
  EXPECT_EQ(to_f32(view), std::vector<float>{2.5F});
  EXPECT_EQ(copy.read_f32("a"), std::vector<float>{2.5F});
}

TEST(SafeTensors, AcceptsWhatTheFormatAllows) {
  EXPECT_TRUE(parse("{}", "").tensors().empty());
  EXPECT_TRUE(parse("{}        ", "").tensors().empty());
  EXPECT_TRUE(parse(R"({"__metadata__":{}})", "").metadata().empty());
  const auto file = parse(
      R"({"b":{"data_offsets":[2,3],"shape":[],"dtype":"U8"},"__metadata__":{"k":"あ\u3042\n"},)"
      R"("a":{"dtype":"BF16","shape":[1,1],"data_offsets":[0,2]},"e":{"dtype":"I64","shape":[4,0],"data_offsets":[2,2]}})",
      std::string("\x80\x3f\x07", 3));
  EXPECT_EQ(file.metadata().at("k"), "ああ\n");
  EXPECT_EQ(file.read_f32("a"), std::vector<float>{1.0F});
  EXPECT_EQ(file.read_i64("b"), std::vector<std::int64_t>{7});
  EXPECT_TRUE(file.read_i64("e").empty());
}

TEST(SafeTensors, NamesTheMissingKeyAndSimilarOnes) {
  const auto file = SafeTensors::open(test::kData / "voice-tiny" / "model.safetensors");
  expect_error([&] { (void)file.get("dec.ups.0.weight"); },
               {"model.safetensors", "\"dec.ups.0.weight\"", "dec.ups.0.weight_g", "dec.ups.0.weight_v"});
  const auto bert = SafeTensors::open(test::kData / "bert-tiny" / "model.safetensors");
  expect_error([&] { (void)bert.get("encoder.rel_embeddings.weight"); }, {"\"deberta.encoder.rel_embeddings.weight\""});
  try {
    (void)file.get("nothing like this at all");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string_view(error.what()).find("similar"), std::string_view::npos) << error.what();
  }
  expect_error([&] { (void)file.get(std::string(100'000, 'x')); }, {"xxx…"});
  expect_error([&] { (void)file.get(""); }, {"\"\""});
}

TEST(SafeTensors, ConversionErrorsNameFileAndKey) {
  const auto file = SafeTensors::open(test::kData / "voice-tiny" / "model.safetensors");
  expect_error([&] { (void)file.read_f32("iteration"); }, {"model.safetensors", "\"iteration\"", "I64"});
  expect_error([&] { (void)file.read_i64("dec.cond.bias"); }, {"model.safetensors", "\"dec.cond.bias\"", "F32"});
}

TEST(SafeTensors, RefusesHeaderLengths) {
  refused_bytes("1234567", {"x.safetensors", "7 bytes"});
  refused_bytes(test::le<std::uint64_t>(3) + "{}", {"truncated"});
  refused_bytes(test::le<std::uint64_t>(0), {"{"});
  refused_bytes(test::le<std::uint64_t>(0) + "{}", {"{"});
  refused_bytes(test::le<std::uint64_t>(100'000'001) + "{}", {"100000001", "100000000"});
  refused_bytes(test::le(~std::uint64_t{0}) + "{}", {"18446744073709551615"});
  refused_bytes(test::le(~std::uint64_t{0} - 7) + "{}", {"18446744073709551608"});
}

TEST(SafeTensors, RefusesJson) {
  refused(" {}", "", "{");
  refused("\xef\xbb\xbf{}", "", "{");
  refused("{", "", "JSON");
  refused("{}{}", "", "JSON");
  refused(R"({"a":)", "", "JSON");
  refused("{\"a\xff\":1}", "", "JSON");
  refused(R"({"__metadata__":{"k":"\ud800"}})", "", "JSON");
  refused(R"({"a":[]})", "", "a list");
  refused(R"({"a":1})", "", "a number");
  refused(R"({"a":null})", "", "null");
  refused(R"({"a":true})", "", "boolean");
  refused(R"({"a":1.5})", "", "a number");
  refused(R"({"a":"b"})", "", "a string");
  refused(R"({"__metadata__":[]})", "", "a list");
  refused(R"({"__metadata__":{"k":{}}})", "", "an object");
  refused(R"({"__metadata__":{"k":1}})", "", "a number");
  refused(R"({"__metadata__":{"k":[]}})", "", "a list");
}

TEST(SafeTensors, RefusesRepeatedKeys) {
  const std::string one = R"("a":{"dtype":"U8","shape":[],"data_offsets":[0,1]})";
  refused("{" + one + "," + one + "}", "x", "\"a\" occurs twice");
  refused(R"({"__metadata__":{"k":"1","k":"2"}})", "", "\"k\" occurs twice");
  refused(R"({"__metadata__":{},"__metadata__":{}})", "", "__metadata__ occurs twice");
  refused(R"({"a":{"dtype":"U8","dtype":"U8"}})", "", "\"dtype\" twice");
  refused(R"({"a":{"shape":[1],"shape":[1]}})", "", "\"shape\" twice");
}

TEST(SafeTensors, RefusesFields) {
  refused(R"({"a":{}})", "", "lacks \"dtype\"");
  refused(R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", "x", "lacks \"shape\"");
  refused(R"({"a":{"dtype":"U8","shape":[1]}})", "x", "lacks \"data_offsets\"");
  refused(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"order":"C"}})", "x", "\"order\"");
  refused(R"({"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}})", "x", "\"F8_E4M3\"");
  refused(R"({"a":{"dtype":"f32","shape":[1],"data_offsets":[0,4]}})", "1234", "\"f32\"");
  refused(R"({"a":{"dtype":4}})", "", "dtype");
  refused(R"({"a":{"dtype":[]}})", "", "a list");
  refused(R"({"a":{"dtype":null}})", "", "null");
  refused(R"({"a":{"shape":"1"}})", "", "shape");
  refused(R"({"a":{"shape":{}}})", "", "an object");
  refused(R"({"a":{"shape":[[1]]}})", "", "a list");
  refused(R"({"a":{"shape":["1"]}})", "", "a string");
  refused(R"({"a":{"shape":[null]}})", "", "null");
}

TEST(SafeTensors, RefusesNumbers) {
  refused(R"({"a":{"shape":[-1]}})", "", "-1");
  refused(R"({"a":{"shape":[1.0]}})", "", "1.0");
  refused(R"({"a":{"shape":[1e400]}})", "", "JSON");
  refused(R"({"a":{"shape":[18446744073709551615]}})", "", "18446744073709551615");
  refused(R"({"a":{"shape":[99999999999999999999]}})", "", "99999999999999999999");
  refused(R"({"a":{"data_offsets":[0]}})", "", "data_offsets");
  refused(R"({"a":{"data_offsets":[0,1,2]}})", "", "data_offsets");
  refused(R"({"a":{"data_offsets":[-1,1]}})", "", "-1");
  refused(R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", "", "64-bit");
  refused(R"({"a":{"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]}})", "", "2305843009213693952");
  std::string axes;
  for (int i = 0; i < 65; ++i) {
    axes += i == 0 ? "1" : ",1";
  }
  refused(R"({"a":{"shape":[)" + axes + "]}}", "", "64");
}

TEST(SafeTensors, RefusesOffsets) {
  const auto tensor = [](std::string_view shape, std::string_view offsets) {
    return R"({"dtype":"U8","shape":[)" + std::string(shape) + R"(],"data_offsets":[)" + std::string(offsets) + "]}";
  };
  refused("{\"a\":" + tensor("2", "0,2") + "}", "1", "truncated");
  refused("{\"a\":" + tensor("1", "0,1") + "}", "12", "1 bytes of data belong to no tensor");
  refused("{\"a\":" + tensor("1", "1,2") + "}", "12", "gap");
  refused("{\"a\":" + tensor("0", "2,1") + "}", "12", "before it begins");
  refused("{\"a\":" + tensor("3", "0,2") + "}", "12", "[3]");
  refused("{\"a\":" + tensor("1", "0,2") + "}", "12", "[1]");
  refused("{\"a\":" + tensor("2", "0,2") + ",\"b\":" + tensor("2", "1,3") + "}", "123", "overlap");
  refused("{\"a\":" + tensor("2", "0,2") + ",\"b\":" + tensor("2", "0,2") + "}", "12", "overlap");
  refused("{\"a\":" + tensor("1", "0,1") + ",\"b\":" + tensor("1", "2,3") + "}", "123", "gap");
  refused("{\"a\":" + tensor("0", "9223372036854775807,9223372036854775807") + "}", "12", "truncated");
  refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,3]}})", "123", "needs 1 elements of 4 bytes");
}

TEST(SafeTensors, DeepNestingCostsNoStack) {
  const std::string lists(5'000'000, '[');
  refused("{\"a\":" + lists, "", "a list");
  refused(R"({"a":{"shape":)" + lists, "", "a list");
  std::string objects = "{";
  for (int i = 0; i < 1'000'000; ++i) {
    objects += "\"a\":{";
  }
  refused(objects, "", "unknown field");
}

TEST(SafeTensors, ManyTensorsTakeLinearTime) {
  std::string header = "{";
  constexpr int kMany = 300'000;
  for (int i = 0; i < kMany; ++i) {
    header +=
        fmt::format(R"({}"t{}":{{"dtype":"U8","shape":[1],"data_offsets":[{},{}]}})", i == 0 ? "" : ",", i, i, i + 1);
  }
  const auto file = parse(header + "}", std::string(kMany, 'x'));
  EXPECT_EQ(file.tensors().size(), 300'000U);
  expect_error([&] { (void)file.get("t3000000"); }, {"x.safetensors"});
}

TEST(SafeTensors, MessagesStayShortAndPrintable) {
  try {
    (void)parse("{\"a\\n" + std::string(1'000'000, 'k') + "\":1}", "");
    FAIL();
  } catch (const Error& error) {
    const std::string_view message = error.what();
    EXPECT_LT(message.size(), 400U);
    EXPECT_EQ(message.find('\n'), std::string_view::npos);
  }
}

TEST(SafeTensors, RefusesWhatIsNoFile) {
  const test::TempFolder folder;
  expect_error([&] { (void)SafeTensors::open(folder.path() / "absent"); }, {"absent", "No such file"});
  expect_error([&] { (void)SafeTensors::open(folder.path()); }, {"folder"});
  expect_error([&] { (void)SafeTensors::open("/dev/zero"); }, {"/dev/zero"});
  const auto cut = test::write_file(folder.path() / "cut.safetensors", test::le<std::uint64_t>(50) + "{");
  expect_error([&] { (void)SafeTensors::open(cut); }, {"cut.safetensors", "truncated"});
}

}  // namespace
}  // namespace hayakoe::tensor
