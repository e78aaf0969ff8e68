// SPDX-License-Identifier: Apache-2.0
// The silence between two sentences, which the duration predictor tells when it sees both as one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/sentence.hpp"

namespace hayakoe::engine {

/// Two neighbouring sentences as one sequence, as if the text had never been cut there.
struct Joined {
  text::Sequence ids;             ///< word2ph is not filled: bert_row says more
  std::vector<int32_t> bert_row;  ///< one a position
  size_t boundary_begin = 0;      ///< positions [begin, end) are the marks at the boundary and the blanks around them
  size_t boundary_end = 0;
};

/// Joins two sentences whose BERT rows begin at `left_row` and `right_row` of one tensor. A left sentence without a
/// mark at its end (a line end) gets a full stop, as normalisation makes one of a line end, with the row of its [SEP].
Joined join(const Sentence& left, const Sentence& right, int32_t left_row, int32_t right_row, bool add_blank);

/// One BERT row a position: row i of a sentence repeated word2ph[i] times, shifted by `first_row`.
std::vector<int32_t> bert_rows(const std::vector<int>& word2ph, int32_t first_row);

/// Seconds of silence at the end of a sentence: whole windows of 10 ms, counted from the end, whose peak is at most 2 %
/// of the sentence's. All-zero audio is silent over its full length.
double trailing_silence(std::span<const float> samples, int sample_rate);

/// Samples of silence to put in for a pause of `seconds` after a sentence that already ends in `trailing` seconds of
/// it.
int64_t gap_samples(double seconds, double trailing, int sample_rate);

}  // namespace hayakoe::engine
