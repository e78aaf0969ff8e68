// SPDX-License-Identifier: Apache-2.0
#include "text/g2p.hpp"

#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "g2p_checks.hpp"
#include "text/align.hpp"
#include "text/njd/phrases.hpp"
#include "text/word2ph.hpp"

namespace hayakoe::text {
namespace {

using testing::expect_invariants;
using testing::g2p_records;
using testing::repeated;

const Frontend& frontend() {
  static const Frontend instance(testing::fixture_options());
  return instance;
}

Analysis sbv2(std::string_view text) { return frontend().analyze(text, Rules::kSbv2); }

std::string phones_of(const Analysis& a) {
  std::string out;
  for (const auto& phone : a.phones) out += (out.empty() ? "" : " ") + phone;
  return out;
}

template <typename T>
void expect_field(const nlohmann::json& record, const char* key, const T& ours) {
  EXPECT_EQ(nlohmann::json(ours), record.at(key)) << key << " of " << record.at("text").dump().substr(0, 200);
}

TEST(G2p, AllFixturesMatch) {
  int compared = 0;
  for (const auto& record : g2p_records()) {
    if (record.contains("error")) continue;
    const auto a = sbv2(record.at("text").get<std::string>());
    expect_field(record, "norm_text", a.norm_text);
    expect_field(record, "sep_text", a.sep_text);
    expect_field(record, "sep_kata", a.sep_kata);
    expect_field(record, "bert_text", a.bert_text);
    expect_field(record, "phones", a.phones);
    expect_field(record, "tones", a.tones);
    expect_field(record, "word2ph", a.word2ph);
    EXPECT_EQ(a.unreadable, record.value("unreadable", false)) << a.text;
    if (a.unreadable) {
      EXPECT_FALSE(a.warnings.empty()) << a.text;
    }
    EXPECT_EQ(a.njd.size(), record.at("njd").size());
    expect_invariants(a);
    ++compared;
  }
  EXPECT_EQ(compared, 2189);
}

// The original fails for these; the fields up to the failure match all the same.
TEST(G2p, WhatTheOriginalCannotDoIsSpoken) {
  int seen = 0;
  for (const auto& record : g2p_records()) {
    if (!record.contains("error")) continue;
    ++seen;
    const auto a = sbv2(record.at("text").get<std::string>());
    expect_invariants(a);
    if (!record.contains("phones")) continue;
    EXPECT_EQ(record.at("error_stage"), "to_sequence");
    auto phones = record.at("phones").get<std::vector<std::string>>();
    for (auto& phone : phones) phone = phone == "kw" ? "k" : phone;
    EXPECT_EQ(a.phones, phones);
    expect_field(record, "sep_text", a.sep_text);
    expect_field(record, "sep_kata", a.sep_kata);
    expect_field(record, "tones", a.tones);
    expect_field(record, "word2ph", a.word2ph);
  }
  EXPECT_EQ(seen, 21);
}

TEST(G2p, LongVowelBehindSmallTsuIsADash) {
  const auto a = sbv2("えっー、なに？");
  EXPECT_EQ(phones_of(a), "_ e q - , n a n i ? _");
  EXPECT_EQ(a.tones, (std::vector<int>{0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0}));
  // なに keeps the accent that it has without the dash.
  EXPECT_EQ(phones_of(sbv2("えっ、なに？")), "_ e q , n a n i ? _");
  EXPECT_EQ(sbv2("えっ、なに？").tones, (std::vector<int>{0, 1, 0, 0, 1, 1, 0, 0, 0, 0}));
}

TEST(G2p, LabialisedKAndG) {
  EXPECT_EQ(phones_of(sbv2("クヮルテット")), "_ k a r u t e q t o _");
  njd::Morphemes words(1);
  words.front().string = "グヮ";
  words.front().pron = "グヮ";
  words.front().mora_size = 1;
  Analysis a;
  words_to_phones(words, Rules::kSbv2, a);
  EXPECT_EQ(phones_of(a), "_ g a _");
  EXPECT_TRUE(a.warnings.empty());
}

TEST(G2p, WordsWithoutCharactersGiveTheirPhonesAway) {
  const auto a = sbv2(repeated("一", 25));
  expect_invariants(a);
  EXPECT_NE(phones_of(a).find("i ch i j o s e N"), std::string::npos) << phones_of(a);
  EXPECT_EQ(a.word2ph[1], 5);  // 一 with ichi and jo
}

TEST(G2p, UnreadableCharacters) {
  const auto a = sbv2("々です");
  EXPECT_EQ(phones_of(a), "_ ' d e s u _");
  EXPECT_TRUE(a.unreadable);
  ASSERT_EQ(a.warnings.size(), 1U);
  EXPECT_NE(a.warnings[0].find("々"), std::string::npos);

  const auto b = frontend().analyze("々です", Rules::kNatural);
  EXPECT_EQ(phones_of(b), "_ d e s u _");
  EXPECT_EQ(b.bert_text, "々です");
  EXPECT_EQ(b.word2ph, (std::vector<int>{1, 0, 2, 2, 1}));
  EXPECT_TRUE(b.unreadable);
  ASSERT_EQ(b.warnings.size(), 1U);
  EXPECT_NE(b.warnings[0].find("skipped"), std::string::npos);
}

TEST(G2p, NothingToSayIsSilence) {
  for (const auto* text : {"", " ", "　\t", "👍", "\xFF"}) {
    for (const Rules rules : {Rules::kSbv2, Rules::kNatural}) {
      const auto a = frontend().analyze(text, rules);
      EXPECT_EQ(phones_of(a), "_ _") << text;
      EXPECT_EQ(a.word2ph, (std::vector<int>{1, 1}));
    }
  }
}

TEST(G2p, NaturalRulesKeepTheInvariants) {
  for (const auto& record : g2p_records()) {
    expect_invariants(frontend().analyze(record.at("text").get<std::string>(), Rules::kNatural));
  }
}

TEST(G2p, HostileTexts) {
  for (const auto& text : testing::hostile_texts()) {
    if (text.size() > 400000) continue;  // their time is measured below
    for (const Rules rules : {Rules::kSbv2, Rules::kNatural}) expect_invariants(frontend().analyze(text, rules));
  }
  for (const std::size_t size : {400U, 100000U}) {
    const auto a = sbv2(repeated("ア", size));
    expect_invariants(a);
    EXPECT_EQ(a.phones.size(), size + 2);
  }
}

TEST(G2p, RandomCharacters) {
  std::mt19937 random(5489);
  const auto pick = [&]() -> char32_t {
    switch (random() % 8) {
      case 0:
        return static_cast<char32_t>(random() % 0x110000);
      case 1:
        return static_cast<char32_t>(0x20 + random() % 0x60);
      case 2:
        return static_cast<char32_t>(0x3041 + random() % 0x56);
      case 3:
        return static_cast<char32_t>(0x30A0 + random() % 0x60);
      case 4:
        return U"一二三四五六七八九十百千万億．・，人日月本年"[random() % 22];
      case 5:
        return U"ーっッん、。？！…々"[random() % 10];
      default:
        return static_cast<char32_t>(0x4E00 + random() % 0x5200);
    }
  };
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (unsigned k = random() % 60; k > 0; --k) append_utf8(text, pick());
    for (const Rules rules : {Rules::kSbv2, Rules::kNatural}) expect_invariants(frontend().analyze(text, rules));
  }
}

TEST(G2p, TimeIsLinear) {
  for (const auto* unit : {"本日は晴天なり。", "ア", "ａ", "々", "ー", "っー", "・", "1,2,", "一，二",
                           "一一一一，二二二，", "１．２", "三本", "二十四日", "なんだろう", "東京", "今日は？"}) {
    testing::expect_linear_time(unit, 32000, [](const std::string& text) { expect_invariants(sbv2(text)); });
  }
}

TEST(Align, TakesTonesAndSkipsMarks) {
  const std::vector<njd::TonedPhone> toned = {
      {"a", 1, false}, {"q", 1, false}, {"q", 0, true}, {"t", 0, false}, {"o", 1, false}};
  bool mismatched = false;
  EXPECT_EQ(align_tones({"a", "q", "-", ",", "t", "o", "!", "u"}, toned, &mismatched),
            (std::vector<int>{1, 1, 0, 0, 0, 1, 0, 0}));
  EXPECT_FALSE(mismatched);
  EXPECT_EQ(align_tones({"a", "k", "o"}, toned, &mismatched), (std::vector<int>{1, 0, 1}));
  EXPECT_TRUE(mismatched);
}

TEST(Word2ph, FirstCharactersGetMore) {
  EXPECT_EQ(share_phones({{5, 2}, {1, 3}, {0, 1}}), (std::vector<int>{1, 3, 2, 1, 0, 0, 0, 1}));
  EXPECT_EQ(share_phones({{2, 0}, {1, 1}, {3, 0}}), (std::vector<int>{1, 6, 1}));
  EXPECT_EQ(share_phones({{2, 0}}), (std::vector<int>{3, 1}));
  EXPECT_EQ(share_phones({}), (std::vector<int>{1, 1}));
}

// The table of tones of one accent phrase.
TEST(Tones, FollowTheNucleus) {
  const auto tones = [](int moras, int accent, int pause_before = 0) {
    njd::AccentPhrase phrase{accent, std::vector<njd::PhraseMora>(static_cast<std::size_t>(moras))};
    for (auto& mora : phrase.moras) mora.vowel = "a";
    if (pause_before > 0) phrase.moras[static_cast<std::size_t>(pause_before)].after_pause = true;
    std::vector<int> out;
    for (const auto& phone : njd::make_tones({phrase})) out.push_back(phone.tone);
    return out;
  };
  EXPECT_EQ(tones(4, 1), (std::vector<int>{1, 0, 0, 0}));
  EXPECT_EQ(tones(4, 2), (std::vector<int>{0, 1, 0, 0}));
  EXPECT_EQ(tones(4, 0), (std::vector<int>{0, 1, 1, 1}));
  EXPECT_EQ(tones(4, 4), (std::vector<int>{0, 1, 1, 1}));
  EXPECT_EQ(tones(4, 9), (std::vector<int>{0, 1, 1, 1}));
  EXPECT_EQ(tones(1, 1), (std::vector<int>{0}));
  EXPECT_EQ(tones(1, 0), (std::vector<int>{0}));
  EXPECT_EQ(tones(5, 4, 3), (std::vector<int>{0, 1, 1, 1, 0}));  // falls behind the pause: 0, -1, raised
  EXPECT_EQ(tones(5, 3, 3), (std::vector<int>{0, 1, 1, 0, 0}));  // the pause swallows the fall
  EXPECT_EQ(tones(60, 49), tones(60, 0));
  EXPECT_NE(tones(60, 48), tones(60, 0));
}

}  // namespace
}  // namespace hayakoe::text
