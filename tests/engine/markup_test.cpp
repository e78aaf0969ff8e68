// SPDX-License-Identifier: Apache-2.0
// Pauses in the text and SSML, from text to waveform.
#include <gtest/gtest.h>

#include <cmath>
#include <hayakoe/hayakoe.hpp>

#include "audio/resample.hpp"
#include "support/engine.hpp"
#include "support/golden.hpp"

namespace hayakoe {
namespace {

class Markup : public ::testing::Test {
 protected:
  Markup() : voice_(engine_.load("demo", test::voices("demo"))) {}

  Audio say(std::string_view text, bool ssml = false, double speed = 1.0) const {
    SpeakOptions o;
    o.ssml = ssml;
    o.speed = speed;
    return voice_.generate(text, o);
  }

  // Seconds between the end of the last mora of a sentence and the first of the next.
  static double gap(const Audio& audio, size_t before) {
    return audio.sentences.at(before + 1).moras.front().begin - audio.sentences.at(before).moras.back().end;
  }

  Engine engine_{test::engine_options()};
  Voice voice_;
};

TEST_F(Markup, APauseIsAsLongAsItSays) {
  const Audio audio = say("東京[[pause 2000]]大阪");
  ASSERT_EQ(audio.sentences.size(), 2U);
  EXPECT_NEAR(gap(audio, 0), 2.0, 0.35);  // the silences at the ends of the two sentences
  EXPECT_GE(gap(audio, 0), 2.0 - 0.02);
  EXPECT_EQ(audio.stats.bert_forwards, 1);
}

TEST_F(Markup, PausesAtBothEndsAreThere) {
  const Audio plain = say("東京");
  const Audio audio = say("[[pause 1000]]東京[[pause 1000]]");
  const double longer = static_cast<double>(audio.samples.size() - plain.samples.size()) / audio.sample_rate;
  EXPECT_LE(longer, 2.0);
  EXPECT_GE(longer, 1.5);  // what the voice is silent for at its end counts towards the pause
  EXPECT_NEAR(audio.sentences[0].begin, plain.sentences[0].begin + 1.0, 1e-3);
}

TEST_F(Markup, APauseOfWhatCannotBeSpokenIsNotLost) {
  const Audio audio = say("東京[[pause 1000]]👍[[pause 1000]]大阪");
  ASSERT_EQ(audio.sentences.size(), 2U);
  EXPECT_GE(gap(audio, 0), 2.0 - 0.02);
}

TEST_F(Markup, SubtitlesShowTheTextWithoutItsReadings) {
  EXPECT_EQ(say("[[箸|ハシ|1]]と漢字《かんじ》。［＃改ページ］").sentences.at(0).text, "箸と漢字。");
  EXPECT_EQ(say("配列[[1]]と《第九》。").sentences.at(0).text, "配列[[1]]と《第九》。");
  EXPECT_EQ(say("<speak><phoneme ph=\"ハ'シ\">箸</phoneme>です。</speak>", true).sentences.at(0).text, "箸です。");
}

TEST_F(Markup, SsmlIsSpokenAsItsText) {
  EXPECT_EQ(say("<speak>東京。大阪。</speak>", true).samples, say("東京。大阪。").samples);
  EXPECT_EQ(say("<speak>東京<break time='500ms'/>大阪</speak>", true).samples, say("東京[[pause 500]]大阪").samples);
}

TEST_F(Markup, RateIsSpeed) {
  EXPECT_EQ(say("<speak><prosody rate='150%'>今日は晴れ。</prosody></speak>", true).samples,
            say("今日は晴れ。", false, 1.5).samples);
}

TEST_F(Markup, PitchIsSlowerSpeechPlayedFaster) {
  const Audio slow = say("今日は晴れ。", false, 1.0 / 1.25);
  const Audio high = say("<speak><prosody pitch='+25%'>今日は晴れ。</prosody></speak>", true);
  EXPECT_EQ(high.samples, audio::resampled(slow.samples, 1.0 / 1.25));
  EXPECT_NEAR(high.sentences[0].end, slow.sentences[0].end / 1.25, 1e-6);
}

TEST_F(Markup, AStreamIsTheSame) {
  const std::string text =
      "<speak>東京<break time='300ms'/>大阪。<prosody rate='fast' "
      "pitch='+2st'>名古屋です。</prosody>福岡。<break/></speak>";
  SpeakOptions o;
  o.ssml = true;
  std::vector<float> streamed;
  voice_.stream(text, o, [&](const Audio& chunk) {
    streamed.insert(streamed.end(), chunk.samples.begin(), chunk.samples.end());
    return true;
  });
  EXPECT_LE(test::distance(streamed, voice_.generate(text, o).samples), test::kTolerance);
}

TEST_F(Markup, MistakesAreErrorsWithTheirLine) {
  const auto message = [&](const SpeakOptions& o, const char* text) {
    try {
      static_cast<void>(voice_.generate(text, o));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  SpeakOptions o;
  o.ssml = true;
  EXPECT_NE(message(o, "<speak>\n<audio src='x'/></speak>").find("line 2"), std::string::npos);
  o.speed = 5;
  EXPECT_NE(message(o, "<speak><prosody rate='3'>あ</prosody></speak>").find("0.1 to 10"), std::string::npos);
  o.tones = std::vector<int>{0, 1};
  EXPECT_NE(message(o, "<speak>あ</speak>").find("ssml"), std::string::npos);
}

}  // namespace
}  // namespace hayakoe
