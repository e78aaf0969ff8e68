// SPDX-License-Identifier: Apache-2.0
#include "onnx/voice.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "models.hpp"
#include "support/files.hpp"
#include "support/golden.hpp"

namespace hayakoe {
namespace {

using onnx::Voice;
using test::distance;
using test::expect_error;
using test::kTolerance;
using test::models;

// The inputs of a golden case, everything random switched off, and what must come out.
struct Case {
  std::vector<int> phones, tones, languages;
  std::vector<float> bert, style, audio;
  std::vector<int32_t> durations;
  int64_t speaker = 0;
  float length_scale = 1.0F;

  explicit Case(const std::string& name) {
    const auto in = tensor::SafeTensors::open(test::data("voice-tiny/golden-" + name + ".safetensors"));
    const auto out = tensor::SafeTensors::open(test::data("onnx-tiny/golden-deterministic.safetensors"));
    phones = test::integers(in, "x");
    tones = test::integers(in, "tone");
    languages = test::integers(in, "language");
    bert = in.read_f32("bert");
    style = in.read_f32("style_vec");
    speaker = test::integers(out, name + ".sid").front();
    length_scale = out.read_f32(name + ".length_scale").front();
    audio = out.read_f32(name + ".audio");
    for (const float frames : out.read_f32(name + ".durations")) durations.push_back(static_cast<int32_t>(frames));
  }
  [[nodiscard]] onnx::VoiceInput input() const {
    return {phones, tones, languages, features(64), style, speaker, length_scale, 0.0F, 0.0F, 0.0F};
  }
  // The first `width` features of each phone.
  [[nodiscard]] onnx::DeviceTensor features(int64_t width) const {
    const auto count = static_cast<int64_t>(phones.size());
    return {{bert.begin(), bert.begin() + width * count}, {1, width, count}};
  }
};

class OnnxVoice : public test::WithOnnxRuntime {};

constexpr onnx::SessionOptions kFast{1, true};            // to run
constexpr onnx::SessionOptions kQuicklyOpened{1, false};  // for tests that say little

Voice hayakoe_form(const onnx::SessionOptions& options) {
  return Voice(models("voice/synthesizer.onnx"), models("voice/duration_predictor.onnx"), options);
}

TEST_F(OnnxVoice, SpeaksInBothPublishedForms) {
  const Voice pair = hayakoe_form(kFast);
  const Voice single(models("voice-tiny.aivmx"), std::nullopt, kFast);
  for (const char* name : {"short", "long", "alt", "min"}) {
    const Case c(name);
    EXPECT_LE(distance(pair.synthesize(c.input()), c.audio), kTolerance) << name;
    EXPECT_LE(distance(single.synthesize(c.input()), c.audio), kTolerance) << name;
  }
}

TEST_F(OnnxVoice, PredictsTheDurationsExactly) {
  const Voice voice = hayakoe_form(kQuicklyOpened);
  ASSERT_TRUE(voice.has_durations());
  for (const char* name : {"short", "long", "alt", "min"}) {
    const Case c(name);
    EXPECT_EQ(voice.durations(c.input()), c.durations) << name;
  }
}

TEST_F(OnnxVoice, ASingleFileKeepsItsDurationsToItself) {
  const Voice voice(models("voice-tiny.aivmx"), std::nullopt, kQuicklyOpened);
  EXPECT_FALSE(voice.has_durations());
  const Case c("min");
  expect_error([&] { (void)voice.durations(c.input()); }, {"voice-tiny.aivmx", "no duration predictor"});
}

TEST_F(OnnxVoice, ThreadsMaySpeakAtOnce) {
  const Voice voice = hayakoe_form(kQuicklyOpened);
  const Case first("short");
  const Case second("alt");
  std::vector<float> got;
  std::thread other([&] { got = voice.synthesize(second.input()); });
  EXPECT_LE(distance(voice.synthesize(first.input()), first.audio), kTolerance);
  other.join();
  EXPECT_LE(distance(got, second.audio), kTolerance);
}

TEST_F(OnnxVoice, RefusesAnotherKindOfModel) {
  expect_error([] { (void)Voice(models("bert/bert.onnx")); },
               {"bert.onnx", "is not a voice's synthesizer", "'input_ids'", "Expected inputs: x|x_tst int64 of rank 2",
                "The file has inputs: input_ids int64 [?, ?]", "outputs: hidden float32 [?, ?, 64]"});
  expect_error([] { (void)Voice(models("voice/synthesizer.onnx"), models("voice/synthesizer.onnx"), kQuicklyOpened); },
               {"is not a voice's duration predictor", "it has no such output",
                "Expected output: durations float32 of rank 2", "outputs: audio float32"});
}

TEST_F(OnnxVoice, NamesTheInputThatAModelLacks) {
  expect_error([] { (void)Voice(models("voice/duration_predictor.onnx"), std::nullopt, kQuicklyOpened); },
               {"duration_predictor.onnx", "is not a voice's synthesizer", "it has no input 'noise_scale'"});
}

TEST_F(OnnxVoice, RefusesInputsThatDoNotFit) {
  const Voice voice = hayakoe_form(kQuicklyOpened);
  const Case c("short");
  onnx::VoiceInput input = c.input();
  input.tones = input.tones.first(3);
  expect_error([&] { (void)voice.synthesize(input); }, {"synthesizer.onnx", "25 phones, 3 tones and 25 languages"});
  input = c.input();
  input.bert = c.features(32);
  expect_error([&] { (void)voice.durations(input); }, {"duration_predictor.onnx", "needs 64 BERT features a phone"});
  input.bert = {};
  expect_error([&] { (void)voice.durations(input); }, {"duration_predictor.onnx", "but got [] for 25 phones"});
  input = c.input();
  input.style = input.style.first(128);
  expect_error([&] { (void)voice.synthesize(input); },
               {"synthesizer.onnx", "a style vector of 256 values, but got 128"});
  input = c.input();
  input.speaker = 99;
  expect_error([&] { (void)voice.synthesize(input); }, {"synthesizer.onnx", "ONNX Runtime cannot run it"});
}

}  // namespace
}  // namespace hayakoe
