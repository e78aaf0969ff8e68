// SPDX-License-Identifier: Apache-2.0
#include "text/normalize.hpp"

#include <gtest/gtest.h>

#include <set>

#include "text/english.hpp"
#include "text/fixtures.hpp"
#include "text/numbers.hpp"
#include "text/unicode.hpp"

namespace hayakoe::text {
namespace {

using testing::data_path;
using testing::g2p_records;
using testing::hostile_texts;
using testing::read_jsonl;
using testing::read_lines;

const English& fixture_english() {
  static const English english = English::from_file(data_path("g2p/english-fixture.tsv"));
  return english;
}

std::string sbv2(std::string_view text) { return normalize(text, English::empty()); }

std::string without_unassigned(std::string_view text) {
  auto characters = to_u32(text);
  std::erase_if(characters, [](char32_t c) { return !is_assigned(c); });
  return to_utf8(characters);
}

TEST(Normalize, MatchesTheCorpora) {
  std::size_t compared = 0;
  std::size_t repaired = 0;
  for (const auto& r : g2p_records()) {
    const auto text = r["text"].get<std::string>();
    const auto ours = normalize(text, fixture_english());
    if (!r.contains("norm_text")) {
      EXPECT_EQ(r["error"].get<std::string>().substr(0, 13), "OverflowError");
      continue;
    }
    // The original lets unassigned code points through and fails on them later; here they are dropped.
    const auto golden = r["norm_text"].get<std::string>();
    const auto expected = r.contains("error") ? without_unassigned(golden) : golden;
    if (expected != golden) ++repaired;
    ++compared;
    EXPECT_EQ(ours, expected) << text;
  }
  EXPECT_EQ(compared, 2208U);
  EXPECT_EQ(repaired, 6U);
}

// normalize-codepoints.tsv as a table: what each code point becomes; absent ones become nothing.
std::vector<std::string> codepoint_table() {
  std::vector<std::string> table(0x110000);
  for (const auto& line : read_lines("g2p/normalize-codepoints.tsv")) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> columns;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) columns.push_back(cell);
    const auto first = std::stoul(columns.at(1), nullptr, 16);
    if (columns[0] == "map") {
      table.at(first) = columns.at(2);
      continue;
    }
    for (auto c = first; c <= std::stoul(columns.at(2), nullptr, 16); ++c)
      table.at(c) = to_utf8(static_cast<char32_t>(c));
  }
  return table;
}

TEST(Normalize, MatchesEverySingleCodePoint) {
  const auto table = codepoint_table();
  std::size_t kept = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    // Unassigned code points are dropped here; the original keeps those of the Greek and hiragana blocks and fails.
    const auto expected = without_unassigned(table[c]);
    if (!expected.empty()) ++kept;
    ASSERT_EQ(sbv2(to_utf8(c)), expected) << "U+" << std::hex << static_cast<unsigned>(c);
  }
  EXPECT_GT(kept, 30000U);
}

TEST(Normalize, ReadsEnglishOfTheDictionaryOnly) {
  const auto with_english = [](std::string_view text) { return normalize(text, English::built_in()); };
  EXPECT_EQ(with_english("Hello, world!"), "ハロー,ワールド!");
  EXPECT_EQ(with_english("ＩＴ企業"), "イット企業");
  EXPECT_EQ(with_english("qzxv"), "qzxv");
  EXPECT_EQ(normalize("Hello", English::empty()), "Hello");
}

TEST(Normalize, WarnsAboutWhatIsLost) {
  std::vector<std::string> warnings;
  EXPECT_EQ(normalize("𠮷野家👍♪", English::empty(), &warnings), "野家");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("𠮷"), std::string::npos);
  warnings.clear();
  EXPECT_EQ(normalize(std::string(52, '1'), English::empty(), &warnings).size(), 52U * 6);  // イチ
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("52"), std::string::npos);
  warnings.clear();
  normalize("ふつうの文です。👍", English::empty(), &warnings);
  EXPECT_TRUE(warnings.empty());
}

TEST(Normalize, ResultIsStableAndClean) {
  for (const auto& text : hostile_texts()) {
    std::vector<std::string> warnings;
    const auto once = normalize(text, English::built_in(), &warnings);
    for (const char32_t c : to_u32(once)) {
      ASSERT_TRUE(is_assigned(c) && c != kReplacement && !is_space(c)) << static_cast<unsigned>(c);
    }
    EXPECT_LT(warnings.size(), 1000000U);
  }
}

TEST(Normalize, SurfacesOfWords) {
  EXPECT_EQ(replace_marks_and_drop("，．！？’−"), ",.!?'-");
  EXPECT_EQ(replace_marks_and_drop("：；（）"), ",,''");
  EXPECT_EQ(replace_marks_and_drop("ＡＢｃ漢字かなカナー々"), "ＡＢｃ漢字かなカナー々");
  EXPECT_EQ(replace_marks_and_drop("・・・"), "...");
  EXPECT_EQ(replace_marks_and_drop("𥝱"), "");
  EXPECT_EQ(replace_marks_and_drop("〇"), "〇");
  EXPECT_EQ(replace_marks_and_drop("\xFF\xE3"), "");
}

TEST(Normalize, SurfacesOfAllFixtureWords) {
  std::size_t words = 0;
  for (const auto& r : g2p_records()) {
    if (!r.contains("sep_text") || r["sep_text"].size() != r["njd"].size()) continue;
    for (std::size_t i = 0; i < r["njd"].size(); ++i, ++words) {
      ASSERT_EQ(replace_marks_and_drop(r["njd"][i]["string"].get<std::string>()), r["sep_text"][i].get<std::string>());
    }
  }
  EXPECT_GT(words, 20000U);
}

TEST(Normalize, KnowsPunctuation) {
  for (const std::string_view mark : {"!", "?", "…", ",", ".", "'", "-"}) EXPECT_TRUE(is_punctuation(mark)) << mark;
  for (const std::string_view other : {"", "a", "!!", "。", "ー", "_", "、"})
    EXPECT_FALSE(is_punctuation(other)) << other;
}

TEST(Numbers, MatchTheFixture) {
  const auto records = read_jsonl("g2p/numbers.jsonl");
  ASSERT_EQ(records.size(), 405U);
  std::size_t overflows = 0;
  for (const auto& r : records) {
    const auto digits = r["digits"].get<std::string>();
    std::vector<std::string> warnings;
    const auto words = number_to_kanji(digits, &warnings);
    if (r.contains("error")) {
      ++overflows;
      EXPECT_EQ(warnings.size(), 1U);
      EXPECT_GE(to_u32(words).size(), 2 * digits.size());
    } else {
      EXPECT_EQ(words, r["words"].get<std::string>()) << digits;
      EXPECT_TRUE(warnings.empty());
    }
  }
  EXPECT_EQ(overflows, 2U);
}

TEST(Numbers, TooLongOnesAreReadDigitByDigit) {
  EXPECT_EQ(number_to_kanji("10" + std::string(49, '0')), "百極");
  EXPECT_EQ(number_to_kanji("12" + std::string(50, '0')).substr(0, 18), "イチニーゼロ");
  EXPECT_EQ(number_to_kanji(std::string(40, '0') + "7" + std::string(20, '0')), "七垓");
  const auto fraction = number_to_kanji(std::string(60, '9') + ".25");
  EXPECT_TRUE(fraction.ends_with("キュー点ニーゴー")) << fraction;
}

TEST(Numbers, OddFractions) {
  EXPECT_EQ(number_to_kanji("0." + std::string(400, '0') + "1"), "零点零");  // below the smallest double
  EXPECT_EQ(to_u32(number_to_kanji("0." + std::string(315, '0') + "1")).size(), 2 + 316U);
  EXPECT_TRUE(number_to_kanji(std::string(51, '9') + ".5").starts_with("九百九十九極"));
  EXPECT_EQ(number_to_kanji("12a"), "12a");
  EXPECT_EQ(number_to_kanji("1."), "1.");
  EXPECT_EQ(number_to_kanji(""), "");
}

}  // namespace
}  // namespace hayakoe::text
