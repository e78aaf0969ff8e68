// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace hayakoe::tensor {

/// Where each sentence lies in a ragged batch: the rows of all sentences stand behind one another in one
/// `[rows, channels]` tensor, segment i at rows [begin(i), begin(i) + length(i)). No row is padding.
class Segments {
 public:
  Segments() = default;

  /// Segments of the given lengths, in order. Lengths are at least 0.
  static Segments of_lengths(std::span<const int64_t> lengths) {
    Segments s;
    s.offsets_.reserve(lengths.size() + 1);
    for (const int64_t n : lengths) s.offsets_.push_back(s.offsets_.back() + n);
    return s;
  }

  /// One segment of `rows` rows.
  static Segments single(int64_t rows) { return of_lengths(std::span(&rows, 1)); }

  [[nodiscard]] int64_t count() const { return static_cast<int64_t>(offsets_.size()) - 1; }
  [[nodiscard]] int64_t rows() const { return offsets_.back(); }
  [[nodiscard]] int64_t begin(int64_t i) const { return offsets_[static_cast<size_t>(i)]; }
  [[nodiscard]] int64_t length(int64_t i) const { return begin(i + 1) - begin(i); }

  [[nodiscard]] int64_t max_length() const {
    int64_t longest = 0;
    for (int64_t i = 0; i < count(); ++i) longest = std::max(longest, length(i));
    return longest;
  }

  /// The same segments after every row has become `factor` rows (upsampling).
  [[nodiscard]] Segments scaled(int64_t factor) const {
    Segments s = *this;
    for (int64_t& o : s.offsets_) o *= factor;
    return s;
  }

 private:
  std::vector<int64_t> offsets_{0};  // count() + 1 entries
};

}  // namespace hayakoe::tensor
