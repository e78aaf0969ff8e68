// SPDX-License-Identifier: Apache-2.0
// A made voice speaks noise, but at the level and in the rhythm of speech.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <hayakoe/hayakoe.hpp>

#include "model/made/made_model.hpp"
#include "support/engine.hpp"
#include "support/files.hpp"

namespace hayakoe {
namespace {

const char* const kText = "むかしむかし、あるところに、おじいさんが住んでいました。";

struct MadeVoice {
  explicit MadeVoice(uint64_t seed) {
    const auto make = [&](const char* kind) {
      (void)model::make_model(kind, seed, folder.path() / kind, [](int64_t, int64_t) { return true; });
    };
    make("bert-tiny");  // beside the voice, where it is looked for
    make("voice-tiny");
    voice.emplace(engine.load("made", folder.path() / "voice-tiny"));
  }
  [[nodiscard]] Audio say(const std::string& text, const SpeakOptions& options = {}) const {
    return voice->generate(text, options);
  }

  test::TempFolder folder;
  Engine engine{test::engine_options()};
  std::optional<Voice> voice;
};

std::vector<double> phone_seconds(const Audio& audio) {
  std::vector<double> all;
  for (const SentenceTiming& s : audio.sentences) {
    for (const SoundTiming& p : s.phones) all.push_back(p.end - p.begin);
  }
  return all;
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double spread(const std::vector<double>& values) {
  const double m = mean(values);
  double squares = 0.0;
  for (const double v : values) squares += (v - m) * (v - m);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

TEST(MadeVoice, HasTheRhythmAndTheLevelOfSpeech) {
  for (const uint64_t seed : {0, 1}) {
    const MadeVoice made(seed);
    for (const double sdp_ratio : {0.0, 0.2, 1.0}) {
      SpeakOptions o;
      o.sdp_ratio = sdp_ratio;
      const Audio audio = made.say(kText, o);
      const std::vector<double> phones = phone_seconds(audio);
      ASSERT_GT(phones.size(), 30U);
      const std::string which = "seed " + std::to_string(seed) + ", ratio " + std::to_string(sdp_ratio);
      EXPECT_GT(1.0 / mean(phones), 8.0) << which;  // phones a second
      EXPECT_LT(1.0 / mean(phones), 17.0) << which;
      EXPECT_GT(spread(phones) / mean(phones), 0.2) << which;
      EXPECT_LT(spread(phones) / mean(phones), 0.8) << which;

      double squares = 0.0;
      float peak = 0.0F;
      for (const float v : audio.samples) {
        squares += double{v} * v;
        peak = std::max(peak, std::abs(v));
      }
      const double level = std::sqrt(squares / static_cast<double>(audio.samples.size()));
      EXPECT_GT(level, 0.05) << which;
      EXPECT_LT(level, 0.3) << which;
      EXPECT_LT(peak, 0.99F) << which;
    }
  }
}

TEST(MadeVoice, ListensToItsInputs) {
  const MadeVoice made(0);
  SpeakOptions plain;
  plain.sdp_ratio = plain.noise = plain.noise_w = 0.0;
  const Audio audio = made.say(kText, plain);
  EXPECT_EQ(made.say(kText, plain).samples, audio.samples);
  SpeakOptions styled = plain;
  styled.style = "Bright";
  EXPECT_NE(made.say(kText, styled).samples, audio.samples);
  SpeakOptions other = plain;
  other.speaker = "made-b";
  EXPECT_NE(made.say(kText, other).samples, audio.samples);
  // One word differs: the rhythm changes there, and is nearly what it was elsewhere.
  const auto durations = phone_seconds(audio);
  const auto changed = phone_seconds(made.say("むかしむかし、あるところに、おじいさんが住んでいます。", plain));
  constexpr size_t kEnd = 8;  // phones from the changed word on
  const size_t before = std::min(durations.size(), changed.size()) - kEnd;
  const auto differing = [&](size_t from, size_t to) {
    size_t n = 0;
    for (size_t i = from; i < to; ++i) n += std::abs(durations[i] - changed[i]) > 1e-9 ? 1U : 0U;
    return n;
  };
  EXPECT_LT(differing(0, before), before / 2);
  EXPECT_GT(differing(before, before + kEnd), 2U);
}

}  // namespace
}  // namespace hayakoe
