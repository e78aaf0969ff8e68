// SPDX-License-Identifier: Apache-2.0
#include "text/emoji.hpp"

#include <gtest/gtest.h>

#include "text/fixtures.hpp"
#include "text/unicode.hpp"

namespace hayakoe::text {
namespace {

TEST(NameEmoji, PutsNamesBetweenCommas) {
  EXPECT_EQ(name_emoji("寿司🍣を食べた"), "寿司、すし、を食べた");
  EXPECT_EQ(name_emoji("🐶🐱"), "、イヌの顔、、ネコの顔、");
}

TEST(NameEmoji, TakesTheLongestSequence) {
  EXPECT_NE(name_emoji("👨‍👩‍👧"), name_emoji("👨") + name_emoji("👩") + name_emoji("👧"));
  EXPECT_EQ(name_emoji("👍🏽"), name_emoji("👍"));
  EXPECT_EQ(name_emoji("☀️"), name_emoji("☀"));
}

TEST(NameEmoji, LeavesTextAlone) {
  for (const char* text : {"", "漢字かなカナABC123!?", "©®™ #1 *", "※注意〜"}) EXPECT_EQ(name_emoji(text), text);
}

TEST(NameEmoji, TakesAnything) {
  for (const auto& text : testing::hostile_texts()) {
    const std::string named = name_emoji(text);
    EXPECT_EQ(to_utf8(to_u32(named)), named);
  }
}

}  // namespace
}  // namespace hayakoe::text
