// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <hayakoe/error.hpp>
#include <numeric>

#include "text/fixtures.hpp"
#include "text/symbols.hpp"

namespace hayakoe::text {
namespace {

using testing::g2p_records;
using Ids = std::vector<int>;
using Phones = std::vector<std::string>;

TEST(Symbols, HaveTheOrderOfTheVoices) {
  ASSERT_EQ(symbol_count(), 112);
  const std::pair<std::string_view, int> some[] = {{"_", 0},   {"N", 5},   {"a", 8},   {"k", 57},   {"z", 100},
                                                   {"!", 103}, {"…", 105}, {"-", 109}, {"SP", 110}, {"UNK", 111}};
  for (const auto& [name, id] : some) {
    EXPECT_EQ(symbol_id(name), id);
    EXPECT_EQ(symbol(id), name);
  }
  for (int id = 0; id < symbol_count(); ++id) EXPECT_EQ(symbol_id(symbol(id)), id);
  EXPECT_EQ(symbol(-1), "");
  EXPECT_EQ(symbol(112), "");
  EXPECT_EQ(symbol_id("kw"), -1);
  EXPECT_EQ(symbol_id(""), -1);
}

TEST(Sequence, MatchesTheCorpora) {
  std::size_t compared = 0;
  for (const auto& r : g2p_records()) {
    if (!r.contains("phone_ids")) continue;
    const auto s = to_sequence(r["phones"].get<Phones>(), r["tones"].get<Ids>(), r["word2ph"].get<Ids>());
    ASSERT_EQ(s.phone_ids, r["phone_ids"].get<Ids>()) << r["text"];
    ASSERT_EQ(s.tone_ids, r["tone_ids"].get<Ids>()) << r["text"];
    ASSERT_EQ(s.language_ids, r["language_ids"].get<Ids>()) << r["text"];
    ASSERT_EQ(s.word2ph, r["word2ph_blank"].get<Ids>()) << r["text"];
    ++compared;
  }
  EXPECT_EQ(compared, 2189U);
}

TEST(Sequence, WithoutBlanks) {
  const auto s = to_sequence({"_", "a", "_"}, {0, 1, 0}, {1, 1, 1}, false);
  EXPECT_EQ(s.phone_ids, (Ids{0, 8, 0}));
  EXPECT_EQ(s.tone_ids, (Ids{6, 7, 6}));
  EXPECT_EQ(s.language_ids, (Ids{1, 1, 1}));
  EXPECT_EQ(s.word2ph, (Ids{1, 1, 1}));
}

TEST(Sequence, PhonesWithoutAnIdNeverFail) {
  const auto s = to_sequence({"_", "kw", "a", "gw", "a", "ー", "ヸ", "", "_"}, Ids(9, 0), {1, 7, 1}, false);
  EXPECT_EQ(s.phone_ids,
            (Ids{0, symbol_id("k"), 8, symbol_id("g"), 8, symbol_id("-"), symbol_id("'"), symbol_id("'"), 0}));
  // The records that stop the original with a KeyError.
  std::size_t repaired = 0;
  for (const auto& r : g2p_records()) {
    if (r.value("error_stage", "") != "to_sequence") continue;
    const auto sequence = to_sequence(r["phones"].get<Phones>(), r["tones"].get<Ids>(), r["word2ph"].get<Ids>());
    EXPECT_EQ(sequence.phone_ids.size(), r["phones"].size() * 2 + 1);
    EXPECT_EQ(std::accumulate(sequence.word2ph.begin(), sequence.word2ph.end(), 0),
              static_cast<int>(sequence.phone_ids.size()));
    ++repaired;
  }
  EXPECT_EQ(repaired, 4U);
}

TEST(Sequence, LengthsMustFit) {
  try {
    to_sequence({"_", "a", "_"}, {0, 1}, {1, 1, 1});
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("3 phones but 2 tones"), std::string::npos);
  }
  EXPECT_EQ(to_sequence({}, {}, {}).phone_ids, Ids{0});
}

}  // namespace
}  // namespace hayakoe::text
