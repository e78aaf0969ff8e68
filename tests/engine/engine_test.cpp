// SPDX-License-Identifier: Apache-2.0
// What the engine promises, on the voice in the box.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <hayakoe/hayakoe.hpp>
#include <thread>

#include "support/engine.hpp"
#include "support/golden.hpp"

namespace hayakoe {
namespace {

const char* const kText =
    "こんにちは。今日はいい天気ですね！散歩に行きませんか？公園の桜がきれいに咲いています。\n"
    "3.5キロほど歩くと、川に出ます…そこで休みましょう！？それから帰ります。";

class EngineTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    engine_ = new Engine(test::engine_options());
    voice_ = new Voice(engine_->load("demo", test::voices("demo")));
    engine_->prepare();
  }
  static void TearDownTestSuite() {
    delete voice_;
    delete engine_;
  }
  static std::vector<float> streamed(const std::string& text, const SpeakOptions& o,
                                     std::vector<Audio>* chunks = nullptr) {
    std::vector<float> all;
    voice_->stream(text, o, [&](const Audio& chunk) {
      all.insert(all.end(), chunk.samples.begin(), chunk.samples.end());
      if (chunks != nullptr) chunks->push_back(chunk);
      return true;
    });
    return all;
  }
  static Engine* engine_;
  static Voice* voice_;
};

Engine* EngineTest::engine_ = nullptr;
Voice* EngineTest::voice_ = nullptr;

TEST_F(EngineTest, OneBertForwardAText) {
  const Audio audio = voice_->generate(kText);
  EXPECT_EQ(audio.stats.sentences, 6);
  EXPECT_EQ(audio.stats.bert_forwards, 1);
  EXPECT_EQ(audio.stats.uploads, 1);
  EXPECT_GT(audio.stats.bert_rows, 6 * 2);
  EXPECT_NEAR(audio.stats.audio_seconds, static_cast<double>(audio.samples.size()) / 22050, 1e-9);
  EXPECT_EQ(audio.sentences.size(), 6U);
  EXPECT_EQ(audio.sentences_total, 6);
}

TEST_F(EngineTest, ThePausesNeedNoBertRows) {
  SpeakOptions none;
  none.pause.mode = PauseOptions::Mode::kNone;
  EXPECT_EQ(voice_->generate(kText).stats.bert_rows, voice_->generate(kText, none).stats.bert_rows);
}

TEST_F(EngineTest, StreamedChunksEqualTheWhole) {
  std::vector<Audio> chunks;
  const auto pieces = streamed(kText, {}, &chunks);
  const Audio whole = voice_->generate(kText);
  EXPECT_LE(test::distance(pieces, whole.samples), test::kTolerance);
  // A sentence's first piece is short and has its timing, the others have none.
  size_t sentence = 0;
  for (const Audio& chunk : chunks) {
    if (chunk.sentences.empty()) continue;
    ASSERT_LT(sentence, whole.sentences.size());
    ASSERT_EQ(chunk.sentences.size(), 1U);
    EXPECT_EQ(chunk.sentences[0].text, whole.sentences[sentence].text);
    EXPECT_NEAR(chunk.sentences[0].begin, whole.sentences[sentence].begin, 1e-9);
    EXPECT_NEAR(chunk.sentences[0].end, whole.sentences[sentence].end, 1e-9);
    ++sentence;
  }
  EXPECT_EQ(sentence, whole.sentences.size());
  EXPECT_GT(chunks.size(), whole.sentences.size());
  EXPECT_LT(static_cast<double>(chunks[0].samples.size()) / chunks[0].sample_rate, 0.5);
  // The first sentence went ahead alone.
  EXPECT_EQ(chunks[0].stats.bert_forwards, 1);
  EXPECT_LT(chunks[0].stats.bert_rows, 12);
  EXPECT_EQ(chunks.back().stats.bert_forwards, 2);

  SpeakOptions to_file;
  to_file.low_latency = false;
  chunks.clear();
  EXPECT_LE(test::distance(streamed(kText, to_file, &chunks), whole.samples), test::kTolerance);
  EXPECT_EQ(chunks.size(), whole.sentences.size());
  EXPECT_EQ(chunks.back().stats.bert_forwards, 1);
}

TEST_F(EngineTest, BatchedEqualsOneByOne) {
  // Without randomness and pauses, the text is its sentences said one after the other.
  SpeakOptions o;
  o.noise = o.noise_w = 0.0;
  o.pause.mode = PauseOptions::Mode::kNone;
  const Audio whole = voice_->generate(kText, o);
  std::vector<float> one_by_one;
  for (const SentenceTiming& s : whole.sentences) {
    const Audio a = voice_->generate(s.text, o);
    EXPECT_EQ(a.stats.sentences, 1);
    one_by_one.insert(one_by_one.end(), a.samples.begin(), a.samples.end());
  }
  EXPECT_LE(test::distance(whole.samples, one_by_one), test::kTolerance);
}

TEST_F(EngineTest, TheSeedDecides) {
  SpeakOptions a;
  a.seed = 42;
  SpeakOptions b;
  b.seed = 43;
  const Audio first = voice_->generate(kText, a);
  EXPECT_EQ(first.samples, voice_->generate(kText, a).samples);
  EXPECT_NE(first.samples, voice_->generate(kText, b).samples);
}

TEST_F(EngineTest, OptionsTakeEffect) {
  const std::string text = "今日はとてもいい天気ですね。";
  SpeakOptions plain;
  plain.noise = plain.noise_w = 0.0;
  plain.sdp_ratio = 0.0;
  const auto length = [&](const SpeakOptions& o) {
    return static_cast<double>(voice_->generate(text, o).samples.size());
  };
  SpeakOptions slow = plain;
  slow.speed = 0.5;
  SpeakOptions fast = plain;
  fast.speed = 2.0;
  EXPECT_NEAR(length(slow) / length(plain), 2.0, 0.25);
  EXPECT_LT(length(fast) / length(plain), 0.7);

  const auto samples = [&](const SpeakOptions& o) { return voice_->generate(text, o).samples; };
  SpeakOptions other = plain;
  other.style = "Bright";
  EXPECT_NE(samples(other), samples(plain));
  SpeakOptions by_number = plain;
  by_number.style = "1";
  EXPECT_EQ(samples(other), samples(by_number));
  other.style_weight = 0.0;  // the mean style, whatever the name
  EXPECT_LE(test::distance(samples(other), samples(plain)), test::kTolerance);
  SpeakOptions assisted = plain;
  assisted.assist_text = "やったー！すごい！";
  assisted.assist_weight = 0.7;
  EXPECT_NE(samples(assisted), samples(plain));
  EXPECT_EQ(voice_->generate(text, assisted).stats.bert_forwards, 1);
  assisted.assist_weight = 0.0;
  EXPECT_LE(test::distance(samples(assisted), samples(plain)), test::kTolerance);
  // A long text in a stream keeps its assist text in later batches.
  assisted.assist_weight = 0.7;
  std::vector<Audio> chunks;
  const auto stream = streamed(kText, assisted, &chunks);
  EXPECT_LE(test::distance(stream, voice_->generate(kText, assisted).samples), test::kTolerance);
}

TEST_F(EngineTest, Pauses) {
  const std::string text = "おはよう。こんばんは。";
  const auto gap = [&](const PauseOptions& pause) {
    SpeakOptions o;
    o.pause = pause;
    const Audio a = voice_->generate(text, o);
    return a.sentences[1].begin - a.sentences[0].end;
  };
  PauseOptions none;
  none.mode = PauseOptions::Mode::kNone;
  EXPECT_EQ(gap(none), 0.0);
  PauseOptions one;
  one.mode = PauseOptions::Mode::kFixed;
  one.seconds = 1.0;
  PauseOptions two = one;
  two.seconds = 2.0;
  EXPECT_NEAR(gap(two) - gap(one), 1.0, 1e-3);
  EXPECT_LE(gap(one), 1.0);  // the sentence's own silence at its end counts
  EXPECT_GT(gap(one), 0.5);
  PauseOptions predicted;
  PauseOptions at_least = predicted;
  at_least.minimum = 3.0;
  EXPECT_GT(gap(at_least), 2.5);
  EXPECT_LT(gap(predicted), 1.5);
}

TEST_F(EngineTest, GivenPhonesAndTones) {
  SpeakOptions o;
  o.phones = {"_", "a", "sh", "i", "t", "a", "_"};
  o.tones = {0, 0, 1, 1, 1, 1, 0};
  const Audio a = voice_->generate("明日", o);
  ASSERT_EQ(a.sentences.size(), 1U);
  ASSERT_EQ(a.sentences[0].phones.size(), 5U);
  EXPECT_EQ(a.sentences[0].phones[1].symbol, "sh");
  EXPECT_EQ(a.sentences[0].phones[1].tone, 1);
  ASSERT_EQ(a.sentences[0].moras.size(), 3U);
  EXPECT_EQ(a.sentences[0].moras[1].symbol, "シ");
  o.tones = {0, 1};
  EXPECT_THROW((void)voice_->generate("明日", o), Error);
  o.tones.reset();
  EXPECT_THROW((void)voice_->generate("明日", o), Error);
}

TEST_F(EngineTest, AWordCountsFromTheNextText) {
  const std::string text = "蒼燐丸が来た。";
  const auto kana = [&] {
    const Audio audio = voice_->generate(text);
    std::string all;
    for (const auto& m : audio.sentences.at(0).moras) all += m.symbol;
    return all;
  };
  const std::string before = kana();
  engine_->add_word({"蒼燐丸", "ソウリンマル", 3});
  EXPECT_EQ(kana().rfind("ソウリンマル", 0), 0U) << kana();
  EXPECT_TRUE(engine_->remove_word("蒼燐丸"));
  EXPECT_EQ(kana(), before);
  EXPECT_THROW(engine_->add_word({"蒼燐丸", "そうりん", 0}), Error);
}

TEST_F(EngineTest, BadOptionsAreNamed) {
  const auto refused = [&](auto change, const std::string& part) {
    SpeakOptions o;
    change(o);
    try {
      (void)voice_->generate("あ", o);
      ADD_FAILURE() << "accepted: " << part;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  refused([](SpeakOptions& o) { o.speed = 0; }, "speed: 0 is out of range; use 0.1 to 10");
  refused([](SpeakOptions& o) { o.speed = NAN; }, "speed");
  refused([](SpeakOptions& o) { o.noise = -1; }, "noise");
  refused([](SpeakOptions& o) { o.sdp_ratio = 1.5; }, "sdp_ratio");
  refused([](SpeakOptions& o) { o.style = "Angry"; }, "Bright (1)");
  refused([](SpeakOptions& o) { o.style = "3"; }, "style");
  refused([](SpeakOptions& o) { o.speaker = "nobody"; }, "demo (0)");
  refused([](SpeakOptions& o) { o.pause.seconds = 1e9; }, "pause.seconds");
}

TEST_F(EngineTest, NothingToSayIsAShortSilence) {
  for (const char* text : {"", " \n\t　", "😀🎉", "\xff\xfe", "！？…", "\n\n。\n"}) {
    const Audio a = voice_->generate(text);
    EXPECT_GT(a.samples.size(), 0U) << text;
    EXPECT_LT(a.samples.size(), 22050U) << text;
    EXPECT_TRUE(std::all_of(a.samples.begin(), a.samples.end(), [](float v) { return v == 0.0F; })) << text;
    EXPECT_EQ(a.stats.bert_forwards, 0);
    EXPECT_EQ(streamed(text, {}), a.samples);
  }
}

TEST_F(EngineTest, AStreamCanBeStopped) {
  int chunks = 0;
  const Stats stats = voice_->stream(kText, {}, [&](const Audio&) { return ++chunks < 2; });
  EXPECT_EQ(chunks, 2);
  EXPECT_LE(stats.sentences, 2);
  EXPECT_THROW(voice_->stream(kText, {}, [](const Audio&) -> bool { throw std::runtime_error("mine"); }),
               std::runtime_error);
  EXPECT_GT(voice_->generate("まだ話せる。").samples.size(), 1000U);
}

TEST_F(EngineTest, ManyThreadsAtOnce) {
  const std::string texts[] = {"おはようございます。", "今日は雨です。傘を忘れずに。", kText};
  std::vector<std::vector<float>> want;
  for (const auto& t : texts) want.push_back(voice_->generate(t).samples);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      const auto which = static_cast<size_t>(i % 3);
      if (test::distance(voice_->generate(texts[which]).samples, want[which]) > test::kTolerance) ++wrong;
    });
  }
  // Meanwhile another voice is loaded and words come and go.
  for (int i = 0; i < 3; ++i) {
    engine_->load("other" + std::to_string(i), test::data("voice-tiny"));
    engine_->add_word({"無関係語", "ムカンケイゴ", 0});
  }
  engine_->remove_word("無関係語");
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(EngineTest, MemoryIsFlatAfterWarmUp) {
  const auto bytes = [&] { return voice_->generate(kText).stats.arena_bytes; };
  (void)bytes();
  const int64_t after = bytes();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bytes(), after);
}

TEST(EngineSharing, OneBertForAllVoices) {
  const int64_t before = Engine::loaded_berts();
  {
    EngineOptions o = test::engine_options();
    o.bert = test::data("bert-tiny");
    Engine a(o);
    Engine b(o);
    for (int i = 0; i < 3; ++i) {
      a.load("v" + std::to_string(i), test::data("voice-tiny"));
      b.load("v" + std::to_string(i), test::data("voice-tiny"));
    }
    EXPECT_EQ(Engine::loaded_berts(), before);
    a.prepare();
    b.prepare();
    EXPECT_EQ(Engine::loaded_berts(), before + 1);
  }
  EXPECT_EQ(Engine::loaded_berts(), before);
}

TEST(EngineSharing, AVoiceOutlivesItsEngine) {
  std::optional<Voice> voice;
  {
    Engine engine(test::engine_options());
    voice = engine.load("demo", test::voices("demo"));
  }
  EXPECT_GT(voice->generate("まだいます。").samples.size(), 1000U);
}

TEST(EngineErrors, AreNamed) {
  Engine engine(test::engine_options());
  EXPECT_THROW((void)engine.voice("nobody"), Error);
  EngineOptions o;
  o.device = "tpu";
  EXPECT_THROW(Engine{o}, Error);
  EXPECT_THROW(Engine{test::engine_options("f8")}, Error);
  o = test::engine_options();
  o.dictionary = "/nonexistent";
  EXPECT_THROW(Engine{o}, Error);
}

}  // namespace
}  // namespace hayakoe
