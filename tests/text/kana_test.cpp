// SPDX-License-Identifier: Apache-2.0
#include "text/kana.hpp"

#include <gtest/gtest.h>

#include <hayakoe/error.hpp>
#include <set>

#include "text/fixtures.hpp"
#include "text/normalize.hpp"
#include "text/symbols.hpp"

namespace hayakoe::text {
namespace {

using testing::g2p_records;
using testing::hostile_texts;
using testing::read_jsonl;
using Phones = std::vector<std::string>;
using Tones = std::vector<int>;
using KanaTones = std::vector<std::pair<std::string, int>>;

TEST(Kana, TableIsComplete) {
  ASSERT_EQ(mora_table().size(), 162U);
  std::set<std::string_view> kana;
  for (const Mora& m : mora_table()) {
    EXPECT_TRUE(kana.insert(m.kana).second) << m.kana;
    EXPECT_FALSE(m.vowel.empty());
  }
}

TEST(Kana, PhonesOfWords) {
  EXPECT_EQ(kana_to_phones("コンニチワ"), (Phones{"k", "o", "N", "n", "i", "ch", "i", "w", "a"}));
  EXPECT_EQ(kana_to_phones("キャット"), (Phones{"ky", "a", "q", "t", "o"}));
  EXPECT_EQ(kana_to_phones("カー"), (Phones{"k", "a", "a"}));
  EXPECT_EQ(kana_to_phones("ンー"), (Phones{"N", "N"}));
  EXPECT_EQ(kana_to_phones("ッーー"), (Phones{"q", "q", "q"}));
  EXPECT_EQ(kana_to_phones("ーカ"), (Phones{"ー", "k", "a"}));
  EXPECT_EQ(kana_to_phones("ーー"), (Phones{"ー", "ー"}));
  EXPECT_EQ(kana_to_phones("...!"), (Phones{".", ".", ".", "!"}));
  EXPECT_EQ(kana_to_phones("カヸ"), (Phones{"k", "a", "ヸ"}));
  EXPECT_EQ(kana_to_phones("キョウワ."), (Phones{"ky", "o", "u", "w", "a", "."}));
  EXPECT_EQ(kana_to_phones(""), Phones{});
}

// Every word of the corpora, joined as the sentence joins them: a leading ー repeats the vowel or ン before it.
TEST(Kana, PhonesOfAllFixtureWords) {
  std::size_t compared = 0;
  for (const auto& r : g2p_records()) {
    if (!r.contains("phones")) continue;
    Phones ours{"_"};
    for (const auto& word : r["sep_kata"]) {
      const std::string before = ours.back();
      const bool repeats = std::string_view("aiueoN").find(before) != std::string_view::npos;
      for (const auto& phone : kana_to_phones(word.get<std::string>())) {
        ours.push_back(phone != "ー" ? phone : repeats ? before : "-");
      }
    }
    ours.emplace_back("_");
    EXPECT_EQ(ours, r["phones"].get<Phones>()) << r["text"];
    ++compared;
  }
  EXPECT_GT(compared, 2180U);
}

TEST(Kana, ViewMatchesTheFixture) {
  const auto records = read_jsonl("g2p/kata-tone.jsonl");
  ASSERT_EQ(records.size(), 150U);
  for (const auto& r : records) {
    const auto kana = phones_to_kana(r["phones"].get<Phones>(), r["tones"].get<Tones>());
    EXPECT_EQ(kana, r["kata_tone"].get<KanaTones>());
    EXPECT_EQ(kana_to_phone_tones(kana), r["back"].get<KanaTones>());
  }
}

TEST(Kana, WayBackOfWhatUsersType) {
  EXPECT_EQ(kana_to_phone_tones({{"コー", 1}, {"ン", 0}, {"ー", 0}}),
            (KanaTones{{"_", 0}, {"k", 1}, {"o", 1}, {"o", 1}, {"N", 0}, {"N", 0}, {"_", 0}}));
  EXPECT_EQ(kana_to_phone_tones({{"カ", 1}, {"ー", 0}}), (KanaTones{{"_", 0}, {"k", 1}, {"a", 1}, {"a", 0}, {"_", 0}}));
  EXPECT_EQ(kana_to_phone_tones({{"ー", 1}}), (KanaTones{{"_", 0}, {"-", 1}, {"_", 0}}));
  EXPECT_EQ(kana_to_phone_tones({}), (KanaTones{{"_", 0}, {"_", 0}}));
  EXPECT_THROW(kana_to_phone_tones({{"か", 0}}), Error);
  EXPECT_THROW(kana_to_phone_tones({{"カx", 0}}), Error);
  EXPECT_THROW(phones_to_kana({"_", "a"}, {0}), Error);
}

TEST(Kana, MorasCoverThePhones) {
  const auto spans = moras_of({"_", "ky", "o", "o", "w", "a", "q", "N", ".", "k", "_", "", "foo", "a"});
  const std::vector<std::string> kana{"_", "キョ", "オ", "ワ", "ッ", "ン", ".", "k", "_", "", "foo", "ア"};
  ASSERT_EQ(spans.size(), kana.size());
  for (std::size_t i = 0; i < kana.size(); ++i) EXPECT_EQ(spans[i].kana, kana[i]);
  EXPECT_EQ(spans[1].first, 1);
  EXPECT_EQ(spans[1].count, 2);
  EXPECT_TRUE(moras_of({}).empty());
  for (const auto& r : g2p_records()) {
    if (!r.contains("phones")) continue;
    int next = 0;
    for (const auto& span : moras_of(r["phones"].get<Phones>())) {
      EXPECT_EQ(span.first, next);
      EXPECT_FALSE(span.kana.empty());
      next += span.count;
    }
    EXPECT_EQ(next, static_cast<int>(r["phones"].size()));
  }
}

TEST(Kana, TakesAnything) {
  for (const auto& text : hostile_texts()) {
    const auto phones = kana_to_phones(text);
    int covered = 0;
    for (const auto& span : moras_of(phones)) covered += span.count;
    EXPECT_EQ(covered, static_cast<int>(phones.size()));
  }
}

}  // namespace
}  // namespace hayakoe::text
