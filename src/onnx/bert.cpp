// SPDX-License-Identifier: Apache-2.0
#include "onnx/bert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <hayakoe/error.hpp>

#include "onnx/match.hpp"

namespace hayakoe::onnx {
namespace {

constexpr const char* kKind = "a BERT";

const std::vector<Expected>& expected_inputs() {
  static const std::vector<Expected> inputs{{{"input_ids"}, ElementType::kInt64, {2}},
                                            {{"attention_mask"}, ElementType::kInt64, {2}},
                                            {{"token_type_ids"}, ElementType::kInt64, {2}, false}};
  return inputs;
}

const Expected& expected_output() {
  static const Expected output{{"hidden", "hidden_states", "output"}, ElementType::kFloat32, {2, 3}};
  return output;
}

// Token ids and mask, [sequences, longest], padded with 0, which is [PAD].
struct Padded {
  std::vector<int64_t> ids, mask, zeros;
  std::vector<int64_t> shape;
};

Padded pad(std::span<const std::vector<int>> sequences) {
  size_t longest = 0;
  for (const auto& sequence : sequences) longest = std::max(longest, sequence.size());
  Padded p;
  p.shape = {static_cast<int64_t>(sequences.size()), static_cast<int64_t>(longest)};
  p.zeros.resize(sequences.size() * longest);
  p.ids = p.mask = p.zeros;
  for (size_t i = 0; i < sequences.size(); ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(i * longest);
    std::copy(sequences[i].begin(), sequences[i].end(), p.ids.begin() + begin);
    std::fill_n(p.mask.begin() + begin, sequences[i].size(), 1);
  }
  return p;
}

}  // namespace

Bert::Bert(const std::filesystem::path& file, const SessionOptions& options) : session_(file, options) {
  const auto inputs = match_inputs(session_, expected_inputs(), kKind);
  ids_ = session_.inputs()[*inputs[0]].name;
  mask_ = session_.inputs()[*inputs[1]].name;
  if (inputs[2]) token_types_ = session_.inputs()[*inputs[2]].name;
  const ValueInfo& output = session_.outputs()[match_output(session_, expected_output(), kKind)];
  output_ = output.name;
  one_at_a_time_ = output.shape.size() == 2;
  width_ = std::max<int64_t>(0, output.shape.back());
}

BertRows Bert::encode(std::span<const std::vector<int>> sequences) const {
  BertRows rows{{}, width_};
  if (!one_at_a_time_) {
    encode_batch(sequences, rows);
    return rows;
  }
  for (size_t i = 0; i < sequences.size(); ++i) encode_batch(sequences.subspan(i, 1), rows);
  return rows;
}

// One run, whose rows come behind those that are there.
void Bert::encode_batch(std::span<const std::vector<int>> sequences, BertRows& rows) const {
  const Padded padded = pad(sequences);
  if (padded.ids.empty()) return;
  std::vector<Input> inputs{{ids_, padded.shape, std::span(padded.ids)}, {mask_, padded.shape, std::span(padded.mask)}};
  if (token_types_) inputs.push_back({*token_types_, padded.shape, std::span(padded.zeros)});
  const Output output = session_.run(inputs, {&output_, 1}).front();

  const auto* values = std::get_if<std::vector<float>>(&output.values);
  std::vector<int64_t> shape = output.shape;
  if (one_at_a_time_) shape.insert(shape.begin(), 1);
  if (values == nullptr || shape.size() != 3 || shape[0] != padded.shape[0] || shape[1] != padded.shape[1]) {
    throw Error(fmt::format("{}: output '{}' is not what it says: it should be float32 [{}{}, width]", path().string(),
                            output_, one_at_a_time_ ? "" : fmt::format("{}, ", padded.shape[0]), padded.shape[1]));
  }
  rows.width = shape[2];
  const int64_t stride = shape[1] * rows.width;
  size_t tokens = 0;
  for (const auto& sequence : sequences) tokens += sequence.size();
  rows.values.reserve(rows.values.size() + tokens * static_cast<size_t>(rows.width));
  auto begin = values->begin();
  for (const auto& sequence : sequences) {
    rows.values.insert(rows.values.end(), begin, begin + static_cast<int64_t>(sequence.size()) * rows.width);
    begin += stride;
  }
}

}  // namespace hayakoe::onnx
