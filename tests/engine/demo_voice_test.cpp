// SPDX-License-Identifier: Apache-2.0
// The voice in the box against waveforms of the reference implementation, through the public API.
#include <gtest/gtest.h>

#include <hayakoe/hayakoe.hpp>
#include <nlohmann/json.hpp>

#include "model/config.hpp"
#include "support/engine.hpp"
#include "support/golden.hpp"

namespace hayakoe {
namespace {

TEST(DemoVoice, WaveformsMatchTheReference) {
  Engine engine(test::engine_options("f32"));
  const Voice voice = engine.load("demo", test::voices("demo"));
  const auto golden = tensor::SafeTensors::open(test::data("demo/golden-deterministic.safetensors"));
  const auto cases = nlohmann::json::parse(model::read_text_file(test::data("demo/golden-deterministic.json")));
  ASSERT_EQ(cases.size(), 4U);
  for (const auto& c : cases) {
    SpeakOptions o;
    o.style = c["style"].get<std::string>();
    o.style_weight = c["style_weight"].get<double>();
    o.noise = o.noise_w = o.sdp_ratio = 0.0;
    o.split = false;
    o.rules = TextRules::kSbv2;
    const Audio audio = voice.generate(c["text"].get<std::string>(), o);
    const std::string n = std::to_string(c["n"].get<int>());
    EXPECT_EQ(audio.samples.size(), c["samples"].get<size_t>()) << n;
    EXPECT_LE(test::distance(audio.samples, golden.read_f32(n + ".audio")), test::kTolerance) << n;
    EXPECT_EQ(audio.sample_rate, 22050);

    // The time stamps are the reference's durations.
    const auto frames = golden.read_f32(n + ".durations");
    double total = 0;
    for (const float f : frames) total += f;
    ASSERT_EQ(audio.sentences.size(), 1U);
    const SentenceTiming& t = audio.sentences[0];
    EXPECT_NEAR(t.end, total * 256 / 22050, 1e-9);
    ASSERT_FALSE(t.phones.empty());
    // The first phone begins after the leading `_` with its blank.
    EXPECT_NEAR(t.phones[0].begin, double{frames[0] + frames[1]} * 256 / 22050, 1e-9);
    double before = 0;
    for (size_t i = 0; i + 1 < frames.size() / 2; ++i) {
      before += frames[2 * i] + frames[2 * i + 1];
      if (i >= t.phones.size()) break;
      EXPECT_NEAR(t.phones[i].begin, before * 256 / 22050, 1e-9);
    }
  }
}

}  // namespace
}  // namespace hayakoe
