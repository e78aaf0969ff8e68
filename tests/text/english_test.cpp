// SPDX-License-Identifier: Apache-2.0
#include "text/english.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <hayakoe/error.hpp>
#include <thread>

#include "text/fixtures.hpp"
#include "text/kana.hpp"
#include "text/symbols.hpp"
#include "text/unicode.hpp"

namespace hayakoe::text {
namespace {

using testing::data_path;
using testing::read_lines;

// A file in the test's own temporary folder.
class EnglishFile : public ::testing::Test {
 protected:
  static std::filesystem::path write(std::string_view content) {
    const auto path = std::filesystem::path(::testing::TempDir()) /
                      (std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) + "-english.tsv");
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  static std::string error_of(std::string_view content) {
    try {
      English::from_file(write(content));
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  }
};

TEST_F(EnglishFile, ReadsTheFixture) {
  const auto english = English::from_file(data_path("g2p/english-fixture.tsv"));
  std::size_t words = 0;
  for (const auto& line : read_lines("g2p/english-fixture.tsv")) {
    const auto tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos);
    EXPECT_EQ(english.lookup(line.substr(0, tab)), line.substr(tab + 1));
    ++words;
  }
  EXPECT_EQ(words, 88U);
  EXPECT_EQ(english.lookup("notaword"), "");
  EXPECT_EQ(english.lookup(""), "");
}

TEST_F(EnglishFile, ToleratesBomCrlfCommentsAndOrder) {
  const auto english =
      English::from_file(write("\xEF\xBB\xBFzoo\tズー\r\n# comment\r\n\r\nant\tアント\r\nzoo\tゾー\r\nIT\tアイティー"));
  EXPECT_EQ(english.lookup("zoo"), "ゾー");
  EXPECT_EQ(english.lookup("ant"), "アント");
  EXPECT_EQ(english.lookup("it"), "");
  EXPECT_EQ(english.lookup_as_written("IT"), "アイティー");
  EXPECT_EQ(english.lookup_as_written("ant"), "");  // no capital: an ordinary look-up
  const English copy = english;
  EXPECT_EQ(copy.lookup("ant"), "アント");
  EXPECT_EQ(English::from_file(write("")).lookup("a"), "");
}

TEST_F(EnglishFile, NamesTheBadLine) {
  EXPECT_NE(error_of("a\tエー\nb ビー\n").find("Line 2"), std::string::npos);
  EXPECT_NE(error_of("\tエー\n").find("Line 1"), std::string::npos);
  EXPECT_NE(error_of("a\t\n").find("no reading"), std::string::npos);
  EXPECT_NE(error_of("a\tエー\tx\n").find("more than one tab"), std::string::npos);
  EXPECT_NE(error_of("# x\n\na\t\xFF\n").find("Line 3"), std::string::npos);
  EXPECT_THROW(English::from_file("/nonexistent/english.tsv"), Error);
  EXPECT_THROW(English::from_file(::testing::TempDir()), Error);
}

TEST_F(EnglishFile, RandomBytesAreAnErrorOrATable) {
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    std::string content(random() % 200, '\0');
    const std::string alphabet = "ab\t\n\r#\xE3\x81\x82";
    for (char& c : content) c = alphabet[random() % alphabet.size()];
    try {
      English::from_file(write(content)).lookup("ab");
    } catch (const Error&) {
    }
  }
}

TEST(English, EmptyKnowsNothing) { EXPECT_EQ(English::empty().lookup("computer"), ""); }

TEST(English, FindsEveryBuiltInWord) {
  std::string_view rest = English::built_in().lines();
  std::string_view last;
  std::size_t words = 0;
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    if (line.front() == '#') continue;
    const auto word = line.substr(0, line.find('\t'));
    ASSERT_TRUE(std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isalpha(c) != 0; })) << word;
    ASSERT_LT(last, word);
    ASSERT_EQ(English::built_in().lookup(word), line.substr(word.size() + 1));
    last = word;
    ++words;
  }
  EXPECT_GT(words, 100000U);
}

TEST(English, EveryBuiltInReadingHasPhones) {
  std::string_view rest = English::built_in().lines();
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    if (line.front() == '#') continue;
    const auto kana = line.substr(line.find('\t') + 1);
    for (const char32_t c : to_u32(kana)) ASSERT_TRUE(is_katakana(c)) << line;
    for (const auto& phone : kana_to_phones(kana)) ASSERT_GE(symbol_id(phone), 0) << line;
  }
}

TEST(English, KnowsEverydayWords) {
  const std::pair<std::string_view, std::string_view> expected[] = {
      {"computer", "コンピューター"}, {"system", "システム"},  {"water", "ウォーター"},
      {"nhk", "エヌエイチケー"},      {"gpu", "ジーピーユー"}, {"information", "インフォメーション"},
      {"world", "ワールド"},          {"the", "ザ"},           {"github", "ギットハブ"},
      {"iso", "アイエスオー"},
  };
  for (const auto& [word, kana] : expected) EXPECT_EQ(English::built_in().lookup(word), kana) << word;
  EXPECT_EQ(English::built_in().lookup("qzxv"), "");
}

TEST(English, BuiltInIsSafeFromManyThreads) {
  std::vector<std::thread> threads;
  std::vector<std::string> found(8);
  for (auto& word : found) threads.emplace_back([&word] { word = English::built_in().lookup("system"); });
  for (auto& thread : threads) thread.join();
  for (const auto& word : found) EXPECT_EQ(word, "システム");
}

}  // namespace
}  // namespace hayakoe::text
