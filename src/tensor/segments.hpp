// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace hayakoe::tensor {

/// Where each sentence lies in a ragged batch: the rows of all sentences stand behind one another in one
/// `[rows, channels]` tensor, segment i at rows [begin(i), begin(i) + length(i)). No row is padding. Copies share the
/// offsets.
class Segments {
 public:
  Segments() = default;

  /// Segments of the given lengths, in order. Lengths are at least 0.
  static Segments of_lengths(std::span<const int64_t> lengths) {
    auto offsets = std::make_shared<std::vector<int64_t>>();
    offsets->reserve(lengths.size() + 1);
    offsets->push_back(0);
    for (const int64_t n : lengths) offsets->push_back(offsets->back() + n);
    Segments s;
    s.offsets_ = std::move(offsets);
    return s;
  }

  /// One segment of `rows` rows.
  static Segments single(int64_t rows) { return of_lengths(std::span(&rows, 1)); }

  [[nodiscard]] int64_t count() const { return offsets_ ? static_cast<int64_t>(offsets_->size()) - 1 : 0; }
  [[nodiscard]] int64_t rows() const { return offsets_ ? offsets_->back() * factor_ : 0; }
  [[nodiscard]] int64_t begin(int64_t i) const { return (*offsets_)[static_cast<size_t>(i)] * factor_; }
  [[nodiscard]] int64_t length(int64_t i) const { return begin(i + 1) - begin(i); }

  [[nodiscard]] int64_t max_length() const {
    int64_t longest = 0;
    for (int64_t i = 0; i < count(); ++i) longest = std::max(longest, length(i));
    return longest;
  }

  /// The same segments after every row has become `factor` rows (upsampling).
  [[nodiscard]] Segments scaled(int64_t factor) const {
    Segments s = *this;
    s.factor_ *= factor;
    return s;
  }

  /// Offsets before scaled(), count() + 1 of them (none if default-made), and by what they have been scaled: a device
  /// keeps one table for a batch at all its rates.
  [[nodiscard]] const std::shared_ptr<const std::vector<int64_t>>& base() const { return offsets_; }
  [[nodiscard]] int64_t factor() const { return factor_; }

 private:
  std::shared_ptr<const std::vector<int64_t>> offsets_;
  int64_t factor_ = 1;
};

}  // namespace hayakoe::tensor
