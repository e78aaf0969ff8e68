// SPDX-License-Identifier: Apache-2.0
#include "text/markup.hpp"

#include <gtest/gtest.h>

#include <hayakoe/error.hpp>

namespace hayakoe::text {
namespace {

constexpr auto kNone = std::nullopt;

TEST(ParsePauses, CutsAtThePauses) {
  EXPECT_EQ(parse_pauses("今日は。"), (std::vector<Span>{{"今日は。", kNone, 1, 1}}));
  EXPECT_EQ(parse_pauses("今日は[[pause 500]]晴れ。"),
            (std::vector<Span>{{"今日は", kNone, 1, 1}, {"晴れ。", 0.5, 1, 1}}));
  EXPECT_EQ(parse_pauses("[[pause 1.5s]]今日は[[pause 250ms]]"),
            (std::vector<Span>{{"今日は", 1.5, 1, 1}, {"", 0.25, 1, 1}}));
}

TEST(ParsePauses, AddsUpPausesUpToTheLongest) {
  EXPECT_EQ(parse_pauses("あ[[pause 500]] [[pause 750]]い"),
            (std::vector<Span>{{"あ", kNone, 1, 1}, {"い", 1.25, 1, 1}}));
  EXPECT_EQ(parse_pauses("あ[[pause 99999s]]").back().pause_before, kLongestPause);
}

TEST(ParsePauses, LeavesOtherBracketsAlone) {
  for (const char* text :
       {"[[pause]]", "[[箸|ハシ|1]]", "[[pause -5]]", "[pause 500]", "[[", "[[pause 500", "配列[[1]]"}) {
    EXPECT_EQ(parse_pauses(text), (std::vector<Span>{{text, kNone, 1, 1}})) << text;
  }
}

std::vector<Span> ssml(const std::string& inner) { return parse_ssml("<speak>" + inner + "</speak>", Rules::kNatural); }

TEST(Ssml, IsTextWithPauses) {
  EXPECT_EQ(ssml("こんにちは。"), (std::vector<Span>{{"こんにちは。", kNone, 1, 1}}));
  EXPECT_EQ(ssml("東京<break time='500ms'/>大阪<break time=\"1.5s\"/>"),
            (std::vector<Span>{{"東京", kNone, 1, 1}, {"大阪", 0.5, 1, 1}, {"", 1.5, 1, 1}}));
  EXPECT_EQ(ssml("<break strength='none'/>あ").front().pause_before, 0.0);
  EXPECT_GT(ssml("あ<break strength='strong'/>い").back().pause_before, ssml("あ<break/>い").back().pause_before);
  EXPECT_TRUE(ssml("").empty());
}

TEST(Ssml, EntitiesCdataCommentsAndWhiteSpaceAreXml) {
  EXPECT_EQ(ssml("A&amp;B&lt;C<!-- ないしょ --><![CDATA[<x>]]>"), (std::vector<Span>{{"A&B<C<x>", kNone, 1, 1}}));
  EXPECT_EQ(ssml("\n  東京と\n  大阪。\n"), (std::vector<Span>{{"東京と 大阪。 ", kNone, 1, 1}}));
}

TEST(Ssml, ParagraphsAndSentencesEndSentences) {
  EXPECT_EQ(ssml("<p><s>東京</s><s>大阪</s></p>名古屋"), (std::vector<Span>{{"東京\n大阪\n名古屋", kNone, 1, 1}}));
}

TEST(Ssml, ProsodyMultipliesWhereItIsNested) {
  const auto spans =
      ssml("あ。<prosody rate='120%'>い。<prosody rate='0.5' pitch='+12st'>う。</prosody></prosody>え。");
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_DOUBLE_EQ(spans[1].rate, 1.2);
  EXPECT_DOUBLE_EQ(spans[2].rate, 0.6);
  EXPECT_DOUBLE_EQ(spans[2].pitch, 2.0);
  EXPECT_DOUBLE_EQ(spans[3].rate, 1.0);
  EXPECT_DOUBLE_EQ(ssml("<prosody rate='+20%' pitch='-10%'>あ</prosody>")[0].rate, 1.2);
  EXPECT_DOUBLE_EQ(ssml("<prosody rate='+20%' pitch='-10%'>あ</prosody>")[0].pitch, 0.9);
  EXPECT_LT(ssml("<prosody rate='slow'>あ</prosody>")[0].rate, 1.0);
}

TEST(Ssml, AChangeOfMannerIsNoPauseInsideASentence) {
  const auto inside = ssml("これは<prosody rate='slow'>ゆっくり</prosody>です。");
  ASSERT_EQ(inside.size(), 3U);
  EXPECT_EQ(inside[1].pause_before, 0.0);
  EXPECT_EQ(inside[2].pause_before, 0.0);
  EXPECT_EQ(ssml("はい。<prosody rate='slow'>ゆっくり</prosody>")[1].pause_before, kNone);
}

TEST(Ssml, ReadingsBecomeReadings) {
  EXPECT_EQ(ssml("<sub alias='世界保健機関'>WHO</sub>の")[0].text, "世界保健機関の");
  EXPECT_EQ(ssml("<phoneme ph=\"ハ'シ\">箸</phoneme>")[0].text, "[[箸|ハシ|1]]");
  EXPECT_EQ(ssml("<phoneme alphabet='yomigana' ph='とうきょう'>東京</phoneme>")[0].text, "[[東京|トウキョウ|0]]");
  const std::string plain = "<speak><phoneme ph=\"ハ'シ\">箸</phoneme></speak>";
  EXPECT_EQ(parse_ssml(plain, Rules::kSbv2)[0].text, "ハシ");
}

TEST(Ssml, SayAsSpells) {
  EXPECT_EQ(ssml("<say-as interpret-as='characters'>A1</say-as>")[0].text, "[[A|エー|1]][[1|イチ|1]]");
  EXPECT_EQ(ssml("<say-as interpret-as='telephone'>03-12</say-as>")[0].text,
            "[[0|ゼロ|1]][[3|サン|1]]、[[1|イチ|1]][[2|ニー|1]]");
  EXPECT_EQ(ssml("<say-as interpret-as='cardinal'>0012</say-as>")[0].text, "12");
  EXPECT_EQ(ssml("<say-as interpret-as='date'>10/11</say-as>")[0].text, "10月11日");
  EXPECT_EQ(ssml("<say-as interpret-as='date'>2024-01-02</say-as>")[0].text, "2024-01-02");
}

TEST(Ssml, PausesInTheTextWorkInside) {
  EXPECT_EQ(ssml("あ[[pause 500]]い"), (std::vector<Span>{{"あ", kNone, 1, 1}, {"い", 0.5, 1, 1}}));
}

// What is refused, and a word of the message that tells why.
struct Refusal {
  const char* ssml;
  const char* says;
};

class SsmlRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(SsmlRefusal, NamesLineAndReason) {
  try {
    parse_ssml(GetParam().ssml, Rules::kNatural);
    FAIL() << "taken: " << GetParam().ssml;
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("line "), std::string::npos) << message;
    EXPECT_NE(message.find(GetParam().says), std::string::npos) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SsmlRefusal,
    ::testing::Values(
        Refusal{"こんにちは", "not XML"}, Refusal{"", "not XML"}, Refusal{"<speak>", "not XML"},
        Refusal{"<html>あ</html>", "<html>"}, Refusal{"<speak>\n<voice name='x'>あ</voice></speak>", "line 2"},
        Refusal{"<speak><emphasis>あ</emphasis></speak>", "<emphasis>"},
        Refusal{"<speak><break time='soon'/></speak>", "500ms"}, Refusal{"<speak><break time='61s'/></speak>", "60s"},
        Refusal{"<speak><break time='-1s'/></speak>", "time"}, Refusal{"<speak><break time='5'/></speak>", "500ms"},
        Refusal{"<speak><break strength='huge'/></speak>", "x-strong"},
        Refusal{"<speak><prosody volume='loud'>あ</prosody></speak>", "volume"},
        Refusal{"<speak><prosody rate='99'>あ</prosody></speak>", "0.1 to 10"},
        Refusal{"<speak><prosody rate='nan'>あ</prosody></speak>", "rate"},
        Refusal{"<speak><prosody pitch='+50Hz'>あ</prosody></speak>", "-2st"},
        Refusal{"<speak><sub>WHO</sub></speak>", "alias"},
        Refusal{"<speak><say-as interpret-as='song'>あ</say-as></speak>", "telephone"},
        Refusal{"<speak><say-as interpret-as='date'><s>1</s></say-as></speak>", "only hold text"},
        Refusal{"<speak><phoneme alphabet='ipa' ph='a'>あ</phoneme></speak>", "kana"},
        Refusal{"<speak><phoneme ph='abc'>あ</phoneme></speak>", "ph"}));

TEST(Ssml, DeepNestingIsRefusedAndDoesNotExhaustTheStack) {
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "<p>";
  for (int i = 0; i < 200'000; ++i) deep += "</p>";
  EXPECT_THROW(ssml(deep), Error);
}

}  // namespace
}  // namespace hayakoe::text
