// SPDX-License-Identifier: Apache-2.0
#include "text/split.hpp"

#include <gtest/gtest.h>

#include "text/fixtures.hpp"
#include "text/unicode.hpp"

namespace hayakoe::text {
namespace {

using testing::hostile_texts;
using testing::read_jsonl;
using Sentences = std::vector<std::string>;

Sentences natural(std::string_view text) { return split_sentences(text, Rules::kNatural); }

TEST(Split, MatchesTheFixture) {
  const auto records = read_jsonl("g2p/sentences.jsonl");
  ASSERT_EQ(records.size(), 34U);
  for (const auto& r : records) {
    EXPECT_EQ(split_sentences(r["text"].get<std::string>(), Rules::kSbv2), r["sentences"].get<Sentences>())
        << r["text"];
  }
}

TEST(Split, NaturalKeepsMarksTogether) {
  EXPECT_EQ(natural("え！？本当"), (Sentences{"え！？", "本当"}));
  EXPECT_EQ(natural("やった！！！"), (Sentences{"やった！！！"}));
  EXPECT_EQ(natural("「はい。」と言う。"), (Sentences{"「はい。」", "と言う。"}));
  EXPECT_EQ(natural("「はい。」「いいえ。」"), (Sentences{"「はい。」", "「いいえ。」"}));
  EXPECT_EQ(natural("（本当？）。次。"), (Sentences{"（本当？）。", "次。"}));
  EXPECT_EQ(natural("\"Go!\"\"はい。\"次"), (Sentences{"\"Go!\"", "\"はい。\"", "次"}));
  EXPECT_EQ(natural("はい。\"次\"へ"), (Sentences{"はい。", "\"次\"へ"}));
  EXPECT_EQ(natural("一つ。\n二つ。\n\n三つ"), (Sentences{"一つ。", "二つ。", "三つ"}));
}

TEST(Split, NaturalGivesMarksToANeighbour) {
  EXPECT_EQ(natural("はい。\n……\nいいえ。"), (Sentences{"はい。……", "いいえ。"}));
  EXPECT_EQ(natural("……。本当？"), (Sentences{"……。本当？"}));
  EXPECT_EQ(natural("！\n？\nあ。い。"), (Sentences{"！？あ。", "い。"}));
  EXPECT_EQ(natural("！"), (Sentences{"！"}));
  EXPECT_EQ(natural("。\n？"), (Sentences{"。？"}));
  EXPECT_EQ(natural(""), Sentences{});
  EXPECT_EQ(natural(" 　\n"), Sentences{});
}

TEST(Split, NaturalEqualsTheOriginalWhereItIsRight) {
  for (const std::string text : {"こんにちは。元気ですか？はい！", "3.5です。4.5です。", "A? B! C。", "改行\n続き"}) {
    EXPECT_EQ(natural(text), split_sentences(text, Rules::kSbv2)) << text;
  }
}

TEST(Split, LosesNothingOfAnyInput) {
  const auto without_space = [](std::string_view text) {
    auto characters = to_u32(text);
    std::erase_if(characters, is_space);
    return characters;
  };
  for (const auto& text : hostile_texts()) {
    for (const Rules rules : {Rules::kNatural, Rules::kSbv2}) {
      std::string joined;
      for (const auto& sentence : split_sentences(text, rules)) {
        EXPECT_FALSE(sentence.empty());
        joined += sentence;
      }
      EXPECT_TRUE(without_space(joined) == without_space(text));
    }
  }
}

}  // namespace
}  // namespace hayakoe::text
