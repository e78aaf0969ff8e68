// SPDX-License-Identifier: Apache-2.0
// What the engine promises on a GPU, real or emulated ($HAYAKOE_TEST_DEVICE): it speaks as the CPU does, copies little,
// launches little, shares what is on the device, and says what is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <hayakoe/hayakoe.hpp>
#include <numeric>
#include <optional>

#include "engine/bert_pool.hpp"
#include "support/engine.hpp"
#include "support/files.hpp"
#include "support/golden.hpp"

namespace hayakoe {
namespace {

const char* const kText = "今日は晴れ。散歩に行きませんか？川まで歩いて、休みましょう！";

// Of different lengths. Spoken fast, so that there is little to compute.
std::vector<std::string> sentences(int count) {
  const std::vector<std::string> some{"今日は晴れ。", "雨だ。", "散歩に行きませんか？", "とても静かです。", "はい！"};
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back(some[static_cast<size_t>(i) % some.size()]);
  return all;
}

std::string joined(const std::vector<std::string>& sentences) {
  return std::accumulate(sentences.begin(), sentences.end(), std::string());
}

SpeakOptions fast(double speed = 10) {
  SpeakOptions o;
  o.speed = speed;
  return o;
}

Voice tiny_voice(EngineOptions options) {
  options.bert = test::data("bert-tiny");
  return Engine(options).load("tiny", test::data("voice-tiny"));
}

EngineOptions cpu() {
  EngineOptions o;
  o.device = "cpu";
  o.precision = "f32";
  return o;
}

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (test::on_cpu()) GTEST_SKIP() << "HAYAKOE_TEST_DEVICE names no GPU";
  }
  static const Voice& voice() {
    static const Voice instance = tiny_voice(test::engine_options("f32"));
    return instance;
  }
};

void expect_same_speech(const Audio& got, const Audio& want, double tolerance) {
  ASSERT_EQ(got.sentences.size(), want.sentences.size());
  for (size_t i = 0; i < got.sentences.size(); ++i) {
    const auto& a = got.sentences[i].phones;
    const auto& b = want.sentences[i].phones;
    ASSERT_EQ(a.size(), b.size());
    for (size_t p = 0; p < a.size(); ++p) EXPECT_DOUBLE_EQ(a[p].end, b[p].end) << i << " " << a[p].symbol;
  }
  EXPECT_LE(test::distance(got.samples, want.samples), tolerance);
}

TEST_F(GpuTest, SpeaksAsTheCpuDoes) {
  const Voice reference = tiny_voice(cpu());
  SpeakOptions lively = fast();
  lively.seed = 7;
  lively.sdp_ratio = 1.0;
  lively.style = "Angry";
  lively.style_weight = 1.5;
  lively.speaker = "tiny-b";
  lively.assist_text = "やったー！";
  lively.assist_weight = 0.6;
  SpeakOptions even = fast();
  even.sdp_ratio = 0.0;
  even.noise = 0.0;
  for (const SpeakOptions& o : {fast(3), lively, even})
    expect_same_speech(voice().generate(kText, o), reference.generate(kText, o), test::kTolerance);
}

TEST_F(GpuTest, TheBoxVoiceSpeaksAsOnTheCpu) {
  const auto say = [](const EngineOptions& o) {
    return Engine(o).load("demo", test::voices("demo")).generate("おはよう。");
  };
  expect_same_speech(say(test::engine_options("f32")), say(cpu()), 1e-3);
}

TEST_F(GpuTest, OneForwardOneUploadTwoDownloads) {
  SpeakOptions o = fast();
  o.pause.mode = PauseOptions::Mode::kNone;  // the waveform is what was downloaded
  for (const int count : {1, 2, 16}) {
    const Audio audio = voice().generate(joined(sentences(count)), o);
    const Stats& s = audio.stats;
    EXPECT_EQ(s.sentences, count);
    EXPECT_EQ(s.bert_forwards, 1);
    EXPECT_EQ(s.uploads, 1);
    EXPECT_EQ(s.downloads, 2);
    // Up: a token a row of BERT, and four integers a position. Down: a duration a position, and the samples. So nothing
    // is copied between BERT and text encoder, or anywhere else.
    const int64_t integers = s.upload_bytes / 4 - s.bert_rows;
    EXPECT_GT(integers, 0);
    EXPECT_EQ(integers % 4, 0);
    EXPECT_EQ(s.download_bytes, 4 * (integers / 4 + std::ssize(audio.samples)));
  }
}

TEST_F(GpuTest, ABatchTakesHardlyMoreLaunchesThanASentence) {
  const auto launches = [](int count) {
    return static_cast<double>(voice().generate(joined(sentences(count)), fast()).stats.kernel_launches);
  };
  const double one = launches(1);
  EXPECT_GT(one, 100.0);
  EXPECT_LE(launches(16), 1.3 * one);
}

// A batch holds the activations of all its sentences, so the figure that it is measured against is the sum of what the
// same sentences take one by one (their total working set). The weights are the same both ways and do not count.
TEST_F(GpuTest, ABatchHoldsNoMoreThanItsSentences) {
  int64_t alone = 0;
  int64_t largest = 0;
  for (const std::string& sentence : sentences(8)) {
    const int64_t peak = voice().generate(sentence, fast()).stats.peak_bytes;
    alone += peak;
    largest = std::max(largest, peak);
  }
  const int64_t batched = voice().generate(joined(sentences(8)), fast()).stats.peak_bytes;
  EXPECT_LE(static_cast<double>(batched), 1.05 * static_cast<double>(alone));
  EXPECT_GT(batched, largest);
}

TEST_F(GpuTest, MemoryIsFlatAfterWarmUp) {
  const auto held = [] {
    const Stats s = voice().generate(kText, fast()).stats;
    return std::pair(s.arena_bytes, s.device_bytes);
  };
  (void)held();
  const auto after = held();
  EXPECT_GT(after.first, 0);
  EXPECT_GT(after.second, 0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(held(), after);
}

TEST_F(GpuTest, FourVoicesShareOneBert) {
  const auto device = test::open_device(1);
  const int64_t before = device->weight_bytes();
  int64_t last = before;
  const auto grown = [&] { return device->weight_bytes() - std::exchange(last, device->weight_bytes()); };
  {
    EngineOptions o = test::engine_options("f16");  // no other test keeps a BERT of this type
    o.bert = test::data("bert-tiny");
    const auto bert = engine::BertPool::get(o.bert, device, device->precision("f16").bert, "native", 1);
    const int64_t of_bert = grown();
    EXPECT_GT(of_bert, 1'000'000);
    Engine engine(o);
    std::vector<int64_t> of_voice;
    for (const char* name : {"a", "b", "c", "d"}) {
      engine.load(name, test::data("voice-tiny"));
      engine.prepare();
      of_voice.push_back(grown());
    }
    EXPECT_GT(of_voice[0], 1'000'000);
    EXPECT_EQ(of_voice, std::vector<int64_t>(4, of_voice[0]));
    EXPECT_EQ(engine.voice("d").generate("はい。", fast()).stats.device_bytes, before + of_bert + 4 * of_voice[0]);
  }
  EXPECT_EQ(device->weight_bytes(), before);  // and all goes with its last user
}

TEST_F(GpuTest, AStreamIsTheWhole) {
  std::vector<float> streamed;
  int chunks = 0;
  voice().stream(kText, fast(3), [&](const Audio& chunk) {
    streamed.insert(streamed.end(), chunk.samples.begin(), chunk.samples.end());
    ++chunks;
    return true;
  });
  EXPECT_GT(chunks, 3);
  EXPECT_LE(test::distance(streamed, voice().generate(kText, fast(3)).samples), test::kTolerance);
}

TEST_F(GpuTest, ASentenceDoesNotDependOnItsBatch) {
  SpeakOptions o = fast();
  o.noise = o.noise_w = 0.0;  // which depend on the place in the text
  o.pause.mode = PauseOptions::Mode::kNone;
  std::vector<float> one_by_one;
  for (const std::string& sentence : sentences(5)) {
    const Audio audio = voice().generate(sentence, o);
    one_by_one.insert(one_by_one.end(), audio.samples.begin(), audio.samples.end());
  }
  EXPECT_LE(test::distance(voice().generate(joined(sentences(5)), o).samples, one_by_one), 1e-6);
}

TEST_F(GpuTest, RequestsAtOnceDoNotDisturbOneAnother) {
  const std::vector<std::string> texts{"今日は晴れ。", "雨だ。散歩に行きませんか？"};
  std::vector<std::vector<float>> want;
  for (const std::string& text : texts) want.push_back(voice().generate(text, fast()).samples);
  std::vector<std::future<std::vector<float>>> got;
  for (int i = 0; i < 4; ++i) {
    got.push_back(std::async(std::launch::async,
                             [&, i] { return voice().generate(texts[static_cast<size_t>(i % 2)], fast()).samples; }));
  }
  for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i].get(), want[i % 2]);
}

TEST_F(GpuTest, AConvertedFolderIsForTheCpu) {
  const test::TempFolder folder;
  convert(test::data("voice-tiny"), folder.path() / "voice", "f16");
  EngineOptions o = test::engine_options();
  o.bert = test::data("bert-tiny");
  Engine engine(o);
  const Voice converted = engine.load("converted", folder.path() / "voice");
  test::expect_error([&] { (void)converted.generate("はい。"); },
                     {(folder.path() / "voice").c_str(), "converted for the CPU"});
}

// In a process of its own, in which the emulated GPU has this many bytes: enough for the models and a short text.
TEST_F(GpuTest, WhereMemoryEndsAnErrorSaysSoAndTheEngineGoesOn) {
  const char* const limit = std::getenv("HAYAKOE_CUDA_MEMORY");
  if (limit == nullptr) GTEST_SKIP() << "HAYAKOE_CUDA_MEMORY does not limit the emulated GPU's memory";
  const std::vector<float> before = voice().generate("はい。", fast()).samples;
  for (int i = 0; i < 2; ++i) {
    test::expect_error([&] { (void)voice().generate(kText); }, {"not enough memory on GPU 0", "MB are free"});
    EXPECT_EQ(voice().generate("はい。", fast()).samples, before);
  }
}

}  // namespace
}  // namespace hayakoe
