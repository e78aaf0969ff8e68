// SPDX-License-Identifier: Apache-2.0
// A published ONNX voice: the graphs take one sentence at a time and make it whole.
#include "engine/onnx_voice.hpp"

#include <numeric>
#include <utility>

#include "engine/request_parts.hpp"
#include "onnx/voice.hpp"

namespace hayakoe::engine {
namespace {

// Row `style` of the vectors, moved from the neutral one by `weight`.
std::vector<float> style_vector(const tensor::NpyArray& styles, int64_t style, double weight) {
  const auto width = static_cast<size_t>(styles.shape[1]);
  const auto row = [&](int64_t i) { return std::span(styles.values).subspan(static_cast<size_t>(i) * width, width); };
  std::vector<float> out;
  out.reserve(width);
  for (size_t i = 0; i < width; ++i)
    out.push_back(row(0)[i] + static_cast<float>(weight) * (row(style)[i] - row(0)[i]));
  return out;
}

// Frames that add up to `total`, in the proportions of `frames`.
std::vector<int32_t> scaled_to(const std::vector<int32_t>& frames, int64_t total) {
  int64_t sum = 0;
  for (const int32_t f : frames) sum += f;
  if (sum == total || sum == 0) return frames;
  std::vector<int32_t> out;
  int64_t so_far = 0;
  int64_t given = 0;
  for (const int32_t f : frames) {
    so_far += f;
    const int64_t end = (so_far * total + sum / 2) / sum;
    out.push_back(static_cast<int32_t>(end - given));
    given = end;
  }
  return out;
}

class OnnxSpeech final : public Speech {
 public:
  OnnxSpeech(const onnx::Voice& voice, const VoiceFiles& files, device::Stream& stream, const Manner& manner)
      : voice_(voice),
        hop_length_(files.config.hop_length),
        stream_(stream),
        manner_(manner),
        style_(style_vector(files.styles, manner.style, manner.style_weight)) {}

  std::vector<int32_t> durations(const SpeechBatch& batch, Stats& stats) override {
    const Timer timer(stats.encoder_seconds);
    features_ = for_graphs(batch.features);
    length_scale_ = batch.length_scale;
    segments_.clear();
    std::vector<int32_t> frames;
    for (size_t i = 0; i < batch.sequences.size(); ++i) {
      Segment segment{*batch.sequences[i], batch.bert_row[i], {}};
      const auto own = durations_of(segment);
      frames.insert(frames.end(), own.begin(), own.end());
      if (i < batch.sentences) segments_.push_back(std::move(segment));
    }
    return frames;
  }

  std::vector<std::vector<float>> decode(std::span<SpokenSentence> sentences, Stats& stats) override {
    const Timer timer(stats.decoder_seconds);
    std::vector<std::vector<float>> samples;
    for (SpokenSentence& s : sentences) {
      Segment& segment = segments_.at(s.segment);
      samples.push_back(voice_.synthesize(input(segment)));
      segment.bert = {};
      s.frames = scaled_to(s.frames, std::ssize(samples.back()) / hop_length_);
    }
    return samples;
  }

  // One sentence at a time.
  [[nodiscard]] int64_t decode_frames() const override { return 0; }
  [[nodiscard]] bool predicts_durations() const override { return voice_.has_durations(); }

 private:
  struct Segment {
    text::Sequence ids;
    std::vector<int32_t> bert_row;
    onnx::DeviceTensor bert;  // of each position, from the first graph that wants it to the last
  };

  // ONNX Runtime brings what comes from the host to where it is wanted.
  onnx::Features for_graphs(const Features& features) {
    if (const auto* onnx = std::get_if<onnx::Features>(&features)) return *onnx;
    const auto& tensor = std::get<device::Tensor>(features);
    std::vector<float> values(static_cast<size_t>(tensor.rows() * tensor.cols()));
    stream_.download(tensor, std::span<float>(values));
    std::vector<int64_t> row(static_cast<size_t>(tensor.rows()));
    std::iota(row.begin(), row.end(), 0);
    return {onnx::DeviceTensor(std::move(values), {tensor.rows(), tensor.cols()}), std::move(row)};
  }

  onnx::VoiceInput input(Segment& segment) const {
    if (segment.bert.empty()) segment.bert = onnx::expand(features_, segment.bert_row);
    return {.phones = segment.ids.phone_ids,
            .tones = segment.ids.tone_ids,
            .languages = segment.ids.language_ids,
            .bert = segment.bert,
            .style = style_,
            .speaker = manner_.speaker,
            .length_scale = static_cast<float>(length_scale_),
            .sdp_ratio = static_cast<float>(manner_.sdp_ratio),
            .noise_scale = static_cast<float>(manner_.noise),
            .noise_scale_w = static_cast<float>(manner_.noise_w)};
  }

  // Where the voice does not tell, all positions are taken for equally long.
  std::vector<int32_t> durations_of(Segment& segment) const {
    if (!voice_.has_durations()) return std::vector<int32_t>(segment.ids.phone_ids.size(), 1);
    return voice_.durations(input(segment));
  }

  const onnx::Voice& voice_;
  const int64_t hop_length_;
  device::Stream& stream_;
  const Manner manner_;
  const std::vector<float> style_;

  // Of the batch.
  onnx::Features features_;
  double length_scale_ = 1.0;
  std::vector<Segment> segments_;  // the sentences
};

class OnnxVoice final : public VoiceModel {
 public:
  OnnxVoice(const VoiceFiles& files, const onnx::SessionOptions& options)
      : files_(files), voice_(files.onnx->synthesizer, files.onnx->duration_predictor, options) {}

  [[nodiscard]] std::unique_ptr<Speech> speech(device::Stream& stream, const Manner& manner) const override {
    return std::make_unique<OnnxSpeech>(voice_, files_, stream, manner);
  }
  [[nodiscard]] int64_t speakers() const override { return files_.config.n_speakers; }

 private:
  const VoiceFiles& files_;
  const onnx::Voice voice_;
};

}  // namespace

std::unique_ptr<const VoiceModel> open_onnx_voice(const VoiceFiles& files, const onnx::SessionOptions& options) {
  return std::make_unique<const OnnxVoice>(files, options);
}

}  // namespace hayakoe::engine
