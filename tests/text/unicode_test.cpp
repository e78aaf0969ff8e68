// SPDX-License-Identifier: Apache-2.0
#include "text/unicode.hpp"

#include <gtest/gtest.h>

#include "text/fixtures.hpp"

namespace hayakoe::text {
namespace {

using testing::hostile_texts;

TEST(Unicode, DecodesWhatItEncodes) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    const std::string utf8 = to_utf8(c);
    const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
    ASSERT_EQ(to_u32(utf8), std::u32string(1, surrogate ? kReplacement : c)) << static_cast<unsigned>(c);
    ASSERT_EQ(utf8_length_at(utf8), utf8.size());
  }
  EXPECT_EQ(to_utf8(char32_t{0x110000}), "\xEF\xBF\xBD");
}

// The table "U+FFFD for maximal subparts" of the Unicode Standard, section 3.9.
TEST(Unicode, ReplacesMaximalSubparts) {
  EXPECT_EQ(to_u32("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), U"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA");
  EXPECT_EQ(to_u32("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), U"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA");
  EXPECT_EQ(to_u32("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), U"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA\uFFFD\uFFFDB");
  EXPECT_EQ(to_u32("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), U"\uFFFD\uFFFD\uFFFD\uFFFDA");
}

TEST(Unicode, Normalises) {
  EXPECT_EQ(nfkc(U"ﾊﾟﾋﾟﾌﾟＡ１…㈱㌔½"), U"パピプA1...(株)キロ1\u20442");
  EXPECT_EQ(nfkc(U"か\u3099"), U"が");
  EXPECT_EQ(nfc(U"か\u3099Ａ①"), U"がＡ①");
  EXPECT_EQ(nfkc(U"한"), U"한");                      // composition of Hangul
  EXPECT_EQ(nfc(U"\u0958"), U"\u0915\u093C");         // composition exclusion
  EXPECT_EQ(nfc(U"a\u0301\u0323"), U"\u1EA1\u0301");  // marks are put in order first
  EXPECT_EQ(nfkc(U"\uFDFA").size(), 18U);             // the longest decomposition there is
  EXPECT_EQ(nfkc(U"\U0001D400"), U"A");
  EXPECT_EQ(nfkc(U""), U"");
}

TEST(Unicode, Classifies) {
  for (const char32_t c : std::u32string(U" \t\n\r\f\v\u0085\u00A0\u2003\u2028\u3000\u001C\u001F")) {
    EXPECT_TRUE(is_space(c)) << static_cast<unsigned>(c);
  }
  for (const char32_t c : std::u32string(U"\u200B\uFEFFあa\u001B"))
    EXPECT_FALSE(is_space(c)) << static_cast<unsigned>(c);
  EXPECT_TRUE(is_assigned(U'あ'));
  EXPECT_TRUE(is_assigned(0xE000));  // private use is assigned
  for (const char32_t c : {0x3040, 0x3097, 0x0378, 0x1F16, 0xFFFF, 0x110000}) EXPECT_FALSE(is_assigned(c));
  EXPECT_TRUE(is_letter_or_number(U'漢'));
  EXPECT_TRUE(is_letter_or_number(U'①'));
  EXPECT_FALSE(is_letter_or_number(U'！'));
  EXPECT_FALSE(is_letter_or_number(0x1F44D));
}

TEST(Unicode, Strips) {
  EXPECT_EQ(strip(std::string_view("　\xC2\xA0あ い\xE2\x80\x83\n")), "あ い");
  EXPECT_EQ(strip(std::u32string_view(U"\u2028 あ\u0085")), U"あ");
  EXPECT_EQ(strip(std::string_view("　　")), "");
  EXPECT_EQ(strip(std::string_view("\x80 \xE3")), "\x80 \xE3");
}

TEST(Unicode, TakesAnything) {
  for (const auto& text : hostile_texts()) {
    const auto characters = to_u32(text);
    const auto once = nfkc(characters);
    EXPECT_EQ(nfkc(once), once);
    const auto composed = nfc(characters);
    EXPECT_EQ(nfc(composed), composed);
    EXPECT_EQ(to_u32(to_utf8(characters)), characters);
    strip(std::string_view(text));
  }
}

}  // namespace
}  // namespace hayakoe::text
