// SPDX-License-Identifier: Apache-2.0
#include "text/homographs.hpp"

#include <gtest/gtest.h>

#include <hayakoe/error.hpp>
#include <set>

#include "text/built_in_words.hpp"

namespace hayakoe::text {
namespace {

TEST(Homographs, TheTableIsSound) {
  EXPECT_GT(homographs().size(), 30U);
  for (const Homograph& row : homographs()) {
    EXPECT_FALSE(row.before.empty() && row.after.empty() && row.near.empty()) << row.surface;
  }
}

TEST(Homographs, AWrongRowIsRefusedWithItsLine) {
  const auto message = [](std::string_view lines) {
    try {
      parse_homographs(lines);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("方\tカタ\t2\tbefore=あの|この\tafter=は\n"), "");
  EXPECT_NE(message("# x\n方\tカタ\t2\n").find("Line 2"), std::string::npos);
  EXPECT_NE(message("方\tカタ\tx\tafter=は\n").find("accent"), std::string::npos);
  EXPECT_NE(message("方\tカタ\t2\twhen=は\n").find("when=は"), std::string::npos);
  EXPECT_NE(message("方\tかた\t2\tafter=は\n").find("katakana"), std::string::npos);
  EXPECT_NE(message("方\tカタ\t3\tafter=は\n").find("from 0 to 2"), std::string::npos);
}

TEST(BuiltInWords, TheTableIsSound) {
  EXPECT_GT(built_in_words().size(), 20U);
  std::set<std::string> surfaces;
  for (const BuiltInWord& word : built_in_words()) EXPECT_TRUE(surfaces.insert(word.surface).second) << word.surface;
}

TEST(BuiltInWords, AWrongLineIsRefusedWithItsNumber) {
  const auto message = [](std::string_view lines) {
    try {
      parse_built_in_words(lines);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("滑舌\tカツゼツ\t0\n嗤っ\tワラッ\t0\t笑っ\n"), "");
  EXPECT_NE(message("滑舌\tカツゼツ\n").find("Line 1"), std::string::npos);
  EXPECT_NE(message("\n滑舌\tカツゼツ\tx\n").find("Line 2"), std::string::npos);
}

}  // namespace
}  // namespace hayakoe::text
