// SPDX-License-Identifier: Apache-2.0
#include "engine/pauses.hpp"

#include <algorithm>
#include <cmath>

#include "text/normalize.hpp"
#include "text/symbols.hpp"

namespace hayakoe::engine {
namespace {

// Index of the first of the marks that end a phone list (without its `_`).
size_t first_final_mark(const std::vector<std::string>& phones) {
  size_t at = phones.size();
  while (at > 0 && text::is_punctuation(phones[at - 1])) --at;
  return at;
}

}  // namespace

std::vector<int32_t> bert_rows(const std::vector<int>& word2ph, int32_t first_row) {
  std::vector<int32_t> rows;
  for (size_t i = 0; i < word2ph.size(); ++i) {
    rows.insert(rows.end(), static_cast<size_t>(word2ph[i]), first_row + static_cast<int32_t>(i));
  }
  return rows;
}

Joined join(const Sentence& left, const Sentence& right, int32_t left_row, int32_t right_row, bool add_blank) {
  const text::Analysis& a = left.analysis;
  const text::Analysis& b = right.analysis;
  std::vector<std::string> phones(a.phones.begin(), a.phones.end() - 1);
  std::vector<int> tones(a.tones.begin(), a.tones.end() - 1);
  std::vector<int> word2ph(a.word2ph.begin(), a.word2ph.end() - 1);
  std::vector<int32_t> rows(word2ph.size());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = left_row + static_cast<int32_t>(i);

  size_t mark = first_final_mark(phones);
  if (mark == phones.size()) {
    phones.emplace_back(".");
    tones.push_back(0);
    word2ph.push_back(1);
    rows.push_back(left_row + static_cast<int32_t>(rows.size()));  // [SEP]
  }
  const size_t boundary = phones.size();

  phones.insert(phones.end(), b.phones.begin() + 1, b.phones.end());
  tones.insert(tones.end(), b.tones.begin() + 1, b.tones.end());
  for (size_t i = 1; i < b.word2ph.size(); ++i) {
    word2ph.push_back(b.word2ph[i]);
    rows.push_back(right_row + static_cast<int32_t>(i));
  }

  Joined j;
  j.ids = text::to_sequence(phones, tones, word2ph, add_blank);
  for (size_t i = 0; i < rows.size(); ++i) {
    j.bert_row.insert(j.bert_row.end(), static_cast<size_t>(j.ids.word2ph[i]), rows[i]);
  }
  j.boundary_begin = add_blank ? 2 * mark : mark;
  j.boundary_end = add_blank ? 2 * boundary + 1 : boundary;
  j.ids.word2ph.clear();
  return j;
}

double trailing_silence(std::span<const float> samples, int sample_rate) {
  constexpr float kQuiet = 0.02F;
  const auto window = static_cast<size_t>(sample_rate / 100);
  const auto loudest = [](std::span<const float> part) {
    float top = 0.0F;
    for (const float v : part) top = std::max(top, std::abs(v));
    return top;
  };
  const float peak = loudest(samples);
  if (peak == 0.0F) return static_cast<double>(samples.size()) / sample_rate;
  size_t quiet = 0;
  while (quiet + window <= samples.size() &&
         loudest(samples.subspan(samples.size() - quiet - window, window)) <= kQuiet * peak) {
    quiet += window;
  }
  return static_cast<double>(quiet) / sample_rate;
}

int64_t gap_samples(double seconds, double trailing, int sample_rate) {
  return std::max<int64_t>(0, static_cast<int64_t>(sample_rate * (seconds - trailing)));
}

}  // namespace hayakoe::engine
