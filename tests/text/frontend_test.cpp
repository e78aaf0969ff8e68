// SPDX-License-Identifier: Apache-2.0
#include "text/frontend.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <hayakoe/error.hpp>
#include <thread>

#include "fixtures.hpp"
#include "g2p_checks.hpp"

namespace hayakoe::text {
namespace {

using testing::prons;

std::string natural(const Frontend& frontend, std::string_view text) {
  const auto a = frontend.analyze(text, Rules::kNatural);
  testing::expect_invariants(a);
  return prons(a);
}

TEST(Frontend, AddedWordsWin) {
  Frontend frontend(testing::fixture_options());
  frontend.add_words(std::vector<UserWord>{{"東京", "ヒガシキョー", 1},
                                           {"日本語", "ニッポンゴ", 3},
                                           {"檸檬", "レモーン", 0},
                                           {"ローファー", "ローファア", 1},
                                           {"担々麺", "タンタンメン", 3},
                                           {"鬼滅の刃", "キメツノヤイバ", 6},
                                           {"王", "キング", 1},
                                           {"私", "アタイ", 0}});
  EXPECT_EQ(natural(frontend, "東京に行く。"), "ヒガシキョー ニ イク .");
  EXPECT_EQ(natural(frontend, "東京都"), "ヒガシキョー ト");
  EXPECT_EQ(natural(frontend, "東京タワー"), "ヒガシキョー タワー");
  EXPECT_EQ(natural(frontend, "日本語の勉強"), "ニッポンゴ ノ ベンキョー");
  EXPECT_EQ(natural(frontend, "檸檬と担々麺"), "レモーン ト タンタンメン");
  EXPECT_EQ(natural(frontend, "ローファーを履く"), "ローファア ヲ ハク");
  EXPECT_EQ(natural(frontend, "鬼滅の刃を見た"), "キメツノヤイバ ヲ ミ タ");
  EXPECT_EQ(natural(frontend, "王と私"), "キング ト アタイ");
  EXPECT_EQ(natural(frontend, "私達"), "アタイ タチ");
  // SBV2 rules give them a cost that known words beat.
  EXPECT_EQ(prons(frontend.analyze("東京に行く。", Rules::kSbv2)), "トーキョー ニ イク .");
}

TEST(Frontend, LongerWordsOfTheDictionaryStay) {
  Frontend frontend;
  frontend.add_words(std::vector<UserWord>{{"魚", "ウオウオ", 0}, {"日本", "ニッポン", 3}, {"山", "サン", 1}});
  EXPECT_EQ(natural(frontend, "魚屋さん"), "サカナヤ サン");
  EXPECT_EQ(natural(frontend, "日本橋を渡る"), "ニホンバシ ヲ ワタル");
  EXPECT_EQ(natural(frontend, "富士山と山"), "フジサン ト サン");
  EXPECT_EQ(natural(frontend, "魚を見た"), "ウオウオ ヲ ミ タ");
}

TEST(Frontend, SurfacesThatNormalisationChanges) {
  Frontend frontend(testing::fixture_options());
  frontend.add_words(std::vector<UserWord>{{"GitHub", "ギッハブ", 3},
                                           {"C++", "シープラスプラス", 7},
                                           {"C#", "シーシャープ", 4},
                                           {"GPT4", "ジーピーティーフォー", 7},
                                           {"New York", "ニューヨーク", 3},
                                           {"☆", "ホシ", 0},
                                           {"ヴァイオレット・エヴァーガーデン", "バイオレット", 3},
                                           {"𠮷野", "ヨシノ", 0},
                                           {"〇〇", "マルマル", 0},
                                           {"第2新東京", "ダイニシントーキョー", 6}});
  EXPECT_EQ(natural(frontend, "GitHubで公開"), "ギッハブ デ コーカイ");
  EXPECT_EQ(natural(frontend, "ＧｉｔＨｕｂで"), "ギッハブ デ");
  EXPECT_EQ(natural(frontend, "githubで"), "ギッハブ デ");
  EXPECT_EQ(natural(frontend, "C++とC#が好き"), "シープラスプラス ト シーシャープ ガ スキ");
  EXPECT_EQ(natural(frontend, "C言語"), "シー ゲンゴ");
  EXPECT_EQ(natural(frontend, "GPT4を使う"), "ジーピーティーフォー ヲ ツカウ");
  EXPECT_EQ(natural(frontend, "New Yorkへ"), "ニューヨーク エ");
  EXPECT_EQ(natural(frontend, "☆を見る"), "ホシ ヲ ミル");
  EXPECT_EQ(natural(frontend, "ヴァイオレット・エヴァーガーデンを観る"), "バイオレット ヲ ミル");
  EXPECT_EQ(natural(frontend, "𠮷野さん"), "ヨシノ サン");
  EXPECT_EQ(natural(frontend, "〇〇さん"), "マルマル サン");
  EXPECT_EQ(natural(frontend, "第2新東京で"), "ダイニシントーキョー デ");
}

TEST(Frontend, WhatBertSeesOfSuchSurfaces) {
  Frontend frontend;
  frontend.add_words(std::vector<UserWord>{{"C++", "シープラ", 2}, {"☆", "ホシ", 0}});
  const auto a = frontend.analyze("C++と☆。", Rules::kNatural);
  EXPECT_EQ(a.norm_text, "Cとホシ.");
  EXPECT_EQ(a.bert_text, "Ｃとホシ.");
  EXPECT_EQ(a.njd[0].string, "Ｃ");
  EXPECT_EQ(a.njd[0].acc, 2);
  // A private-use character that the text itself holds is dropped like any other unknown character.
  EXPECT_EQ(natural(frontend, "\xF3\xB0\x80\x80猫"), "ネコ");
}

TEST(Frontend, AccentCountsInsideAPhrase) {
  Frontend frontend;
  frontend.add_word({"試験語", "シケンゴ", 3});
  const auto a = frontend.analyze("新試験語", Rules::kNatural);
  ASSERT_EQ(a.njd.size(), 2U);
  EXPECT_EQ(a.njd[1].chain_flag, 1);
  EXPECT_EQ(a.njd[0].acc, 5);  // シン and three moras  // シン has two moras...
}

TEST(Frontend, BothWidthsAreOneWord) {
  Frontend frontend;
  frontend.add_word({"Soncho", "ソンチョー", 0});
  EXPECT_EQ(natural(frontend, "Ｓｏｎｃｈｏと"), "ソンチョー ト");
  ASSERT_EQ(frontend.words().size(), 1U);
  EXPECT_EQ(frontend.words()[0].surface, "Soncho");  // as it was typed
  frontend.add_word({"Ｓｏｎｃｈｏ", "ソンチョ", 0});
  ASSERT_EQ(frontend.words().size(), 1U);
  EXPECT_EQ(natural(frontend, "Sonchoと"), "ソンチョ ト");
  frontend.add_word({"ｱﾊﾟｰﾄ", "アパトー", 0});
  EXPECT_EQ(natural(frontend, "アパートと"), "アパトー ト");
  EXPECT_TRUE(frontend.remove_word("アパート"));
  EXPECT_FALSE(frontend.remove_word("アパート"));
  EXPECT_TRUE(frontend.remove_word("Soncho"));
  EXPECT_TRUE(frontend.words().empty());
}

TEST(Frontend, WrongWordsChangeNothing) {
  Frontend frontend;
  frontend.add_word({"猫", "ニャンコ", 0});
  EXPECT_THROW(frontend.add_words(std::vector<UserWord>{{"犬", "ワンコ", 0}, {"鳥", "とり", 0}}), Error);
  EXPECT_EQ(frontend.words().size(), 1U);
  EXPECT_EQ(natural(frontend, "犬と猫"), "イヌ ト ニャンコ");
}

TEST(Frontend, BlankSurfacesAreNeverFound) {
  Frontend frontend;
  frontend.add_words(std::vector<UserWord>{{"", "ア", 0}, {" ", "イ", 0}, {"　", "ウ", 0}});
  EXPECT_EQ(natural(frontend, "猫 と　犬"), "ネコ ト イヌ");
  EXPECT_EQ(prons(frontend.analyze("猫 と　犬", Rules::kSbv2)), "ネコ ト イヌ");
}

TEST(Frontend, LoadWordsIsAllOrNothing) {
  const std::string path = ::testing::TempDir() + "/hayakoe-load-" + std::to_string(getpid()) + ".csv";
  Frontend frontend;
  std::ofstream(path) << "猫,ニャンコ,0\n犬,わんこ,0\n";
  EXPECT_THROW(frontend.load_words(path), Error);
  EXPECT_TRUE(frontend.words().empty());
  std::ofstream(path) << "猫,ニャンコ,0\n犬,ワンコ,0\n";
  frontend.load_words(path);
  EXPECT_EQ(frontend.words().size(), 2U);
  EXPECT_EQ(natural(frontend, "犬と猫"), "ワンコ ト ニャンコ");
  std::filesystem::remove(path);
}

TEST(Frontend, PrintsNothing) {
  ::testing::internal::CaptureStdout();
  {
    Frontend frontend;
    frontend.add_word({"猫", "ニャンコ", 0});
    frontend.analyze("猫", Rules::kSbv2);
    frontend.remove_word("猫");
  }
  fflush(stdout);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST(Frontend, MissingFilesAreErrors) {
  FrontendOptions options;
  options.dictionary = "/does/not/exist";
  EXPECT_THROW(Frontend{options}, Error);
  options = {};
  options.english = "/does/not/exist.tsv";
  EXPECT_THROW(Frontend{options}, Error);
}

TEST(Frontend, ManyWords) {
  std::mt19937 random(3);
  std::vector<UserWord> words;
  for (int i = 0; i < 10000; ++i) {
    std::string surface;
    for (int k = 0; k < 5; ++k) append_utf8(surface, static_cast<char32_t>(0x4E00 + random() % 0x5000));
    if (i % 3 == 0) surface += "X" + std::to_string(i);
    words.push_back({surface, "アイウ", i % 4});
  }
  Frontend frontend;
  const double start = testing::cpu_seconds();
  frontend.add_words(words);
  EXPECT_LT(testing::cpu_seconds() - start, 5);
  for (std::size_t i = 0; i < words.size(); i += 101) EXPECT_EQ(natural(frontend, words[i].surface), "アイウ");
}

TEST(Frontend, ThreadsAgreeWhileWordsAreAdded) {
  Frontend frontend(testing::fixture_options());
  std::vector<std::string> texts;
  for (const auto& record : testing::g2p_records()) {
    const auto text = record.at("text").get<std::string>();
    if (text.size() < 600) texts.push_back(text);
  }
  texts.resize(std::min<std::size_t>(texts.size(), 600));
  std::vector<Analysis> expected;
  for (const auto& text : texts) expected.push_back(frontend.analyze(text, Rules::kSbv2));

  std::atomic<int> running = 4;
  std::atomic<int> different = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::size_t k = (i + static_cast<std::size_t>(t) * 150) % texts.size();
        const auto a = frontend.analyze(texts[k], Rules::kSbv2);
        if (a.phones != expected[k].phones || a.tones != expected[k].tones || a.word2ph != expected[k].word2ph) {
          ++different;
        }
        frontend.analyze(texts[k], Rules::kNatural);
      }
      --running;
    });
  }
  // The words that come and go are in none of the texts.
  int added = 0;
  while (running > 0) {
    frontend.add_word({"龘龘龘" + std::to_string(added % 20), "ダトー", 1});
    if (added % 3 == 0) frontend.remove_word("龘龘龘" + std::to_string(added % 7));
    ++added;
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(different, 0);
  EXPECT_GT(added, 0);
}

TEST(FrontendNumbers, VeryLongOnesAreReadDigitByDigit) {
  const Frontend frontend;
  for (const Rules rules : {Rules::kSbv2, Rules::kNatural}) {
    const Analysis a = frontend.analyze(std::string(60, '9') + "個", rules);
    EXPECT_EQ(std::count(a.phones.begin(), a.phones.end(), "ky"), 60);  // キュー × 60
    EXPECT_FALSE(a.warnings.empty());
  }
}

}  // namespace
}  // namespace hayakoe::text
