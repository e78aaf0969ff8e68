// SPDX-License-Identifier: Apache-2.0
// Every line of tests/data/reading: how a text must be heard under `natural`.
#include "text/reading_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <hayakoe/error.hpp>
#include <sstream>

#include "text/fixtures.hpp"

namespace hayakoe::text {
namespace {

const Frontend& frontend() {
  static const Frontend instance;
  return instance;
}

std::vector<std::filesystem::path> reading_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(testing::data_path("reading"))) {
    if (entry.path().extension() == ".tsv") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<ReadingCase> cases_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  return parse_reading_cases(content.str());
}

class ReadingFile : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ReadingFile, IsHeardRight) {
  for (const ReadingCase& expected : cases_of(GetParam())) {
    const Heard heard = hear(frontend(), expected.input, Rules::kNatural);
    EXPECT_TRUE(is_right(expected, heard))
        << "line " << expected.line << ": " << expected.input << "\n  heard " << heard.text() << " " << heard.tones
        << "\n  right " << hear_reading(expected.readings.front()).text() << " " << expected.tones;
  }
}

std::string name_of(const ::testing::TestParamInfo<std::filesystem::path>& info) {
  std::string name = info.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, ReadingFile, ::testing::ValuesIn(reading_files()), name_of);

TEST(ReadingFiles, AreManyAndNoLineStandsTwice) {
  std::vector<std::string> inputs;
  for (const auto& file : reading_files()) {
    for (const auto& c : cases_of(file)) inputs.push_back(c.input);
  }
  EXPECT_GE(inputs.size(), 1200U);
  std::sort(inputs.begin(), inputs.end());
  const auto twice = std::adjacent_find(inputs.begin(), inputs.end());
  EXPECT_EQ(twice, inputs.end()) << *twice;
}

TEST(HearReading, DoesNotTellLongVowelsApart) {
  EXPECT_EQ(hear_reading("トウケイ").moras, hear_reading("トーケー").moras);
  EXPECT_EQ(hear_reading("ツヅキ").moras, hear_reading("ツズキ").moras);
  EXPECT_NE(hear_reading("カア").moras, hear_reading("カ").moras);
}

TEST(HearReading, KnowsPausesOnlyBetweenKana) {
  EXPECT_EQ(hear_reading("ア、イ").moras, (std::vector<std::string>{"ア", "、", "イ"}));
  EXPECT_EQ(hear_reading("ア。！イ").moras, hear_reading("ア、イ").moras);
  EXPECT_EQ(hear_reading("、ア。").moras, std::vector<std::string>{"ア"});
}

TEST(ReadingCases, AreRefusedWithTheirLine) {
  const auto message = [](std::string_view lines) {
    try {
      parse_reading_cases(lines);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("# a\nあ\tア\n"), "");
  EXPECT_NE(message("# a\nあ\n").find("Line 2"), std::string::npos);
  EXPECT_NE(message("あ\tア\tHL\n").find("2 tones for a reading of 1 moras"), std::string::npos);
}

TEST(ReadingCases, AreRightWithAnyReadingAndTheTonesOfTheFirst) {
  const auto right = [](std::string_view line, const Heard& heard) {
    return is_right(parse_reading_cases(line).at(0), heard);
  };
  const Heard hashi{{"ハ", "シ"}, "HL"};
  EXPECT_TRUE(right("箸\tハシ\n", hashi));
  EXPECT_TRUE(right("箸\tオハシ|ハシ\n", hashi));
  EXPECT_TRUE(right("箸\tハシ\tHL\n", hashi));
  EXPECT_FALSE(right("箸\tハシ\tLH\n", hashi));
  EXPECT_FALSE(right("箸\tハス\n", hashi));
}

}  // namespace
}  // namespace hayakoe::text
