// SPDX-License-Identifier: Apache-2.0
// What the steps for numbers make of digits, beyond what tests/data/reading says.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "text/frontend.hpp"
#include "text/g2p_checks.hpp"
#include "text/natural/number_words.hpp"
#include "text/natural/rewrite.hpp"
#include "text/unicode.hpp"

namespace hayakoe::text {
namespace {

const Frontend& frontend() {
  static const Frontend instance;
  return instance;
}

Analysis analyze(std::string_view text) { return frontend().analyze(text, Rules::kNatural); }

// The text that BERT sees.
std::string norm(std::string_view text) { return analyze(text).norm_text; }

// A draft as BERT sees it.
std::string shown(const natural::Draft& draft, std::u32string_view text) {
  std::string out;
  for (const char32_t c : text) {
    if (c == natural::kBoundary) continue;
    out += natural::is_given(c) ? to_utf8(draft.given(c).surface) : to_utf8(std::u32string(1, c));
  }
  return out;
}

TEST(NaturalNumbers, BertSeesOrdinaryJapanese) {
  EXPECT_EQ(norm("100%"), "百パーセント");
  EXPECT_EQ(norm("2024/01/02"), "二千二十四年一月二日");
  EXPECT_EQ(norm("1/2"), "二分の一");
  EXPECT_EQ(norm("14:05"), "十四時五分");
  EXPECT_EQ(norm("3〜5人"), "三から五人");
  EXPECT_EQ(norm("¥1,980"), "千九百八十円");
  EXPECT_EQ(norm("3.10"), "三点一〇");
  EXPECT_EQ(norm("20㎡"), "二十平方メートル");
  EXPECT_EQ(norm("03-1234-5678"), "〇三,一二三四,五六七八");
}

TEST(NaturalNumbers, FractionsAreExact) {
  natural::Draft draft{U""};
  EXPECT_EQ(shown(draft, natural::number_words(draft, U"0.1234567890123456789012345670")),
            "零点一二三四五六七八九〇一二三四五六七八九〇一二三四五六七〇");
  EXPECT_EQ(shown(draft, natural::number_words(draft, U"9007199254740993.1")),
            "九千七兆一千九百九十二億五千四百七十四万九百九十三点一");
}

TEST(NaturalNumbers, NamesReachTo24Digits) {
  natural::Draft draft{U""};
  EXPECT_EQ(shown(draft, natural::number_words(draft, U"100000000000000000000")), "一垓");
  EXPECT_TRUE(analyze("1,000,000,000,000,000,000,000").warnings.empty());
  const auto warnings = analyze("1,000,000,000,000,000,000,000,000").warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("25 digits"), std::string::npos) << warnings[0];
}

TEST(NaturalNumbers, TextWithoutDigitsStays) {
  for (const std::string_view text : {"十分な時間に三日月を見た。", "一昨日、二人三脚で五重塔へ。",
                                      "東京・大阪・名古屋", "万が一の場合", "四六時中"}) {
    natural::Draft draft{to_u32(text)};
    natural::read_dates(draft);
    natural::read_digit_runs(draft);
    natural::read_versions(draft);
    natural::read_ranges(draft);
    natural::read_money(draft);
    natural::read_units(draft);
    natural::read_math(draft);
    natural::read_numbers(draft);
    natural::read_counters(draft);
    EXPECT_EQ(to_utf8(draft.text), text);
  }
}

// What is no date, time, fraction or version leaves its neighbours alone.
TEST(NaturalNumbers, NothingIsLostAround) {
  for (const std::string_view odd : {"1/0",         "99/99",  "2024/13/45", "25:61", "1.2.3.4.5.6.7.8",
                                     "0/0/0",       "1,2,,3", "5-",         "-",     "〜",
                                     "1〜〜2",      "^2",     "2^",         "±",     "√",
                                     "%%",          "°°",     "1⁄",         "¥",     "$$5",
                                     "1:2:3:4:5:6", "+",      "=",          "㍘",    "⑳⑳",
                                     "ⅠⅤⅩ",         "₅",      "⁻",          "03-",   "(03)",
                                     "〒",          "v.",     "1.",         ".5",    "0x1F",
                                     "7e10"}) {
    const std::string text = "東京" + std::string(odd) + "大阪";
    const std::string heard = norm(text);
    EXPECT_TRUE(heard.starts_with("東京")) << text << " → " << heard;
    EXPECT_TRUE(heard.ends_with("大阪")) << text << " → " << heard;
  }
}

TEST(NaturalNumbers, HostileTextTakesLinearTime) {
  for (const std::string_view unit : {"1",       "0",  "1/", "1,",   "1.",   "1-",   "1:",   "1 ",  "-1",
                                      "1〜",     "1^", "1=", "1、2", "¥1",   "1%",   "+",    "√",   "①",
                                      "Ⅳ",       "²",  "₂",  "H₂",   "½",    "年1",  "1月",  "(1)", "〒",
                                      "番号は1", "a.", "1a", "A1",   "一・", "分の", "1,000"}) {
    testing::expect_linear_time(unit, 200'000, [](const std::string& text) {
      natural::Draft draft{to_u32(text)};
      natural::expand_characters(draft);
      natural::read_dates(draft);
      natural::read_digit_runs(draft);
      natural::read_versions(draft);
      natural::read_ranges(draft);
      natural::read_money(draft);
      natural::read_units(draft);
      natural::read_math(draft);
      natural::read_numbers(draft);
      natural::read_counters(draft);
      EXPECT_FALSE(draft.text.empty());
    });
  }
}

}  // namespace
}  // namespace hayakoe::text
