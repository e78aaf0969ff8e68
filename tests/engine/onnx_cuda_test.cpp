// SPDX-License-Identifier: Apache-2.0
// ONNX models of an engine whose device is a GPU, with a runtime that looks like a CUDA build
// (tests/onnx/runtime_with_cuda.hpp) and the emulated GPU: what is left on the GPU, and what is said where CUDA does
// not work.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <hayakoe/hayakoe.hpp>
#include <map>
#include <set>
#include <tuple>

#include "onnx/bert.hpp"
#include "onnx/models.hpp"
#include "onnx/runtime_with_cuda.hpp"
#include "support/engine.hpp"
#include "support/files.hpp"
#include "support/golden.hpp"

namespace hayakoe {
namespace {

namespace fs = std::filesystem;
using Counts = std::map<std::string, int>;

// Three sentences, two boundaries: the duration predictor sees five segments.
constexpr std::string_view kText = "東京は晴れ。大阪は雨です！名古屋は、どうでしょう。";

SpeakOptions still() {
  SpeakOptions o = test::still();
  o.speed = 2;
  return o;
}

Counts counts(const std::vector<std::string>& names) {
  Counts counts;
  for (const std::string& name : names) ++counts[name];
  return counts;
}

class WithStandIn : public testing::Test {
 protected:
  void SetUp() override {
    seen_ = test::seen_by_runtime();
    if (seen_ == nullptr || test::on_cpu()) GTEST_SKIP() << "needs the stand-in for ONNX Runtime, and a GPU";
  }
  static void TearDownTestSuite() { opened().clear(); }
  test::SeenByRuntime& seen() { return *seen_; }

  // Opening graphs takes longer than speaking: the tests share them.
  static const Voice& open(const std::string& device, const fs::path& voice, const fs::path& bert) {
    const auto found = opened().find({device, voice, bert});
    if (found != opened().end()) return found->second;
    EngineOptions o;
    o.device = device;
    o.precision = "f32";
    o.bert = bert;
    return opened().emplace(std::tuple(device, voice, bert), Engine(o).load("voice", voice)).first->second;
  }

  // What the GPU's voice says, beside what the CPU's does.
  Audio say(const fs::path& voice, const fs::path& bert, double tolerance, const SpeakOptions& options = still()) {
    const Audio want = open("cpu", voice, bert).generate(kText, options);
    seen() = {};
    Audio got = open(test::device_name(), voice, bert).generate(kText, options);
    EXPECT_EQ(got.samples.size(), want.samples.size());
    EXPECT_LE(test::distance(got.samples, want.samples), tolerance);
    return got;
  }

 private:
  static std::map<std::tuple<std::string, fs::path, fs::path>, Voice>& opened() {
    static std::map<std::tuple<std::string, fs::path, fs::path>, Voice> voices;
    return voices;
  }
  test::SeenByRuntime* seen_ = nullptr;
};

class OnnxCuda : public WithStandIn {};

TEST_F(OnnxCuda, BertsOutputStaysOnTheGpu) {
  const Audio audio = say(test::models("voice"), test::models("bert"), 0);
  EXPECT_TRUE(audio.warnings.empty());
  EXPECT_EQ(audio.stats.bert_forwards, 1);
  EXPECT_EQ(counts(seen().left_on_gpu), (Counts{{"hidden", 1}, {"expanded", 5}}));
  EXPECT_EQ(counts(seen().from_gpu), (Counts{{"features", 5}, {"bert", 5 + 3}}));
  EXPECT_EQ(counts(seen().to_host), (Counts{{"durations", 5}, {"audio", 3}}));
  EXPECT_EQ(audio.stats.uploads, 0);
  EXPECT_EQ(audio.stats.downloads, 0);
  EXPECT_GE(seen().providers.size(), 3U) << "BERT and the voice's two graphs; the expansion may be open already";
  const std::set<std::string> providers(seen().providers.begin(), seen().providers.end());
  EXPECT_EQ(
      providers,
      (std::set<std::string>{"device_id=0 cudnn_conv_algo_search=HEURISTIC arena_extend_strategy=kSameAsRequested "}));
}

TEST_F(OnnxCuda, ASingleFileExpandsOnceASentence) {
  const Voice& voice = open(test::device_name(), test::models("voice-tiny.aivmx"), test::models("bert"));
  seen() = {};
  EXPECT_EQ(voice.generate(kText, still()).sentences.size(), 3U);
  EXPECT_EQ(counts(seen().left_on_gpu), (Counts{{"hidden", 1}, {"expanded", 3}}));
  EXPECT_EQ(counts(seen().to_host), (Counts{{"output", 3}}));
}

// A stream's second batch needs the last sentence of the first for the pause between them.
TEST_F(OnnxCuda, BatchesAreJoinedThere) {
  const Voice& voice = open(test::device_name(), test::models("voice"), test::models("bert"));
  const std::vector<float> whole = voice.generate(kText, still()).samples;
  seen() = {};
  std::vector<float> streamed;
  voice.stream(kText, still(), [&](const Audio& chunk) {
    streamed.insert(streamed.end(), chunk.samples.begin(), chunk.samples.end());
    return true;
  });
  EXPECT_EQ(streamed.size(), whole.size());
  EXPECT_LE(test::distance(streamed, whole), 1e-4);
  EXPECT_EQ(counts(seen().left_on_gpu), (Counts{{"hidden", 2}, {"joined", 1}, {"expanded", 5}}));
  EXPECT_EQ(counts(seen().to_host), (Counts{{"durations", 5}, {"audio", 3}}));
}

TEST_F(OnnxCuda, WhatIsOnTheGpuCannotBeSeenFromTheCpu) {
  const onnx::Bert bert(test::models("bert/bert.onnx"), {.cuda = 0});
  onnx::Features features = bert.encode_on_device(std::vector<std::vector<int>>{{1, 5, 2}});
  EXPECT_EQ(features.values.cuda(), 0);
  const onnx::Session on_cpu(test::models("voice/duration_predictor.onnx"), {1, false});
  const std::vector<onnx::Input> inputs{{"bert", {}, features.values}};
  const std::vector<std::string> outputs{"durations"};
  test::expect_error([&] { (void)on_cpu.run(inputs, outputs); }, {"duration_predictor.onnx", "memory of the GPU"});
}

TEST_F(OnnxCuda, ACheckpointsFeaturesGoThroughTheHost) {
  const Audio want = open("cpu", test::models("voice"), test::models("bert")).generate(kText, still());
  const Voice& voice = open(test::device_name(), test::models("voice"), test::data("bert-tiny"));
  seen() = {};
  const Audio audio = voice.generate(kText, still());
  EXPECT_LE(test::distance(audio.samples, want.samples), 1e-4);
  EXPECT_EQ(counts(seen().left_on_gpu), Counts());
  EXPECT_EQ(counts(seen().to_host), (Counts{{"durations", 5}, {"audio", 3}}));
  EXPECT_EQ(audio.stats.downloads, 1);
}

TEST_F(OnnxCuda, FeaturesForACheckpointGoThroughTheHost) {
  SpeakOptions fast = still();
  fast.speed = 10;  // the emulated GPU takes its time
  const Audio audio = say(test::data("voice-tiny"), test::models("bert"), 1e-4, fast);
  EXPECT_TRUE(audio.warnings.empty());
  EXPECT_EQ(counts(seen().to_host), (Counts{{"hidden", 1}}));
  EXPECT_EQ(audio.stats.uploads, 2);
}

TEST_F(OnnxCuda, AnAssistTextIsMixedInOnTheDevice) {
  SpeakOptions o = still();
  o.assist_text = "とても嬉しいです。";
  const Audio audio = say(test::models("voice"), test::models("bert"), 1e-4, o);
  EXPECT_EQ(counts(seen().to_host), (Counts{{"hidden", 1}, {"durations", 5}, {"audio", 3}}));
  EXPECT_EQ(audio.stats.downloads, 1);
}

class OnnxWithoutCuda : public WithStandIn {
 protected:
  static std::string matter() {
    const char* const matter = std::getenv("HAYAKOE_STANDIN_CUDA");
    return matter != nullptr ? matter : "";
  }
  // The only warning says all of `parts`.
  static void expect_warning(const Audio& audio, const std::vector<std::string>& parts) {
    ASSERT_EQ(audio.warnings.size(), 1U);
    for (const std::string& part : parts)
      EXPECT_NE(audio.warnings.front().find(part), std::string::npos) << audio.warnings.front();
  }
};

TEST_F(OnnxWithoutCuda, BertRunsOnTheCpuAndAWarningSaysWhy) {
  const std::map<std::string, std::string> reasons{{"absent", "is a build without CUDA; set HAYAKOE_ONNXRUNTIME"},
                                                   {"no-library", "it needs NVIDIA's driver, and CUDA and cuDNN"},
                                                   {"no-driver", "CUDA driver version is insufficient"}};
  SpeakOptions fast = still();
  fast.speed = 10;
  const Audio audio = say(test::data("voice-tiny"), test::models("bert"), 1e-4, fast);
  expect_warning(audio, {"voice-tiny: ONNX models run on the CPU: ONNX Runtime", reasons.at(matter())});
  EXPECT_EQ(counts(seen().to_host), Counts());
}

TEST_F(OnnxWithoutCuda, SoDoesAVoice) {
  if (matter() != "absent") GTEST_SKIP() << "it does not depend on the reason";
  const Audio audio = open(test::device_name(), test::models("voice"), test::models("bert")).generate(kText, still());
  EXPECT_EQ(audio.sentences.size(), 3U);
  expect_warning(audio, {"a build without CUDA", "a checkpoint of the same voice would run on the GPU"});
  EXPECT_EQ(counts(seen().to_host), Counts());
}

}  // namespace
}  // namespace hayakoe
