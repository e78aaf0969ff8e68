// SPDX-License-Identifier: Apache-2.0
#include "onnx/voice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <hayakoe/error.hpp>

#include "onnx/match.hpp"

namespace hayakoe::onnx {
namespace fs = std::filesystem;
namespace {

// The order of expected_inputs().
enum Slot : size_t {
  kPhones,
  kTones,
  kLanguages,
  kBert,
  kStyle,
  kLengthScale,
  kSdpRatio,
  kNoiseScaleW,
  kNoiseScale,
  kLengths,
  kSpeaker,
};

// The names of both published forms: HayaKoe's first, then Style-Bert-VITS2's. Scalars are 0-d in one and [1] in the
// other. An exporter drops inputs that its graph does not use: the number of phones, and the noise of the sound in a
// duration predictor.
std::vector<Expected> expected_inputs(VoiceGraph::Kind kind) {
  using enum ElementType;
  const bool speaks = kind == VoiceGraph::Kind::kSynthesizer;
  return {{{"x", "x_tst"}, kInt64, {2}},
          {{"tone", "tones"}, kInt64, {2}},
          {{"language", "languages"}, kInt64, {2}},
          {{"bert"}, kFloat32, {3}},
          {{"style_vec"}, kFloat32, {2}},
          {{"length_scale"}, kFloat32, {0, 1}},
          {{"sdp_ratio"}, kFloat32, {0, 1}},
          {{"noise_scale_w"}, kFloat32, {0, 1}},
          {{"noise_scale"}, kFloat32, {0, 1}, speaks},
          {{"x_lengths", "x_tst_lengths"}, kInt64, {1}, false},
          {{"sid"}, kInt64, {1}, false}};
}

Expected expected_output(VoiceGraph::Kind kind) {
  if (kind == VoiceGraph::Kind::kSynthesizer) return {{"audio", "output"}, ElementType::kFloat32, {3}};
  return {{"durations"}, ElementType::kFloat32, {2}};
}

const char* name_of(VoiceGraph::Kind kind) {
  return kind == VoiceGraph::Kind::kSynthesizer ? "a voice's synthesizer" : "a voice's duration predictor";
}

std::vector<int64_t> widen(std::span<const int> values) { return {values.begin(), values.end()}; }

// The values behind the batch axis, which is 1.
std::vector<float> values_of(Output output, const fs::path& file) {
  auto* values = std::get_if<std::vector<float>>(&output.values);
  if (values == nullptr || output.shape.empty() || static_cast<int64_t>(values->size()) != output.shape.back())
    throw Error(file.string() + ": gives more than one row of float32 values for one sentence");
  return std::move(*values);
}

}  // namespace

VoiceGraph::VoiceGraph(const fs::path& file, Kind kind, const SessionOptions& options)
    : session_(file, options), inputs_(match_inputs(session_, expected_inputs(kind), name_of(kind))) {
  output_ = session_.outputs()[match_output(session_, expected_output(kind), name_of(kind))].name;
}

const ValueInfo* VoiceGraph::input_info(size_t slot) const {
  return inputs_[slot] ? &session_.inputs()[*inputs_[slot]] : nullptr;
}

int64_t VoiceGraph::bert_width() const { return std::max<int64_t>(0, input_info(kBert)->shape[1]); }
int64_t VoiceGraph::style_width() const { return std::max<int64_t>(0, input_info(kStyle)->shape[1]); }

void VoiceGraph::check(const VoiceInput& in) const {
  const std::string file = session_.path().string();
  const size_t phones = in.phones.size();
  if (phones == 0 || in.tones.size() != phones || in.languages.size() != phones) {
    throw Error(fmt::format("{}: got {} phones, {} tones and {} languages; they must be equally many, and not none",
                            file, phones, in.tones.size(), in.languages.size()));
  }
  const std::vector<int64_t> got = in.bert.empty() ? std::vector<int64_t>() : in.bert.shape();
  const bool one_for_each = got.size() == 3 && got[0] == 1 && got[2] == static_cast<int64_t>(phones);
  if (!one_for_each || (bert_width() > 0 && got[1] != bert_width())) {
    throw Error(
        fmt::format("{}: needs {} BERT features a phone, but got [{}] for {} phones; the BERT does not belong to the "
                    "voice",
                    file, bert_width(), fmt::join(got, ", "), phones));
  }
  if (style_width() > 0 && in.style.size() != static_cast<size_t>(style_width())) {
    throw Error(fmt::format("{}: needs a style vector of {} values, but got {}", file, style_width(), in.style.size()));
  }
}

Output VoiceGraph::run(const VoiceInput& in) const {
  check(in);
  const auto count = static_cast<int64_t>(in.phones.size());
  const std::vector<int64_t> phones = widen(in.phones);
  const std::vector<int64_t> tones = widen(in.tones);
  const std::vector<int64_t> languages = widen(in.languages);

  std::vector<Input> inputs;
  const auto add = [&](Slot slot, std::vector<int64_t> shape, auto values) {
    if (const ValueInfo* info = input_info(slot)) inputs.push_back({info->name, std::move(shape), values});
  };
  const auto add_scalar = [&](Slot slot, const float& value) {
    const ValueInfo* info = input_info(slot);
    if (info != nullptr) add(slot, std::vector<int64_t>(info->shape.size(), 1), std::span<const float>(&value, 1));
  };
  add(kPhones, {1, count}, std::span(phones));
  add(kTones, {1, count}, std::span(tones));
  add(kLanguages, {1, count}, std::span(languages));
  add(kBert, {}, in.bert);
  add(kStyle, {1, static_cast<int64_t>(in.style.size())}, in.style);
  add_scalar(kLengthScale, in.length_scale);
  add_scalar(kSdpRatio, in.sdp_ratio);
  add_scalar(kNoiseScaleW, in.noise_scale_w);
  add_scalar(kNoiseScale, in.noise_scale);
  add(kLengths, {1}, std::span(&count, 1));
  add(kSpeaker, {1}, std::span(&in.speaker, 1));
  return std::move(session_.run(inputs, {&output_, 1}).front());
}

Voice::Voice(const fs::path& synthesizer, const std::optional<fs::path>& duration_predictor,
             const SessionOptions& options)
    : synthesizer_(synthesizer, VoiceGraph::Kind::kSynthesizer, options) {
  if (duration_predictor)
    duration_predictor_.emplace(*duration_predictor, VoiceGraph::Kind::kDurationPredictor, options);
}

std::vector<float> Voice::synthesize(const VoiceInput& input) const {
  return values_of(synthesizer_.run(input), synthesizer_.session().path());
}

std::vector<int32_t> Voice::durations(const VoiceInput& input) const {
  if (!duration_predictor_) {
    throw Error(synthesizer_.session().path().string() +
                ": has no duration predictor beside it, so the durations of its phones are not known");
  }
  const fs::path& file = duration_predictor_->session().path();
  const std::vector<float> values = values_of(duration_predictor_->run(input), file);
  if (values.size() != input.phones.size()) {
    throw Error(fmt::format("{}: gives {} durations for {} phones", file.string(), values.size(), input.phones.size()));
  }
  constexpr float kMostFrames = 1 << 16;  // of one phone: minutes. Broken weights give anything.
  std::vector<int32_t> frames;
  frames.reserve(values.size());
  for (const float value : values) {
    if (!(value >= 0.0F && value <= kMostFrames)) {
      throw Error(
          fmt::format("{}: wants {} frames for one phone; its weights seem to be broken", file.string(), value));
    }
    frames.push_back(static_cast<int32_t>(std::lround(value)));
  }
  return frames;
}

}  // namespace hayakoe::onnx
