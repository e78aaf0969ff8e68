// SPDX-License-Identifier: Apache-2.0
// A BERT in ONNX form, as the feature extractor of voices; f32 and quantized files alike.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onnx/features.hpp"
#include "onnx/session.hpp"

namespace hayakoe::onnx {

/// Features of several sequences behind one another, without padding.
struct BertRows {
  std::vector<float> values;  ///< [tokens of all sequences, width], row-major
  int64_t width = 0;
};

class Bert {
 public:
  /// Opens a file with int64 inputs input_ids, attention_mask and perhaps token_type_ids, each [batch, tokens], and one
  /// f32 output [batch, tokens, width] or, for a graph that takes one sequence at a time, [tokens, width], of any name,
  /// that is the features (the output of the third layer from the end).
  /// @throws Error naming the file
  explicit Bert(const std::filesystem::path& file, const SessionOptions& options = {});

  /// One run for all sequences of token ids, each [CLS] … [SEP], padded to the longest; a run for each where the graph
  /// takes one at a time. A quantized model takes the scale of its activations from the whole batch, so that there a
  /// sequence's rows depend on the others. @throws Error for a token id that the model does not have
  [[nodiscard]] BertRows encode(std::span<const std::vector<int>> sequences) const;
  /// The same, left where the model ran. There must be a token in each sequence.
  [[nodiscard]] Features encode_on_device(std::span<const std::vector<int>> sequences) const;

  [[nodiscard]] const std::filesystem::path& path() const { return session_.path(); }
  /// Features a token; 0 if the file leaves it open.
  [[nodiscard]] int64_t width() const { return width_; }

 private:
  struct Padded;
  [[nodiscard]] std::vector<Input> inputs(const Padded& padded) const;
  [[nodiscard]] int64_t checked_width(const std::vector<int64_t>& shape, const Padded& padded) const;
  void encode_batch(std::span<const std::vector<int>> sequences, BertRows& rows) const;
  [[nodiscard]] Features encode_batch_on_device(std::span<const std::vector<int>> sequences) const;

  Session session_;
  std::string ids_, mask_, output_;
  std::optional<std::string> token_types_;
  int64_t width_ = 0;
  bool one_at_a_time_ = false;
};

}  // namespace hayakoe::onnx
