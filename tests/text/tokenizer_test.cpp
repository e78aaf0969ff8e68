// SPDX-License-Identifier: Apache-2.0
#include "text/tokenizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <hayakoe/error.hpp>

#include "text/fixtures.hpp"
#include "text/unicode.hpp"

namespace hayakoe::text {
namespace {

using testing::data_path;
using testing::g2p_records;
using testing::hostile_texts;
using testing::read_lines;

const CharTokenizer& tokenizer() {
  static const CharTokenizer instance(data_path("bert-tiny/vocab.txt"));
  return instance;
}

TEST(Tokenizer, MatchesTheOriginalOnOddInputs) {
  const auto golden = nlohmann::json::parse(std::ifstream(data_path("bert-tiny/golden.json")));
  ASSERT_EQ(golden["tokenizer_cases"].size(), 14U);
  for (const auto& c : golden["tokenizer_cases"]) {
    EXPECT_EQ(tokenizer().encode(c["text"].get<std::string>()), c["ids"].get<std::vector<int>>()) << c["text"];
  }
}

TEST(Tokenizer, MatchesTheCorpora) {
  std::size_t compared = 0;
  for (const auto& r : g2p_records()) {
    if (!r.contains("bert_ids")) continue;
    const auto text = r["bert_text"].get<std::string>();
    const auto ids = tokenizer().encode(text);
    ASSERT_EQ(ids, r["bert_ids"].get<std::vector<int>>()) << text;
    ASSERT_EQ(ids.size(), to_u32(text).size() + 2);
    ++compared;
  }
  EXPECT_EQ(compared, 2189U);
}

TEST(Tokenizer, TakesAnything) {
  for (const auto& text : hostile_texts()) {
    const auto ids = tokenizer().encode(text);
    ASSERT_GE(ids.size(), 2U);
    EXPECT_EQ(ids.front(), 1);
    EXPECT_EQ(ids.back(), 2);
    EXPECT_TRUE(std::all_of(ids.begin(), ids.end(), [](int id) { return id >= 0 && id < 22012; }));
  }
  EXPECT_EQ(tokenizer().vocabulary_size(), 22012);
}

class VocabularyFile : public ::testing::Test {
 protected:
  static std::filesystem::path write(std::string_view content) {
    const auto path = std::filesystem::path(::testing::TempDir()) /
                      (std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) + "-vocab.txt");
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  static std::string error_of(const std::filesystem::path& path) {
    try {
      const CharTokenizer t(path);
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  }
};

TEST_F(VocabularyFile, CrlfIsFine) {
  const CharTokenizer t(write("[PAD]\r\n[CLS]\r\n[SEP]\r\n[UNK]\r\nあ\r\nb"));
  EXPECT_EQ(t.encode("あbｂ漢"), (std::vector<int>{1, 4, 5, 5, 3, 2}));
  EXPECT_EQ(t.encode("[MASK]"), (std::vector<int>{1, 3, 3, 3, 3, 3, 3, 2}));  // not in this vocabulary
}

TEST_F(VocabularyFile, SaysWhatIsMissing) {
  EXPECT_NE(error_of(write("[PAD]\n[SEP]\n[UNK]\n")).find("no [CLS]"), std::string::npos);
  EXPECT_NE(error_of(write("[CLS]\n[UNK]\n")).find("no [SEP]"), std::string::npos);
  EXPECT_NE(error_of(write("[CLS]\n[SEP]\n")).find("no [UNK]"), std::string::npos);
  EXPECT_NE(error_of(write("")).find("no [CLS]"), std::string::npos);
  EXPECT_NE(error_of("/nonexistent/vocab.txt").find("cannot be read"), std::string::npos);
  EXPECT_NE(error_of(::testing::TempDir()).find("folder"), std::string::npos);
}

TEST_F(VocabularyFile, RandomBytesDoNotHurt) {
  std::mt19937 random(11);
  for (int i = 0; i < 100; ++i) {
    std::string content = "[CLS]\n[SEP]\n[UNK]\n";
    for (int k = 0; k < 500; ++k) content += static_cast<char>(random() & 0xFFU);
    EXPECT_EQ(CharTokenizer(write(content)).encode("あ").size(), 3U);
  }
}

}  // namespace
}  // namespace hayakoe::text
