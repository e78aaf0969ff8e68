// SPDX-License-Identifier: Apache-2.0
#include "audio/subtitles.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace hayakoe::audio {
namespace {

std::string srt(const std::vector<Cue>& cues) { return to_srt(cues); }

TEST(Subtitles, TwoCues) {
  EXPECT_EQ(srt({{0, 1.5, "こんにちは。"}, {1.58, 3661.0625, "さようなら。"}}),
            "1\n00:00:00,000 --> 00:00:01,500\nこんにちは。\n\n"
            "2\n00:00:01,580 --> 01:01:01,063\nさようなら。\n\n");
  EXPECT_EQ(srt({}), "");
}

TEST(Subtitles, RoundingKeepsTheOrder) {
  EXPECT_EQ(srt({{0, 0.9996, "a"}, {0.9996, 0.9996, "b"}}),
            "1\n00:00:00,000 --> 00:00:01,000\na\n\n2\n00:00:01,000 --> 00:00:01,000\nb\n\n");
  // The second begins before the first ends.
  EXPECT_EQ(srt({{0, 2, "a"}, {1.5, 1.75, "b"}, {3, 2.5, "c"}}),
            "1\n00:00:00,000 --> 00:00:02,000\na\n\n2\n00:00:02,000 --> 00:00:02,000\nb\n\n"
            "3\n00:00:03,000 --> 00:00:03,000\nc\n\n");
}

TEST(Subtitles, LongAndOddTimes) {
  EXPECT_EQ(srt({{360000, 360000.001, "a"}}), "1\n100:00:00,000 --> 100:00:00,001\na\n\n");
  EXPECT_EQ(srt({{59.9995, 3599.9995, "a"}}), "1\n00:01:00,000 --> 01:00:00,000\na\n\n");
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(srt({{-1, kNan, "a"}}), "1\n00:00:00,000 --> 00:00:00,000\na\n\n");
  EXPECT_FALSE(srt({{0, std::numeric_limits<double>::infinity(), "a"}}).empty());
}

TEST(Subtitles, TextStaysOnOneLine) {
  constexpr const char* kHead = "1\n00:00:00,000 --> 00:00:01,000\n";
  const auto text = [](std::string_view value) { return srt({{0, 1, std::string(value)}}); };
  EXPECT_EQ(text("a\nb"), std::string(kHead) + "a b\n\n");
  EXPECT_EQ(text("a\r\n\r\n\tb"), std::string(kHead) + "a b\n\n");
  EXPECT_EQ(text("\n a \n b\n\n"), std::string(kHead) + "a b\n\n");
  EXPECT_EQ(text("a  b"), std::string(kHead) + "a  b\n\n");
  EXPECT_EQ(text(std::string_view("a\0b", 3)), std::string(kHead) + "a b\n\n");
}

TEST(Subtitles, EmptyCuesAreLeftOut) {
  EXPECT_EQ(srt({{0, 1, " \n"}, {1, 2, ""}, {2, 3, "a"}}), "1\n00:00:02,000 --> 00:00:03,000\na\n\n");
}

}  // namespace
}  // namespace hayakoe::audio
