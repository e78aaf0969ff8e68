// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <hayakoe/hayakoe.hpp>

#include "engine/request.hpp"
#include "engine/sentence.hpp"
#include "support/engine.hpp"
#include "support/golden.hpp"
#include "text/unicode.hpp"

namespace hayakoe {
namespace {

// Fast speech is as long a text for BERT and far less audio to decode.
SpeakOptions fast() {
  SpeakOptions o;
  o.speed = 10;
  return o;
}

TEST(LongText, IsSpokenInBoundedBatches) {
  Engine engine(test::engine_options());
  const Voice voice = engine.load("demo", test::voices("demo"));
  std::string text;
  for (int i = 0; i < 60; ++i) text += "これは長い文章の一つで、少し続きます。";
  const Audio audio = voice.generate(text, fast());
  EXPECT_EQ(audio.stats.sentences, 60);
  EXPECT_EQ(audio.stats.bert_forwards, (60 * 21 + engine::kMostBertRows - 1) / engine::kMostBertRows);
  EXPECT_EQ(audio.stats.uploads, audio.stats.bert_forwards);

  // The pause at the seam of two batches is there like any other, and a stream with its smaller batches agrees.
  std::vector<float> streamed;
  const Stats stats = voice.stream(text, fast(), [&](const Audio& chunk) {
    streamed.insert(streamed.end(), chunk.samples.begin(), chunk.samples.end());
    return true;
  });
  EXPECT_LE(test::distance(streamed, audio.samples), test::kTolerance);
  EXPECT_GT(stats.bert_forwards, 4);
  for (size_t i = 1; i < audio.sentences.size(); ++i) EXPECT_GE(audio.sentences[i].begin, audio.sentences[i - 1].end);
}

TEST(LongText, TheFirstChunkAndMemoryDoNotGrowWithTheText) {
  Engine engine(test::engine_options());
  const Voice voice = engine.load("demo", test::voices("demo"));
  const auto first_chunk = [&](int repeats) {
    std::string text;
    for (int i = 0; i < repeats; ++i) text += "これは長い文章の一つで、少し続きます。";
    int64_t bytes = 0;
    int64_t rows = 0;
    int chunks = 0;
    voice.stream(text, fast(), [&](const Audio& c) {
      if (++chunks == 1) rows = c.stats.bert_rows;
      bytes = c.stats.arena_bytes;
      return chunks < 40;
    });
    return std::pair{rows, bytes};
  };
  const auto small = first_chunk(40);
  const auto large = first_chunk(4000);
  EXPECT_EQ(small.first, large.first);
  EXPECT_LE(large.second, small.second * 11 / 10);
}

TEST(LongText, OnePieceWithoutAnyMarkIsCut) {
  const auto pieces = [](const std::string& text, bool split = true) {
    return engine::pieces_of(text, split, text::Rules::kNatural);
  };
  std::string endless;
  for (int i = 0; i < 100000; ++i) endless += "あ";
  const auto start = std::chrono::steady_clock::now();
  const auto cut = pieces(endless);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(cut.size(), 100000U / static_cast<size_t>(engine::kLongestPiece));
  std::string together;
  for (const auto& p : cut) together += p;
  EXPECT_EQ(together, endless);

  // At a comma where there is one.
  std::string commas;
  for (int i = 0; i < 30; ++i) commas += "とても長い一文なので、";
  for (const auto& p : pieces(commas)) {
    EXPECT_LE(text::to_u32(p).size(), static_cast<size_t>(engine::kLongestPiece));
    EXPECT_TRUE(p.ends_with("、")) << p;
  }
  EXPECT_EQ(pieces("一。二。", false).size(), 1U);
  EXPECT_EQ(pieces("一。二。").size(), 2U);
}

}  // namespace
}  // namespace hayakoe
