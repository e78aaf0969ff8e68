// SPDX-License-Identifier: Apache-2.0
#include "onnx/bert.hpp"

#include <gtest/gtest.h>

#include "models.hpp"
#include "support/files.hpp"
#include "support/golden.hpp"
#include "tiny_graph.hpp"

namespace hayakoe {
namespace {

using onnx::Bert;
using test::distance;
using test::kTolerance;
using test::models;

class OnnxBert : public test::WithOnnxRuntime {};

tensor::SafeTensors golden() { return tensor::SafeTensors::open(test::data("bert-tiny/golden.safetensors")); }

std::vector<std::vector<int>> single_sequences(const tensor::SafeTensors& file) {
  std::vector<std::vector<int>> sequences;
  for (int i = 0; i < 5; ++i) sequences.push_back(test::integers(file, "single." + std::to_string(i) + ".input_ids"));
  return sequences;
}

TEST_F(OnnxBert, EncodesOneSequence) {
  const auto file = golden();
  const Bert bert(models("bert/bert.onnx"));
  EXPECT_EQ(bert.width(), 64);
  const auto sequences = single_sequences(file);
  for (size_t i = 0; i < sequences.size(); ++i) {
    const onnx::BertRows rows = bert.encode({&sequences[i], 1});
    EXPECT_EQ(rows.width, 64);
    EXPECT_LE(distance(rows.values, file.read_f32("single." + std::to_string(i) + ".feature")), kTolerance) << i;
  }
}

TEST_F(OnnxBert, EncodesABatchWithoutPaddingInTheResult) {
  const auto file = golden();
  const auto sequences = single_sequences(file);
  const std::vector<float> all = file.read_f32("batch.feature");  // [5, 91, 64]
  std::vector<float> want;
  for (size_t i = 0; i < sequences.size(); ++i) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * 91 * 64);
    want.insert(want.end(), begin, begin + static_cast<std::ptrdiff_t>(sequences[i].size() * 64));
  }
  const onnx::BertRows rows = Bert(models("bert/bert.onnx"), {2}).encode(sequences);
  EXPECT_EQ(rows.values.size(), want.size());
  EXPECT_LE(distance(rows.values, want), kTolerance);
}

TEST_F(OnnxBert, RunsAGraphOfOneSequenceForEach) {
  const test::TempFolder folder;
  const auto file = test::write_file(folder.path() / "bert.onnx", test::bert_of_one_sequence());
  const std::vector<std::vector<int>> sequences{{1, 5, 2}, {1, 7, 8, 2}};
  const onnx::BertRows rows = Bert(file).encode(sequences);
  EXPECT_EQ(rows.width, 1);
  EXPECT_EQ(rows.values, (std::vector<float>{1, 5, 2, 1, 7, 8, 2}));
}

TEST_F(OnnxBert, EncodesALongSequence) {
  const auto file = golden();
  const std::vector<std::vector<int>> sequences{test::integers(file, "xlong.input_ids"),
                                                test::integers(file, "single.0.input_ids")};
  const onnx::BertRows rows = Bert(models("bert/bert.onnx")).encode(sequences);
  std::vector<float> want = file.read_f32("xlong.feature");
  const std::vector<float> second = file.read_f32("single.0.feature");
  want.insert(want.end(), second.begin(), second.end());
  EXPECT_LE(distance(rows.values, want), kTolerance);
}

TEST_F(OnnxBert, NothingGivesNothing) { EXPECT_TRUE(Bert(models("bert/bert.onnx")).encode({}).values.empty()); }

TEST_F(OnnxBert, RefusesATokenThatTheModelLacks) {
  const Bert bert(models("bert/bert.onnx"));
  for (const int id : {22012, 2'000'000'000, -30000}) {
    const std::vector<std::vector<int>> sequences{{1, id, 2}};
    test::expect_error([&] { (void)bert.encode(sequences); }, {"bert.onnx", "ONNX Runtime cannot run it"});
  }
}

TEST_F(OnnxBert, RefusesAVoice) {
  test::expect_error(
      [] {
        (void)Bert(models("voice/synthesizer.onnx"), {1, false});
      },
      {"synthesizer.onnx", "is not a BERT", "'x'", "Expected inputs: input_ids int64 of rank 2", "attention_mask",
       "The file has inputs: x int64 [1, ?]", "outputs: audio float32 [?, 1, ?]"});
}

}  // namespace
}  // namespace hayakoe
