// SPDX-License-Identifier: Apache-2.0
// How fast text is read: characters a second, one thread, from text to phones.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "text/frontend.hpp"
#include "text/split.hpp"
#include "text/unicode.hpp"

namespace hayakoe {
namespace {

const text::Frontend& frontend() {
  static const text::Frontend instance;
  return instance;
}

void read(benchmark::State& state, const std::string& text, text::Rules rules) {
  const text::Frontend& reader = frontend();
  for (auto _ : state) {
    for (const std::string& sentence : text::split_sentences(text, rules))
      benchmark::DoNotOptimize(reader.analyze(sentence, rules));
  }
  const auto characters = static_cast<double>(text::to_u32(text).size());
  state.counters["characters"] =
      benchmark::Counter(characters, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

// A page of a novel, and messages full of what has to be rewritten.
const char* const kProse =
    "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所でニャーニャー泣いて"
    "いた事だけは記憶している。吾輩はここで始めて人間というものを見た。しかもあとで聞くとそれは書生という人間中で一番"
    "獰悪な種族であったそうだ。";
const char* const kMessages =
    "2024/01/02(火) 14:05〜の会議、参加者は3〜5人です！？ 価格は¥1,980（税込）、100%オフ。詳細はhttps://example.com/a "
    "を"
    "見てね(笑)。iPhoneとGitHub、C++で書いたv1.2.3を090-1234-5678までお願いします。気温は-5℃、1/2の確率で雪です。";

BENCHMARK_CAPTURE(read, prose_natural, kProse, text::Rules::kNatural)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(read, prose_sbv2, kProse, text::Rules::kSbv2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(read, messages_natural, kMessages, text::Rules::kNatural)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(read, messages_sbv2, kMessages, text::Rules::kSbv2)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace hayakoe
