// SPDX-License-Identifier: Apache-2.0
// What the word and phone tests share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <numeric>
#include <string>

#include "text/frontend.hpp"
#include "text/types.hpp"
#include "text/unicode.hpp"

namespace hayakoe::text::testing {

/// A frontend with the English words of the fixtures.
inline FrontendOptions fixture_options() {
  FrontendOptions options;
  options.english = std::filesystem::path(HAYAKOE_TEST_DATA) / "g2p/english-fixture.tsv";
  return options;
}

/// What must hold for every text.
inline void expect_invariants(const Analysis& a) {
  const auto about = a.text.substr(0, 60);
  EXPECT_EQ(a.phones.size(), a.tones.size()) << about;
  EXPECT_EQ(a.word2ph.size(), to_u32(a.bert_text).size() + 2) << about;
  EXPECT_EQ(static_cast<std::size_t>(std::accumulate(a.word2ph.begin(), a.word2ph.end(), 0)), a.phones.size()) << about;
  EXPECT_EQ(a.sep_text.size(), a.sep_kata.size()) << about;
  ASSERT_GE(a.phones.size(), 2U) << about;
  EXPECT_EQ(a.phones.front(), "_");
  EXPECT_EQ(a.phones.back(), "_");
  for (const int tone : a.tones) EXPECT_TRUE(tone == 0 || tone == 1) << about;
  for (const int count : a.word2ph) EXPECT_GE(count, 0) << about;
}

/// `word` over and over, `characters` characters long.
inline std::string repeated(std::string_view word, std::size_t characters) {
  std::string text;
  const std::size_t length = to_u32(word).size();
  for (std::size_t i = 0; i < characters; i += length) text += word;
  return text;
}

/// Processor time of this thread in seconds, so that a busy machine does not count.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Runs `work` on `unit` over and over, and on four times as much: that may take six times as long (quadratic:
/// sixteen).
template <typename Work>
void expect_linear_time(std::string_view unit, std::size_t characters, Work&& work) {
  const auto seconds = [&](std::size_t length) {
    const std::string text = repeated(unit, length);
    double best = 1e9;
    for (int i = 0; i < 2; ++i) {
      const double start = cpu_seconds();
      work(text);
      best = std::min(best, cpu_seconds() - start);
    }
    return best;
  };
  const double quarter = seconds(characters / 4);
  EXPECT_LT(seconds(characters), 6 * quarter + 0.05) << unit;
}

/// The words' pronunciations, separated by blanks, without devoicing marks.
inline std::string prons(const Analysis& a) {
  std::string out;
  for (const std::string& kana : a.sep_kata) out += (out.empty() ? "" : " ") + kana;
  return out;
}

}  // namespace hayakoe::text::testing
