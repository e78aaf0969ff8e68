// SPDX-License-Identifier: Apache-2.0
// Published ONNX forms of the tiny voice beside its checkpoint, through the public API.
#include <gtest/gtest.h>

#include <filesystem>
#include <hayakoe/hayakoe.hpp>
#include <map>
#include <utility>

#include "engine/request.hpp"
#include "onnx/models.hpp"
#include "support/engine.hpp"
#include "support/files.hpp"
#include "support/golden.hpp"

namespace hayakoe {
namespace {

namespace fs = std::filesystem;
using test::still;

constexpr std::string_view kText = "東京は晴れ。大阪は雨です！名古屋は、どうでしょう。";

class OnnxVoice : public test::WithOnnxRuntime {
 protected:
  // Opening graphs takes longer than speaking: the tests share them.
  static std::map<std::pair<fs::path, fs::path>, Voice>& opened() {
    static std::map<std::pair<fs::path, fs::path>, Voice> voices;
    return voices;
  }
  static void TearDownTestSuite() { opened().clear(); }

  static const Voice& open(const fs::path& voice, const fs::path& bert) {
    const auto found = opened().find({voice, bert});
    if (found != opened().end()) return found->second;
    EngineOptions o = test::engine_options("f32");
    o.bert = bert;
    return opened().emplace(std::pair(voice, bert), Engine(o).load("voice", voice)).first->second;
  }

  static Audio say(const fs::path& voice, const fs::path& bert, const SpeakOptions& options = still()) {
    return open(voice, bert).generate(kText, options);
  }
};

TEST_F(OnnxVoice, SpeaksAsTheCheckpointDoesWithEitherBert) {
  const Audio native = say(test::data("voice-tiny"), test::data("bert-tiny"));
  ASSERT_EQ(native.sentences.size(), 3U);
  for (const fs::path& bert : {fs::path(test::data("bert-tiny")), test::models("bert")}) {
    const Audio onnx = say(test::models("voice"), bert);
    EXPECT_LE(test::distance(onnx.samples, native.samples), 1e-4) << bert;
    ASSERT_EQ(onnx.sentences.size(), native.sentences.size());
    for (size_t i = 0; i < onnx.sentences.size(); ++i) {
      const auto& a = onnx.sentences[i].phones;
      const auto& b = native.sentences[i].phones;
      ASSERT_EQ(a.size(), b.size());
      for (size_t p = 0; p < a.size(); ++p) EXPECT_DOUBLE_EQ(a[p].end, b[p].end) << a[p].symbol;
    }
  }
  const Audio mixed = say(test::data("voice-tiny"), test::models("bert"));
  EXPECT_LE(test::distance(mixed.samples, native.samples), 1e-4);
}

TEST_F(OnnxVoice, OneBertForwardForAText) {
  EXPECT_EQ(say(test::models("voice"), test::models("bert")).stats.bert_forwards, 1);
}

TEST_F(OnnxVoice, AStyleIsMovedFromTheNeutralOne) {
  SpeakOptions o = still();
  o.style = "Happy";
  o.style_weight = 2.5;
  o.speaker = "tiny-b";
  EXPECT_LE(test::distance(say(test::models("voice"), test::data("bert-tiny"), o).samples,
                           say(test::data("voice-tiny"), test::data("bert-tiny"), o).samples),
            1e-4);
}

TEST_F(OnnxVoice, ASingleFileHasItsSentencesAndTheUsualPauses) {
  const Audio folder = say(test::models("voice"), test::data("bert-tiny"));
  const Audio file = say(test::models("voice-tiny.aivmx"), test::data("bert-tiny"));
  ASSERT_EQ(file.sentences.size(), folder.sentences.size());
  for (size_t i = 0; i < file.sentences.size(); ++i) {
    const auto length = [&](const Audio& a) { return a.sentences[i].end - a.sentences[i].begin; };
    EXPECT_NEAR(length(file), length(folder), 1e-6);
    if (i == 0) continue;
    const double pause = file.sentences[i].begin - file.sentences[i - 1].end;
    EXPECT_LE(pause, engine::kUsualPause);
  }
  SpeakOptions fixed = still();
  fixed.pause = {PauseOptions::Mode::kFixed, 1.0, 0.0};
  const double longer =
      static_cast<double>(say(test::models("voice-tiny.aivmx"), test::data("bert-tiny"), fixed).samples.size()) -
      static_cast<double>(file.samples.size());
  EXPECT_NEAR(longer / file.sample_rate, 2 * (1.0 - engine::kUsualPause), 1e-3);
}

TEST_F(OnnxVoice, AStreamIsTheWhole) {
  const Voice& voice = open(test::models("voice"), test::models("bert"));
  std::vector<float> streamed;
  int chunks = 0;
  voice.stream(kText, still(), [&](const Audio& chunk) {
    streamed.insert(streamed.end(), chunk.samples.begin(), chunk.samples.end());
    ++chunks;
    return true;
  });
  EXPECT_EQ(chunks, 3);
  EXPECT_LE(test::distance(streamed, voice.generate(kText, still()).samples), 1e-4);
}

TEST_F(OnnxVoice, VoicesOfBothKindsShareOneBert) {
  opened().clear();
  EngineOptions o = test::engine_options();
  o.bert = test::models("bert");
  Engine engine(o);
  engine.load("checkpoint", test::data("voice-tiny"));
  engine.load("folder", test::models("voice"));
  engine.load("file", test::models("voice-tiny.aivmx"));
  engine.prepare();
  EXPECT_EQ(Engine::loaded_berts(), 1);
}

TEST_F(OnnxVoice, TellsWhatItIs) {
  const VoiceInfo folder = describe_voice(test::models("voice"));
  const VoiceInfo checkpoint = describe_voice(test::data("voice-tiny"));
  EXPECT_EQ(folder.engine, "onnx");
  EXPECT_EQ(checkpoint.engine, "native");
  for (const fs::path& path : {test::models("voice"), test::models("voice-tiny.aivmx")}) {
    const VoiceInfo info = describe_voice(path);
    EXPECT_EQ(info.speakers, checkpoint.speakers);
    EXPECT_EQ(info.styles, checkpoint.styles);
    EXPECT_EQ(info.sample_rate, checkpoint.sample_rate);
    EXPECT_EQ(info.bert_width, checkpoint.bert_width);
    EXPECT_GT(info.bytes, 1'000'000);
  }
}

TEST_F(OnnxVoice, TheEngineDecidesWhereBothFormsAreThere) {
  const test::TempFolder both;
  for (const fs::path& file :
       {test::models("voice/synthesizer.onnx"), test::models("voice/duration_predictor.onnx"),
        fs::path(test::data("voice-tiny/model.safetensors")), fs::path(test::data("voice-tiny/config.json")),
        fs::path(test::data("voice-tiny/style_vectors.npy"))}) {
    fs::copy(file, both.path() / file.filename());
  }
  const auto engine_of = [&](const std::string& engine) {
    EngineOptions o = test::engine_options();
    o.engine = engine;
    o.bert = test::data("bert-tiny");
    return Engine(o).load("voice", both.path()).info().engine;
  };
  EXPECT_EQ(engine_of("auto"), "native");
  EXPECT_EQ(engine_of("native"), "native");
  EXPECT_EQ(engine_of("onnx"), "onnx");
  EXPECT_THROW(static_cast<void>(engine_of("torch")), Error);
}

}  // namespace
}  // namespace hayakoe
