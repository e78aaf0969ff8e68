// SPDX-License-Identifier: Apache-2.0
#include "model/bert.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <hayakoe/error.hpp>

#include "support/device.hpp"
#include "support/files.hpp"
#include "support/golden.hpp"

namespace hayakoe::model {
namespace {

using device::Segments;
using test::Matrix;

class BertTest : public testing::Test {
 protected:
  std::shared_ptr<device::Device> device_ = test::open_device(2);
  std::unique_ptr<device::Stream> stream_ = device_->stream();
  tensor::SafeTensors golden_ = tensor::SafeTensors::open(test::data("bert-tiny/golden.safetensors"));

  Matrix run(const Bert& bert, const std::vector<int32_t>& ids, const std::vector<int64_t>& lengths) {
    return test::download(*stream_, bert.forward(*stream_, stream_->upload(ids), Segments::of_lengths(lengths)));
  }
};

TEST_F(BertTest, SingleSentencesMatchTheReference) {
  const Bert bert(test::data("bert-tiny"), device_);
  for (const std::string name : {"single.0", "single.1", "single.2", "single.3", "single.4", "long", "xlong"}) {
    const auto ids = test::integers(golden_, name + ".input_ids");
    const Matrix got = run(bert, ids, {static_cast<int64_t>(ids.size())});
    EXPECT_LE(test::distance(got.values, test::rows_of(golden_, name + ".feature").values), test::kTolerance) << name;
  }
}

TEST_F(BertTest, ARaggedBatchGivesEverySentenceItsOwnResult) {
  const Bert bert(test::data("bert-tiny"), device_);
  for (const std::vector<int>& order : {std::vector<int>{0, 1, 2, 3, 4}, {4, 2, 0, 3, 1}, {3}}) {
    std::vector<int32_t> ids;
    std::vector<int64_t> lengths;
    std::vector<float> want;
    for (const int i : order) {
      const auto one = test::integers(golden_, "single." + std::to_string(i) + ".input_ids");
      const auto feature = golden_.read_f32("single." + std::to_string(i) + ".feature");
      ids.insert(ids.end(), one.begin(), one.end());
      lengths.push_back(static_cast<int64_t>(one.size()));
      want.insert(want.end(), feature.begin(), feature.end());
    }
    EXPECT_LE(test::distance(run(bert, ids, lengths).values, want), test::kTolerance);
  }
}

TEST_F(BertTest, HalfPrecisionFilesHoldTheSameWeights) {
  // Every weight is exactly representable in F16.
  const test::TempFolder temporary;
  const std::filesystem::path& folder = temporary.path();
  for (const auto& [from, to] :
       {std::pair{"bert-tiny/config.json", "config.json"}, {"bert-tiny/model-f16.safetensors", "model.safetensors"}}) {
    std::filesystem::copy_file(test::data(from), folder / to);
  }
  const auto ids = test::integers(golden_, "single.3.input_ids");
  const std::vector<int64_t> lengths{static_cast<int64_t>(ids.size())};
  const Bert f32(test::data("bert-tiny"), device_);
  const Bert f16(folder, device_);
  EXPECT_EQ(run(f32, ids, lengths).values, run(f16, ids, lengths).values);
}

TEST_F(BertTest, DistancesFallIntoTheReferenceBuckets) {
  const auto buckets = relative_buckets(256, 512);
  const auto distance = golden_.read_i64("bucket.rel_pos");
  const auto row = golden_.read_i64("bucket.c2p_row");
  ASSERT_EQ(distance.size(), 1401U);
  for (size_t i = 0; i < distance.size(); ++i) EXPECT_EQ(buckets.at(distance[i]), row[i]) << distance[i];
}

TEST_F(BertTest, ABrokenFolderIsNamed) {
  const auto fails = [&](const std::filesystem::path& folder, const std::string& part) {
    try {
      const Bert bert(folder, device_);
      ADD_FAILURE() << "no error for " << folder;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  fails("/nonexistent/bert", "/nonexistent/bert/config.json");
  fails(test::data("voice-tiny"), "embeddings.word_embeddings.weight");

  const test::TempFolder temporary;
  const std::filesystem::path& folder = temporary.path();
  std::filesystem::copy_file(test::data("bert-tiny/config.json"), folder / "config.json");
  fails(folder, "model.safetensors");
  std::filesystem::copy_file(test::data("bert-tiny/model-f16.safetensors"), folder / "model.safetensors");
  std::filesystem::resize_file(folder / "model.safetensors", 1'000'000);
  fails(folder, "model.safetensors");
}

}  // namespace
}  // namespace hayakoe::model
