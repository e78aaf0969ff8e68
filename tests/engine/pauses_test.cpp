// SPDX-License-Identifier: Apache-2.0
#include "engine/pauses.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/config.hpp"
#include "support/golden.hpp"
#include "text/symbols.hpp"

namespace hayakoe::engine {
namespace {

Sentence sentence(const std::string& bert_text, std::vector<std::string> phones, std::vector<int> tones,
                  std::vector<int> word2ph) {
  Sentence s;
  s.text = bert_text;
  s.analysis.bert_text = bert_text;
  s.analysis.phones = std::move(phones);
  s.analysis.tones = std::move(tones);
  s.analysis.word2ph = std::move(word2ph);
  s.ids = text::to_sequence(s.analysis.phones, s.analysis.tones, s.analysis.word2ph);
  return s;
}

// The reference's whole text, cut after its first or second sentence.
class JoinTest : public testing::TestWithParam<size_t> {
 protected:
  nlohmann::json meta_ = nlohmann::json::parse(model::read_text_file(test::data("voice-tiny/golden-pause.json")));
  tensor::SafeTensors golden_ = tensor::SafeTensors::open(test::data("voice-tiny/golden-pause.safetensors"));

  // Characters [from, to) of the text as a sentence of its own.
  Sentence part(size_t from, size_t to) {
    const auto phones = meta_["phones"].get<std::vector<std::string>>();
    const auto tones = meta_["tones"].get<std::vector<int>>();
    const auto word2ph = meta_["word2ph"].get<std::vector<int>>();
    std::vector<std::string> p{"_"};
    std::vector<int> t{0};
    std::vector<int> w{1};
    size_t phone = 1;
    for (size_t c = 1; c + 1 < word2ph.size(); ++c) {
      for (int k = 0; k < word2ph[c]; ++k, ++phone) {
        if (c - 1 < from || c - 1 >= to) continue;
        p.push_back(phones[phone]);
        t.push_back(tones[phone]);
      }
      if (c - 1 >= from && c - 1 < to) w.push_back(word2ph[c]);
    }
    p.emplace_back("_");
    t.push_back(0);
    w.push_back(1);
    return sentence("x", p, t, w);
  }
};

TEST_P(JoinTest, JoiningGivesTheUncutSequenceAndTheReferencesPause) {
  constexpr size_t kCharacters = 22;
  const size_t cut = GetParam() == 0 ? 6 : 13;  // こんにちは。 / …げんきですか?
  const Sentence left = part(0, cut);
  const Sentence right = part(cut, kCharacters);
  constexpr int32_t kRightRow = 100;
  const Joined j = join(left, right, 0, kRightRow, true);

  const auto as_ints = [](const std::vector<int64_t>& v) { return std::vector<int>(v.begin(), v.end()); };
  EXPECT_EQ(j.ids.phone_ids, as_ints(golden_.read_i64("x")));
  EXPECT_EQ(j.ids.tone_ids, as_ints(golden_.read_i64("tone")));
  EXPECT_EQ(j.ids.language_ids, as_ints(golden_.read_i64("language")));

  // Rows: the left's [CLS] and characters, then the right's characters and [SEP].
  const auto word2ph = meta_["word2ph_blank"].get<std::vector<int>>();
  std::vector<int32_t> rows;
  for (size_t c = 0; c < word2ph.size(); ++c) {
    const auto row = c <= cut ? static_cast<int32_t>(c) : kRightRow + static_cast<int32_t>(c - cut);
    rows.insert(rows.end(), static_cast<size_t>(word2ph[c]), row);
  }
  EXPECT_EQ(j.bert_row, rows);

  for (const auto& c : meta_["cases"]) {
    const auto durations = c["durations"].get<std::vector<int>>();
    int frames = 0;
    for (size_t p = j.boundary_begin; p < j.boundary_end; ++p) frames += durations[p];
    EXPECT_DOUBLE_EQ(frames * 512.0 / 44100.0, c["pauses_sec"][GetParam()].get<double>());
  }
}

INSTANTIATE_TEST_SUITE_P(Boundaries, JoinTest, testing::Values(0U, 1U));

TEST(Join, SeveralMarksAreOnePauseWherever) {
  // "え!?" + "...お": the boundary is the left's final marks, not the first mark of the text.
  const Sentence left = sentence("1,2え!?", {"_", ",", "e", "!", "?", "_"}, {0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1});
  const Sentence right = sentence("...お", {"_", ".", "o", "_"}, {0, 0, 0, 0}, {1, 1, 1, 1});
  const Joined j = join(left, right, 0, 6, true);
  // _ , e ! ? . o _ → blanks around ! and ?: positions 6..10 (blank ! blank ? blank)
  EXPECT_EQ(j.boundary_begin, 6U);
  EXPECT_EQ(j.boundary_end, 11U);
  EXPECT_EQ(text::symbol(j.ids.phone_ids[7]), "!");
  EXPECT_EQ(text::symbol(j.ids.phone_ids[9]), "?");
  EXPECT_EQ(j.bert_row.size(), j.ids.phone_ids.size());
}

TEST(Join, ALineEndGetsAFullStop) {
  const Sentence left = sentence("え", {"_", "e", "_"}, {0, 0, 0}, {1, 1, 1});
  const Sentence right = sentence("お", {"_", "o", "_"}, {0, 0, 0}, {1, 1, 1});
  const Joined j = join(left, right, 0, 3, true);
  // _ e . o _
  ASSERT_EQ(j.ids.phone_ids.size(), 11U);
  EXPECT_EQ(text::symbol(j.ids.phone_ids[5]), ".");
  EXPECT_EQ(j.boundary_begin, 4U);
  EXPECT_EQ(j.boundary_end, 7U);
  EXPECT_EQ(j.bert_row, (std::vector<int32_t>{0, 0, 0, 1, 1, 2, 2, 4, 4, 5, 5}));

  const Joined plain = join(left, right, 0, 3, false);
  EXPECT_EQ(plain.boundary_begin, 2U);
  EXPECT_EQ(plain.boundary_end, 3U);
  EXPECT_EQ(plain.bert_row, (std::vector<int32_t>{0, 1, 2, 4, 5}));
}

TEST(TrailingSilence, CountsWholeQuietWindows) {
  constexpr int kRate = 44100;  // 441 samples a window
  std::vector<float> audio(44100, 0.5F);
  EXPECT_EQ(trailing_silence(audio, kRate), 0.0);
  std::fill(audio.end() - 1000, audio.end(), 0.01F);  // 2 % of the peak is still quiet
  EXPECT_DOUBLE_EQ(trailing_silence(audio, kRate), 882.0 / kRate);
  std::fill(audio.end() - 1000, audio.end(), 0.0101F);
  EXPECT_EQ(trailing_silence(audio, kRate), 0.0);
  EXPECT_DOUBLE_EQ(trailing_silence(std::vector<float>(1000, 0.0F), kRate), 1000.0 / kRate);
  EXPECT_EQ(trailing_silence(std::vector<float>(100, 0.3F), kRate), 0.0);
  EXPECT_EQ(trailing_silence({}, kRate), 0.0);
}

TEST(GapSamples, OnlyFillsUp) {
  EXPECT_EQ(gap_samples(0.5, 0.1, 1000), 400);
  EXPECT_EQ(gap_samples(0.1, 0.5, 1000), 0);
}

}  // namespace
}  // namespace hayakoe::engine
