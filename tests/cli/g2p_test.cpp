// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "process.hpp"

namespace hayakoe::test {
namespace {

using nlohmann::json;

const std::string kData = HAYAKOE_TEST_DATA;

// As the reference reads, with its English words.
std::vector<std::string> reference(std::vector<std::string> arguments) {
  const std::vector<std::string> more{"--text-rules", "sbv2",
                                      "--english",    kData + "/g2p/english-fixture.tsv",
                                      "--bert",       HAYAKOE_TEST_VOICES "/demo-bert"};
  arguments.insert(arguments.begin(), "g2p");
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<json> parse_lines(const std::string& text) {
  std::vector<json> all;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) all.push_back(json::parse(line));
  return all;
}

void expect_equal(const json& ours, const json& expected) {
  for (const char* key : {"text", "norm_text", "njd", "sep_text", "sep_kata", "bert_text", "bert_ids", "phones",
                          "tones", "word2ph", "phone_ids", "tone_ids", "language_ids", "word2ph_blank"}) {
    ASSERT_TRUE(ours.contains(key)) << key;
    EXPECT_EQ(ours[key], expected[key]) << key << " of " << expected["text"];
  }
  EXPECT_EQ(ours["unreadable"], expected.value("unreadable", false)) << expected["text"];
}

TEST(G2p, JsonHasTheFieldsOfTheReference) {
  const std::vector<json> corpus = parse_lines(read_file(kData + "/g2p/corpus.jsonl"));
  const std::size_t step = corpus.size() / 12;
  for (std::size_t i = 0; i < corpus.size(); i += step) {
    const Result result = run(reference({corpus[i]["text"], "--json"}));
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
    expect_equal(json::parse(result.out), corpus[i]);
  }
}

TEST(G2p, JsonlAnswersTheWholeCorpusInOrder) {
  const std::string lines = read_file(kData + "/g2p/corpus.jsonl");
  const std::vector<json> expected = parse_lines(lines);
  const Result result = run(reference({"--jsonl", "-"}), lines);
  ASSERT_EQ(result.status, 0) << result.err;
  const std::vector<json> ours = parse_lines(result.out);
  ASSERT_EQ(ours.size(), expected.size());
  for (std::size_t i = 0; i < ours.size(); ++i) expect_equal(ours[i], expected[i]);
}

TEST(G2p, JsonlAnswersEveryLineAndEndsLinesAtLfOnly) {
  const ScratchFolder folder;
  write_file(folder.path() / "in.jsonl",
             "\"はい\"\n"
             "{\"text\":\"いいえ\",\"id\":3}\r\n"
             "ただの文\n"
             "\n"
             "{\"txt\":\"あ\"}\n"
             "[1]\n"
             "\"\xff\"\n"
             "\"\xe2\x80\xa8あ\xc2\x85い\"\n"
             "\"おわり\"");
  const Result result = run({"g2p", "--jsonl", folder.file("in.jsonl"), "--bert", HAYAKOE_TEST_VOICES "/demo-bert"});
  ASSERT_EQ(result.status, 0) << result.err;
  const std::vector<json> answers = parse_lines(result.out);
  ASSERT_EQ(answers.size(), 9U);
  EXPECT_EQ(answers[0]["text"], "はい");
  EXPECT_EQ(answers[0]["phones"], (json{"_", "h", "a", "i", "_"}));
  EXPECT_EQ(answers[1]["text"], "いいえ");
  for (const std::size_t bad : {2, 3, 4, 5, 6}) {
    EXPECT_TRUE(answers[bad].contains("error")) << answers[bad];
    EXPECT_TRUE(answers[bad].contains("text")) << answers[bad];
    EXPECT_FALSE(answers[bad].contains("phones")) << answers[bad];
  }
  EXPECT_EQ(answers[2]["text"], "ただの文");
  EXPECT_EQ(answers[7]["text"], "\xe2\x80\xa8あ\xc2\x85い");
  EXPECT_EQ(answers[8]["text"], "おわり");
}

TEST(G2p, ReadableAnalysisShowsReadingPitchAndPhones) {
  const Result result = run({"g2p", "雨が降る。"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("kana      アメガフル.\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("pitch     ￣＿＿￣＿ \n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("phones    _ a m e g a f u r u . _\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("tones     0 1 0 0 0 0 1 1 0 0 0 0\n"), std::string::npos) << result.out;
}

TEST(G2p, TakesOneSentenceFromAnySource) {
  const Result argument = run({"g2p", "はい。いいえ。"});
  const Result input = run({"g2p"}, "はい。いいえ。\n");
  EXPECT_EQ(argument.out, input.out);
  EXPECT_NE(argument.out.find("h a i . i i e ."), std::string::npos) << argument.out;
}

TEST(G2p, UserWordsCount) {
  const ScratchFolder folder;
  write_file(folder.path() / "words.json", R"([{"surface": "九龍堂", "reading": "クーロンドー", "accent": 3}])");
  const Result result = run({"g2p", "九龍堂", "--words", folder.file("words.json")});
  EXPECT_NE(result.out.find("k u u r o N d o o"), std::string::npos) << result.out << result.err;
  write_file(folder.path() / "bad.json", R"([{"surface": "九龍堂", "reading": "くう", "accent": 3}])");
  const Result bad = run({"g2p", "九龍堂", "--words", folder.file("bad.json")});
  EXPECT_EQ(bad.status, 1);
  EXPECT_NE(bad.err.find("bad.json"), std::string::npos) << bad.err;
}

TEST(G2p, OddTextsAreNoOptionsAndNoLists) {
  for (const char* text : {"[あ,い]", "{}", "%%", "-5度です", "voices", "g2p", "a=b", "\"はい\""}) {
    const Result result = run({"g2p", "--json", text, "--bert", HAYAKOE_TEST_VOICES "/demo-bert"});
    ASSERT_EQ(result.status, 0) << text << result.err;
    EXPECT_EQ(json::parse(result.out)["text"], text);
  }
  const Result dashes = run({"g2p", "--", "--はい"});
  EXPECT_EQ(dashes.status, 0) << dashes.err;
}

TEST(G2p, HundredThousandCharacters) {
  std::string text;
  constexpr int kRepeats = 5000;
  for (int i = 0; i < kRepeats; ++i) text += "これはとても長い文章でまだまだ続くのです";  // 20 characters
  const Result result = run(reference({"--json"}), text);
  ASSERT_EQ(result.status, 0) << result.err;
  const json analysis = json::parse(result.out);
  EXPECT_EQ(analysis["word2ph"].size(), 20U * kRepeats + 2);
  EXPECT_EQ(analysis["phones"].size(), analysis["tones"].size());
}

}  // namespace
}  // namespace hayakoe::test
