// SPDX-License-Identifier: Apache-2.0
#include "text/user_words.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <hayakoe/error.hpp>

#include "fixtures.hpp"
#include "g2p_checks.hpp"
#include "text/word_matcher.hpp"

namespace hayakoe::text {
namespace {

std::vector<UserWord> words_of(const nlohmann::json& record) {
  std::vector<UserWord> words;
  for (const auto& w : record.at("words")) words.push_back({w.at("surface"), w.at("reading"), w.at("accent")});
  return words;
}

std::string fault_of(const UserWord& word) {
  try {
    check_user_word(word);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(UserWords, FixtureRowsMorasAndErrors) {
  int rows = 0;
  int errors = 0;
  for (const auto& record : testing::read_jsonl("g2p/user-dict.jsonl")) {
    const auto words = words_of(record);
    if (record.contains("error")) {
      const auto fault = fault_of(words.at(0));
      EXPECT_NE(fault.find(record.at("detail").at(0) == "mora_count" ? "accent" : "reading"), std::string::npos)
          << record.dump() << fault;
      ++errors;
      continue;
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      EXPECT_EQ(fault_of(words[i]), "");
      EXPECT_EQ(sbv2_csv_row(words[i]), record.at("csv").at(i).get<std::string>());
      ++rows;
    }
    if (record.contains("mora_count")) {
      EXPECT_EQ(count_moras(words.at(0).reading), record.at("mora_count").get<int>());
    }
  }
  EXPECT_EQ(errors, 18);
  EXPECT_EQ(rows, 53);
}

TEST(UserWords, FixtureResults) {
  int compared = 0;
  for (const auto& record : testing::read_jsonl("g2p/user-dict.jsonl")) {
    if (!record.contains("results")) continue;
    Frontend frontend(testing::fixture_options());
    frontend.add_words(words_of(record));
    for (const auto& result : record.at("results")) {
      const auto a = frontend.analyze(result.at("text").get<std::string>(), Rules::kSbv2);
      EXPECT_EQ(a.norm_text, result.at("norm_text").get<std::string>());
      ASSERT_EQ(a.njd.size(), result.at("njd").size()) << a.text;
      for (std::size_t i = 0; i < a.njd.size(); ++i) {
        const auto& expected = result.at("njd").at(i);
        EXPECT_EQ(a.njd[i].string, expected.at("string").get<std::string>());
        EXPECT_EQ(a.njd[i].pos, expected.at("pos").get<std::string>());
        EXPECT_EQ(a.njd[i].read, expected.at("read").get<std::string>());
        EXPECT_EQ(a.njd[i].pron, expected.at("pron").get<std::string>());
        EXPECT_EQ(a.njd[i].acc, expected.at("acc").get<int>());
        EXPECT_EQ(a.njd[i].mora_size, expected.at("mora_size").get<int>());
        EXPECT_EQ(a.njd[i].chain_flag, expected.at("chain_flag").get<int>());
      }
      testing::expect_invariants(a);
      ++compared;
      if (result.contains("error")) {  // クヮ has no phones in the original
        EXPECT_EQ(a.phones, (std::vector<std::string>{"_", "k", "a", "_"}));
        continue;
      }
      EXPECT_EQ(a.phones, result.at("phones").get<std::vector<std::string>>()) << a.text;
      EXPECT_EQ(a.tones, result.at("tones").get<std::vector<int>>()) << a.text;
      EXPECT_EQ(a.word2ph, result.at("word2ph").get<std::vector<int>>()) << a.text;
    }
  }
  EXPECT_EQ(compared, 36);
}

TEST(UserWords, FaultsSayWhatAndWhere) {
  EXPECT_EQ(
      fault_of({"犬", "イぬ", 0}),
      "The reading \"イぬ\" of the word \"犬\" is wrong: character 2 (\"ぬ\") is not katakana from ァ to ヴ or ー; "
      "write it in katakana.");
  EXPECT_NE(fault_of({"犬", "イヌ", 3}).find("from 0 to 2"), std::string::npos);
  EXPECT_NE(fault_of({"a\nb", "ア", 0}).find("control character"), std::string::npos);
  EXPECT_NE(fault_of({"\xE3\x81", "ア", 0}).find("UTF-8"), std::string::npos);
  EXPECT_NE(fault_of({testing::repeated("猫", 257), "ア", 0}).find("256"), std::string::npos);
  EXPECT_NE(fault_of({"猫", testing::repeated("ア", 257), 0}).find("256"), std::string::npos);
  EXPECT_EQ(fault_of({testing::repeated("猫", 256), testing::repeated("ア", 256), 256}), "");
}

class WordFile : public ::testing::Test {
 protected:
  WordFile() : path_(::testing::TempDir() + "/hayakoe-words-" + std::to_string(getpid())) {}
  ~WordFile() override { std::filesystem::remove(path_); }

  std::vector<UserWord> read(const std::string& content) const {
    std::ofstream(path_, std::ios::binary) << content;
    return read_word_file(path_);
  }

  std::string error(const std::string& content) const {
    try {
      read(content);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }

  std::string path_;
};

TEST_F(WordFile, Csv) {
  const auto words =
      read("\xEF\xBB\xBFsurface,reading,accent\r\n東京,トーキョー,0\r\n\r\n\"猫,犬\", ネコイヌ , 2 \n\"a\"\"b\",ア,1");
  ASSERT_EQ(words.size(), 3U);
  EXPECT_EQ(words[0].surface, "東京");
  EXPECT_EQ(words[1].surface, "猫,犬");
  EXPECT_EQ(words[1].reading, "ネコイヌ");
  EXPECT_EQ(words[1].accent, 2);
  EXPECT_EQ(words[2].surface, "a\"b");
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read("surface,reading,accent\n").empty());
}

TEST_F(WordFile, CsvErrorsNameTheLine) {
  EXPECT_NE(error("東京,トーキョー,0\n\n大阪,オーサカ\n").find(path_ + ", line 3: There are 2 fields"),
            std::string::npos);
  EXPECT_NE(error("東京,トーキョー,x\n").find("line 1"), std::string::npos);
  EXPECT_NE(error("東京,トーキョー,99999999999\n").find("line 1"), std::string::npos);
  EXPECT_NE(error("東京,とうきょう,0\n").find("line 1"), std::string::npos);
  EXPECT_NE(error("\"東京,トーキョー,0\n").find("line 1"), std::string::npos);
  EXPECT_NE(error("東京,トーキョー,5\n").find("from 0 to 4"), std::string::npos);
}

TEST_F(WordFile, Json) {
  const auto words = read("\xEF\xBB\xBF [{\"surface\": \"C++\", \"reading\": \"シープラ\", \"accent\": 2}]");
  ASSERT_EQ(words.size(), 1U);
  EXPECT_EQ(words[0].surface, "C++");
  EXPECT_EQ(words[0].accent, 2);
  EXPECT_TRUE(read("[]").empty());
}

TEST_F(WordFile, JsonErrorsNameThePlace) {
  const std::string good = R"({"surface":"あ","reading":"ア","accent":1})";
  EXPECT_NE(error("[\n" + good + ",\n{\"surface\":]").find("line 3"), std::string::npos);
  EXPECT_NE(error("[" + good + ",{}]").find("entry 2: \"surface\""), std::string::npos);
  EXPECT_NE(error("[" + good + ",3]").find("entry 2"), std::string::npos);
  EXPECT_NE(error(R"([{"surface":"あ","reading":"ア","accent":1.5}])").find("whole number"), std::string::npos);
  EXPECT_NE(error(R"([{"surface":"あ","reading":"ア","accent":99999999999}])").find("accent"), std::string::npos);
  EXPECT_NE(error(R"([{"surface":"あ","reading":"ア","accent":18446744073709551615}])").find("accent"),
            std::string::npos);
}

TEST_F(WordFile, MissingFile) {
  try {
    read_word_file("/does/not/exist.csv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/does/not/exist.csv"), std::string::npos);
  }
  EXPECT_THROW(read_word_file("/tmp"), Error);
}

TEST(WordMatcher, LongestWordsAtBoundaries) {
  WordMatcher matcher;
  matcher.add(U"C", 1);
  matcher.add(U"C++", 2);
  matcher.add(U"GitHub", 3);
  matcher.add(U"IT", 4);
  matcher.add(U"GPT4", 5);
  matcher.add(U"Git", 6);
  const auto found = [&](std::u32string_view text) {
    std::string out;
    for (const auto& match : matcher.find_all(text)) {
      out += std::to_string(match.begin) + "+" + std::to_string(match.length) + "=" + std::to_string(match.id) + " ";
    }
    return out;
  };
  EXPECT_EQ(found(U"C++とC、CC"), "0+3=2 4+1=1 ");
  EXPECT_EQ(found(U"github GITHUB Git GitHubs"), "0+6=3 7+6=3 14+3=6 ");
  EXPECT_EQ(found(U"IT it ITか"), "0+2=4 6+2=4 ");
  EXPECT_EQ(found(U"GPT4 GPT40 GPT4で xGPT4"), "0+4=5 11+4=5 ");
  EXPECT_EQ(found(U""), "");
  EXPECT_EQ(found(U"éC Cé"), "");
}

}  // namespace
}  // namespace hayakoe::text
