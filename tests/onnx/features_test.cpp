// SPDX-License-Identifier: Apache-2.0
#include "onnx/features.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "models.hpp"
#include "onnx/bert.hpp"
#include "support/files.hpp"
#include "tiny_graph.hpp"

namespace hayakoe {
namespace {

using onnx::DeviceTensor;
using onnx::Features;
using test::models;

class OnnxFeatures : public test::WithOnnxRuntime {};

// What is in a tensor, by way of a graph whose output comes to the host.
std::vector<float> values_of(const DeviceTensor& tensor) {
  using namespace onnx::graph;
  const std::string model =
      Graph("look").input("in", kFloat, {}).node("Identity", {"in"}, "out").output("out", kFloat, {}).model();
  const onnx::Session look("look", model, {});
  const std::vector<onnx::Input> inputs{{"in", {}, tensor}};
  const std::vector<std::string> outputs{"out"};
  return std::get<std::vector<float>>(look.run(inputs, outputs).front().values);
}

// A plain loop over [rows, width]: [width, phones].
std::vector<float> expanded(std::span<const float> matrix, int64_t width, std::span<const int64_t> row_of_phone) {
  std::vector<float> out;
  for (int64_t c = 0; c < width; ++c) {
    for (const int64_t row : row_of_phone) out.push_back(matrix[static_cast<size_t>(row * width + c)]);
  }
  return out;
}

std::vector<float> counting(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

TEST_F(OnnxFeatures, AreRepeatedForPhonesAndTurned) {
  const Features features{DeviceTensor({1, 2, 3, 4, 5, 6}, {3, 2}), {0, 1, 2}};
  const DeviceTensor bert = onnx::expand(features, std::vector<int32_t>{0, 0, 2, 1});
  EXPECT_EQ(bert.shape(), (std::vector<int64_t>{1, 2, 4}));
  EXPECT_EQ(values_of(bert), (std::vector<float>{1, 1, 5, 3, 2, 2, 6, 4}));
}

TEST_F(OnnxFeatures, OfABatchAreExpandedWithoutItsPadding) {
  const std::vector<float> padded = counting(2 * 5 * 7);
  const Features features{DeviceTensor(padded, {2, 5, 7}), {0, 1, 2, 3, 4, 5, 6, 7}};  // of 5 tokens, and of 3
  const std::vector<int32_t> tokens{7, 7, 4, 5, 0, 7};
  const DeviceTensor bert = onnx::expand(features, tokens);
  EXPECT_EQ(bert.shape(), (std::vector<int64_t>{1, 7, 6}));
  EXPECT_EQ(values_of(bert), expanded(padded, 7, std::vector<int64_t>{7, 7, 4, 5, 0, 7}));
}

TEST_F(OnnxFeatures, AreJoined) {
  const std::vector<float> padded = counting(2 * 3 * 2);
  const Features batch{DeviceTensor(padded, {2, 3, 2}), {0, 1, 3, 4, 5}};
  const Features last = onnx::last_of(batch, 3);
  EXPECT_EQ(last.row, (std::vector<int64_t>{3, 4, 5}));
  const Features next{DeviceTensor({100, 101, 102, 103}, {2, 2}), {1, 0}};
  const Features joined = onnx::join(last, next);
  EXPECT_EQ(joined.tokens(), 5);
  const std::vector<float> bert = values_of(onnx::expand(joined, std::vector<int32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(bert, (std::vector<float>{6, 8, 10, 102, 100, 7, 9, 11, 103, 101}));
}

TEST_F(OnnxFeatures, LeftWhereBertRanAreThoseThatComeToTheHost) {
  const onnx::Bert bert(models("bert/bert.onnx"));
  const std::vector<std::vector<int>> sequences{{1, 50, 60, 2}, {1, 70, 2}, {1, 80, 90, 100, 110, 2}};
  const onnx::BertRows rows = bert.encode(sequences);
  const Features features = bert.encode_on_device(sequences);
  ASSERT_EQ(features.tokens(), 13);
  EXPECT_EQ(features.values.shape(), (std::vector<int64_t>{3, 6, 64}));
  EXPECT_FALSE(features.values.cuda());
  std::vector<int32_t> every(13);
  std::iota(every.begin(), every.end(), 0);
  std::vector<int64_t> row(every.begin(), every.end());
  EXPECT_EQ(values_of(onnx::expand(features, every)), expanded(rows.values, 64, row));
}

TEST_F(OnnxFeatures, OfAGraphOfOneSequenceAreJoined) {
  const test::TempFolder folder;
  const auto file = test::write_file(folder.path() / "bert.onnx", test::bert_of_one_sequence());
  const std::vector<std::vector<int>> sequences{{1, 5, 2}, {1, 7, 8, 2}, {1, 2}};
  const Features features = onnx::Bert(file).encode_on_device(sequences);
  ASSERT_EQ(features.tokens(), 9);
  const std::vector<int32_t> every{0, 1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(values_of(onnx::expand(features, every)), (std::vector<float>{1, 5, 2, 1, 7, 8, 2, 1, 2}));
}

TEST_F(OnnxFeatures, ATensorHasAsManyValuesAsItsShapeSays) {
  test::expect_error([] { (void)DeviceTensor({1, 2, 3}, {2, 2}); }, {"3 values for a shape of 4"});
}

TEST_F(OnnxFeatures, ARuntimeWhoseCudaDoesNotWorkSaysWhy) {
  const std::string why = onnx::why_not_on_cuda(0);
  if (why.empty()) GTEST_SKIP() << "CUDA works";
  for (const char* part : {"ONNX Runtime", "libonnxruntime", "CUDA"})
    EXPECT_NE(why.find(part), std::string::npos) << why;
  test::expect_error([] { (void)onnx::Session(models("bert/bert.onnx"), {.cuda = 0}); },
                     {"bert.onnx", "ONNX Runtime cannot open it"});
}

}  // namespace
}  // namespace hayakoe
