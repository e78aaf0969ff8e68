// SPDX-License-Identifier: Apache-2.0
// What tests/data/reading cannot say about Latin text, addresses, chat and marks: what BERT sees, warnings, hostile
// input.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "text/english.hpp"
#include "text/frontend.hpp"
#include "text/g2p_checks.hpp"
#include "text/natural/latin_table.hpp"
#include "text/natural/letters.hpp"
#include "text/natural/rewrite.hpp"
#include "text/natural/romaji.hpp"
#include "text/natural/sounds.hpp"
#include "text/unicode.hpp"

namespace hayakoe::text::natural {
namespace {

const Frontend& frontend() {
  static const Frontend instance;
  return instance;
}

Analysis analyze(std::string_view text) { return frontend().analyze(text, Rules::kNatural); }

std::string norm(std::string_view text) { return analyze(text).norm_text; }

TEST(NaturalLatin, BertSeesKatakanaForWordsAndLettersForInitialisms) {
  EXPECT_EQ(norm("coffeeを飲む"), "コーヒーを飲む");
  EXPECT_EQ(norm("NHKを見る"), "NHKを見る");
  EXPECT_EQ(norm("SDGsを学ぶ"), "SDGズを学ぶ");
  EXPECT_EQ(norm("PS5の曲"), "PSファイブの曲");
}

TEST(NaturalLatin, AFloorIsOneInJapanese) { EXPECT_EQ(norm("B1Fです"), "地下一階です"); }

TEST(NaturalLatin, SilentSignsGiveNoWarning) {
  for (const char* text : {"楽しい😊(^^)/", "★☆♪→おわり", "家族👨‍👩‍👧", "T_T", "#春 & @a"}) {
    EXPECT_TRUE(analyze(text).warnings.empty()) << text;
  }
}

TEST(NaturalLatin, ForeignScriptsAreDroppedWithAWarningAndTheRestIsKept) {
  const Analysis analysis = analyze("駅に서울と書く");
  EXPECT_EQ(analysis.norm_text, "駅にと書く");
  ASSERT_EQ(analysis.warnings.size(), 1U);
  EXPECT_NE(analysis.warnings[0].find("서"), std::string::npos);
}

TEST(NaturalLatin, ParenthesesArePausesOnlyWhereNoMarkIs) {
  EXPECT_EQ(norm("父（会社員）は"), "父,会社員,は");
  EXPECT_EQ(norm("（上）下。（中）"), "上,下.中");
  EXPECT_EQ(norm("（）"), "");
}

TEST(NaturalLatin, KanaAndKanjiStayAsTheyAre) {
  const std::string text = "彼女は「春が来た」と言って、静かに笑った。";
  EXPECT_EQ(norm(text), "彼女は'春が来た'と言って,静かに笑った.");
}

TEST(NaturalLatin, PercentCodesOfAnAddressAreRead) {
  EXPECT_EQ(norm("https://a.com/%E6%97%A5%E6%9C%AC"), "aドットコムスラッシュ日本");
}

TEST(NaturalLatin, MathematicsIsNoFace) {
  EXPECT_NE(norm("(a_b)と(x+y)"), norm("と"));
  EXPECT_EQ(norm("やった(^o^)/"), "やった");
  EXPECT_EQ(norm("（以下:)です"), "以下,です");
}

TEST(NaturalLatin, AnEnglishTableMayHoldAnyReadings) {
  const auto file = std::filesystem::temp_directory_path() / ("hayakoe-english-" + std::to_string(::getpid()));
  std::ofstream(file) << "foo\tx\nbar\ta,b\nbaz\tカタ,カナ\nqux\t漢字\n";
  const Frontend frontend({.dictionary = {}, .english = file});
  std::filesystem::remove(file);
  for (const char* text : {"foo", "foos", "bars", "bazs", "quxs", "foo-bar's baz", "fooBar"}) {
    const Analysis a = frontend.analyze(std::string("りんごと") + text + "とみかん", Rules::kNatural);
    EXPECT_EQ(a.sep_kata.front(), "リンゴ") << text;
    EXPECT_EQ(a.sep_kata.back(), "ミカン") << text;
  }
}

TEST(NaturalLatin, TakesLinearTimeForHostileInput) {
  for (const char* unit :
       {"a",   "a.", "a@", "/a", "http://", "A",  "A.", "aB",  "a-", "(", "(^", "w",  "8",  "〜",        "[]",
        "あ~", "#",  "_",  "é",  "www.",    "1F", "A1", "%E3", "〇", "×", "・", ":*", "- ", "Windows 1 "}) {
    text::testing::expect_linear_time(unit, 200'000, [](const std::string& text) {
      Draft draft{to_u32(text)};
      read_addresses(draft, English::built_in());
      read_chat(draft);
      read_bullets(draft);
      read_latin_names(draft, English::built_in());
      read_latin(draft, English::built_in());
      read_symbols(draft);
      read_marks(draft);
    });
  }
}

TEST(LatinTable, HasNoSurfaceTwice) {
  std::vector<std::u32string> surfaces;
  for (const LatinEntry& entry : latin_entries()) surfaces.push_back(entry.surface);
  std::sort(surfaces.begin(), surfaces.end());
  const auto twice = std::adjacent_find(surfaces.begin(), surfaces.end());
  EXPECT_EQ(twice, surfaces.end()) << to_utf8(*twice);
}

TEST(Letters, FallInTheLastOne) {
  EXPECT_EQ(spelt(U"NHK").reading, "エヌエイチケー");
  EXPECT_EQ(spelt(U"NHK").accent, 6);
  EXPECT_EQ(spelt(U"A").accent, 1);
  EXPECT_TRUE(is_spelling("ジェイアール", U"JR"));
  EXPECT_FALSE(is_spelling("ジャル", U"JAL"));
}

TEST(Romaji, IsReadInBothRomanisations) {
  EXPECT_EQ(romaji_to_kana("yamada"), U"ヤマダ");
  EXPECT_EQ(romaji_to_kana("shimbun"), U"シンブン");
  EXPECT_EQ(romaji_to_kana("sinbun"), U"シンブン");
  EXPECT_EQ(romaji_to_kana("matcha"), U"マッチャ");
  EXPECT_EQ(romaji_to_kana("nippon"), U"ニッポン");
  EXPECT_EQ(romaji_to_kana("kanna"), U"カンナ");
  EXPECT_EQ(romaji_to_kana("ryokan"), U"リョカン");
  EXPECT_EQ(romaji_to_kana("test"), U"");
}

TEST(Sounds, AreThoseOfAnEnglishName) {
  EXPECT_EQ(sound_out("svelte"), U"スベルト");
  EXPECT_EQ(sound_out("brone"), U"ブローン");
  EXPECT_EQ(sound_out("dobbit"), U"ドビット");
  EXPECT_EQ(sound_out("bcdf"), U"");
}

TEST(Sounds, LoanwordsFallOnTheThirdMoraFromTheEnd) {
  EXPECT_EQ(loanword_accent(U"テスト"), 1);
  EXPECT_EQ(loanword_accent(U"ストレス"), 2);
  EXPECT_EQ(loanword_accent(U"コーヒーカップ"), 5);  // コーヒーカ＼ップ
  EXPECT_EQ(loanword_accent(U"デパートメント"), 5);  // on メ, not on the ー before
  EXPECT_EQ(loanword_accent(U"エレベーター"), 3);
}

}  // namespace
}  // namespace hayakoe::text::natural
