// SPDX-License-Identifier: Apache-2.0
#include "text/given_phones.hpp"

#include <gtest/gtest.h>

#include <hayakoe/error.hpp>
#include <map>
#include <numeric>

#include "text/fixtures.hpp"

namespace hayakoe::text {
namespace {

using nlohmann::json;
using testing::read_jsonl;
using Phones = std::vector<std::string>;
using Ints = std::vector<int>;

// The analysis that the front end makes, from the records in which no phones are given.
std::map<std::string, Analysis> generated(const std::vector<json>& records) {
  std::map<std::string, Analysis> by_text;
  for (const auto& r : records) {
    if (!r["given_phone"].is_null() || !r.contains("phones")) continue;
    Analysis& a = by_text[r["text"].get<std::string>()];
    a.phones = r["phones"].get<Phones>();
    a.tones.assign(a.phones.size(), 0);
    a.word2ph = r["word2ph"].get<Ints>();
  }
  return by_text;
}

void expect_consistent(const Analysis& a) {
  EXPECT_EQ(a.phones.size(), a.tones.size());
  EXPECT_EQ(std::accumulate(a.word2ph.begin(), a.word2ph.end(), 0), static_cast<int>(a.phones.size()));
  for (const int count : a.word2ph) EXPECT_GE(count, 0);
}

TEST(GivenPhones, MatchTheFixture) {
  const auto records = read_jsonl("g2p/given-phones.jsonl");
  ASSERT_EQ(records.size(), 288U);
  const auto analyses = generated(records);
  std::map<std::string, int> seen;
  for (const auto& r : records) {
    Analysis a = analyses.at(r["text"].get<std::string>());
    const auto before = a;
    const auto phones = r["given_phone"].is_null() ? Phones{} : r["given_phone"].get<Phones>();
    const auto tones = r["given_tone"].is_null() ? Ints{} : r["given_tone"].get<Ints>();
    const auto apply = [&] {
      apply_given(a, r["given_phone"].is_null() ? nullptr : &phones, r["given_tone"].is_null() ? nullptr : &tones);
    };
    const auto error = r.value("error", "none");
    ++seen[error];
    if (error == "InvalidPhoneError" || error == "InvalidToneError") {
      EXPECT_THROW(apply(), Error) << r;
      EXPECT_EQ(a.phones, before.phones);
      EXPECT_EQ(a.word2ph, before.word2ph);
      continue;
    }
    ASSERT_NO_THROW(apply()) << r;
    expect_consistent(a);
    if (error == "AssertionError") {  // the original's defect at the end of the text
      EXPECT_EQ(a.phones, phones);
      EXPECT_EQ(a.word2ph.size(), before.word2ph.size());
      continue;
    }
    EXPECT_EQ(a.phones, r["phones"].get<Phones>()) << r;
    EXPECT_EQ(a.word2ph, r["word2ph"].get<Ints>()) << r;
    if (!r["given_tone"].is_null()) {
      EXPECT_EQ(a.tones, r["tones"].get<Ints>()) << r;
    }
  }
  EXPECT_EQ(seen, (std::map<std::string, int>{
                      {"none", 179}, {"AssertionError", 74}, {"InvalidPhoneError", 23}, {"InvalidToneError", 12}}));
}

Analysis hai() {
  Analysis a;
  a.phones = {"_", "h", "a", "i", "_"};
  a.tones = {0, 1, 1, 0, 0};
  a.word2ph = {1, 2, 1, 1};
  return a;
}

std::string error_of(Analysis a, const Phones* phones, const Ints* tones) {
  try {
    apply_given(a, phones, tones);
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

TEST(GivenPhones, ErrorsNameBothLengths) {
  const Phones phones{"_", "h", "a", "_"};
  const Ints tones{0, 1, 1, 0, 0};
  const auto lengths = error_of(hai(), &phones, &tones);
  EXPECT_NE(lengths.find("4 given phones"), std::string::npos);
  EXPECT_NE(lengths.find("5 given tones"), std::string::npos);
  const Ints four{0, 1, 1, 0};
  const auto tone_only = error_of(hai(), nullptr, &four);
  EXPECT_NE(tone_only.find("4 given tones for 5 phones"), std::string::npos);
  const Phones unknown{"_", "h", "xyz", "i", "_"};
  EXPECT_NE(error_of(hai(), &unknown, &tones).find("\"xyz\""), std::string::npos);
  const Ints seven{0, 7, 1, 0, 0};
  EXPECT_NE(error_of(hai(), nullptr, &seven).find("Given tone 1 is 7"), std::string::npos);
  const Phones none;
  const Ints no_tones;
  EXPECT_FALSE(error_of(hai(), &none, &no_tones).empty());
}

TEST(GivenPhones, TheEndOfTheTextMayGrowAndShrink) {
  Analysis a = hai();
  const Phones longer{"_", "h", "a", "i", "i", "i", "_"};
  const Ints seven(7, 0);
  apply_given(a, &longer, &seven);
  EXPECT_EQ(a.word2ph, (Ints{1, 2, 3, 1}));
  a = hai();
  const Phones shorter{"_", "h", "a", "_"};
  const Ints four(4, 0);
  apply_given(a, &shorter, &four);
  EXPECT_EQ(a.word2ph, (Ints{1, 1, 1, 1}));
}

TEST(GivenPhones, PhonesWithoutTonesAreIgnored) {
  Analysis a = hai();
  const Phones phones{"_", "a", "_"};
  apply_given(a, &phones, nullptr);
  apply_given(a, nullptr, nullptr);
  EXPECT_EQ(a.phones, hai().phones);
  EXPECT_EQ(a.tones, hai().tones);
}

TEST(GivenPhones, RandomListsFitOrThrow) {
  std::mt19937 random(3);
  const Phones choice{"a", "i", "k", "N", "q", "!", "sh", "_"};
  int applied = 0;
  for (int round = 0; round < 3000; ++round) {
    Analysis a;
    a.phones = {"_"};
    a.word2ph = {1};
    for (unsigned c = random() % 8; c > 0; --c) {
      a.word2ph.push_back(static_cast<int>(random() % 5));
      for (int k = 0; k < a.word2ph.back(); ++k) a.phones.push_back(choice[random() % choice.size()]);
    }
    a.phones.emplace_back("_");
    a.word2ph.push_back(1);
    Phones given(random() % 30);
    for (auto& phone : given) phone = choice[random() % choice.size()];
    const Ints tones(given.size(), 1);
    try {
      apply_given(a, &given, &tones);
      expect_consistent(a);
      ++applied;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(applied, 500);
}

TEST(GivenPhones, LongListsTakeBoundedTime) {
  Analysis a;
  a.phones.assign(100002, "a");
  a.word2ph.assign(50002, 2);
  a.word2ph.front() = a.word2ph.back() = 1;
  a.tones.assign(a.phones.size(), 0);
  Phones given(90002, "i");
  const Ints tones(given.size(), 0);
  apply_given(a, &given, &tones);
  expect_consistent(a);
}

}  // namespace
}  // namespace hayakoe::text
