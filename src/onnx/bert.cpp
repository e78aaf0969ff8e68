// SPDX-License-Identifier: Apache-2.0
#include "onnx/bert.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

}  // namespace

// Token ids and mask, [sequences, longest], padded with 0, which is [PAD].
struct Bert::Padded {
  std::vector<int64_t> ids, mask, zeros;
  std::vector<int64_t> shape;

  explicit Padded(std::span<const std::vector<int>> sequences) {
    size_t longest = 0;
    for (const auto& sequence : sequences) longest = std::max(longest, sequence.size());
    shape = {static_cast<int64_t>(sequences.size()), static_cast<int64_t>(longest)};
    zeros.resize(sequences.size() * longest);
    ids = mask = zeros;
    for (size_t i = 0; i < sequences.size(); ++i) {
      const auto begin = static_cast<std::ptrdiff_t>(i * longest);
      std::copy(sequences[i].begin(), sequences[i].end(), ids.begin() + begin);
      std::fill_n(mask.begin() + begin, sequences[i].size(), 1);
    }
  }
};

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

Features Bert::encode_on_device(std::span<const std::vector<int>> sequences) const {
  if (!one_at_a_time_) return encode_batch_on_device(sequences);
  Features features = encode_batch_on_device(sequences.first(1));
  for (size_t i = 1; i < sequences.size(); ++i)
    features = join(features, encode_batch_on_device(sequences.subspan(i, 1)));
  return features;
}

std::vector<Input> Bert::inputs(const Padded& padded) const {
  const auto input = [&](const std::string& name, const std::vector<int64_t>& values) {
    return Input{name, padded.shape, std::span<const int64_t>(values)};
  };
  std::vector<Input> inputs{input(ids_, padded.ids), input(mask_, padded.mask)};
  if (token_types_) inputs.push_back(input(*token_types_, padded.zeros));
  return inputs;
}

// The width of an output of this shape. @throws Error if it is not the output for `padded`
int64_t Bert::checked_width(const std::vector<int64_t>& shape, const Padded& padded) const {
  std::vector<int64_t> wanted = padded.shape;
  if (one_at_a_time_) wanted.erase(wanted.begin());
  if (shape.size() == wanted.size() + 1 && std::equal(wanted.begin(), wanted.end(), shape.begin())) return shape.back();
  throw Error(fmt::format("{}: output '{}' is not what it says: it should be float32 [{}, width]", path().string(),
                          output_, fmt::join(wanted, ", ")));
}

// One run, whose rows come behind those that are there.
void Bert::encode_batch(std::span<const std::vector<int>> sequences, BertRows& rows) const {
  const Padded padded(sequences);
  if (padded.ids.empty()) return;
  const Output output = session_.run(inputs(padded), {&output_, 1}).front();
  rows.width = checked_width(output.shape, padded);
  const auto& values = std::get<std::vector<float>>(output.values);  // as the constructor has seen
  size_t tokens = 0;
  for (const auto& sequence : sequences) tokens += sequence.size();
  rows.values.reserve(rows.values.size() + tokens * static_cast<size_t>(rows.width));
  auto begin = values.begin();
  for (const auto& sequence : sequences) {
    rows.values.insert(rows.values.end(), begin, begin + static_cast<int64_t>(sequence.size()) * rows.width);
    begin += padded.shape[1] * rows.width;
  }
}

Features Bert::encode_batch_on_device(std::span<const std::vector<int>> sequences) const {
  const Padded padded(sequences);
  Features features{session_.run_on_device(inputs(padded), output_), {}};
  (void)checked_width(features.values.shape(), padded);
  for (size_t i = 0; i < sequences.size(); ++i) {
    for (size_t token = 0; token < sequences[i].size(); ++token)
      features.row.push_back(static_cast<int64_t>(i) * padded.shape[1] + static_cast<int64_t>(token));
  }
  return features;
}

}  // namespace hayakoe::onnx
