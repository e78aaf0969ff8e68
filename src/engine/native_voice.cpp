// SPDX-License-Identifier: Apache-2.0
// A voice out of its checkpoint: text encoder → durations → flow → decoder on the device.
#include "engine/native_voice.hpp"

#include "engine/request_parts.hpp"
#include "model/flops.hpp"
#include "model/synthesizer.hpp"

namespace hayakoe::engine {
namespace {

using device::Segments;
using device::Tensor;

class NativeSpeech final : public WindowedSpeech {
 public:
  NativeSpeech(const model::Synthesizer& synthesizer, const model::VoiceConfig& config, device::Stream& stream,
               int64_t decode_frames, const Manner& manner, const Tensor& styles)
      : synthesizer_(synthesizer),
        config_(config),
        stream_(stream),
        decode_frames_(decode_frames),
        manner_(manner),
        condition_(synthesizer.condition(stream, manner.speaker, styles.slice_rows(0, 1),
                                         styles.slice_rows(manner.style, 1), static_cast<float>(manner.style_weight))) {
  }

  std::vector<int32_t> durations(const SpeechBatch& batch, Stats& stats) override {
    const Timer timer(stats.encoder_seconds);
    segments_ = batch.segments;
    const int64_t rows = segments_.rows();
    const auto column = [&](int64_t n) { return batch.columns.slice_rows(n * rows, rows); };
    const model::PhoneRows phone_rows{column(0), column(1), column(2), column(3), segments_};
    const auto& features = std::get<Tensor>(batch.features);
    encoding_ = synthesizer_.encode(stream_, phone_rows, features, condition_);

    const model::DurationOptions options{static_cast<float>(manner_.sdp_ratio), static_cast<float>(manner_.noise_w),
                                         static_cast<float>(batch.length_scale)};
    const Tensor noise = manner_.sdp_ratio != 0.0 ? stream_.normal(segments_, 2, batch.keys) : Tensor();
    durations_ = synthesizer_.durations(stream_, encoding_.x, segments_, condition_, noise, options);
    std::vector<int32_t> frames(static_cast<size_t>(rows));
    stream_.download(durations_, std::span<int32_t>(frames));
    stats.encoder_flops += model::text_encoder_flops(config_, segments_, features.rows(), features.cols()) +
                           model::duration_flops(config_, rows, options);
    return frames;
  }

  std::vector<std::vector<float>> decode(std::span<SpokenSentence> sentences, Stats& stats) override {
    const Segments frames = frames_of(sentences);
    const Tensor z = latent(sentences, frames, stats);
    const Timer timer(stats.decoder_seconds);
    const std::vector<float> all = to_host(synthesizer_.decode(stream_, z, frames, condition_));
    stats.decoder_flops += model::decoder_flops(config_, frames.rows());
    std::vector<std::vector<float>> samples;
    for (int64_t i = 0; i < frames.count(); ++i) {
      const auto begin = all.begin() + frames.begin(i) * config_.hop_length;
      samples.emplace_back(begin, begin + frames.length(i) * config_.hop_length);
    }
    return samples;
  }

  [[nodiscard]] int64_t decode_frames() const override { return decode_frames_; }

  void begin(const SpokenSentence& sentence, Stats& stats) override {
    z_ = latent({&sentence, 1}, frames_of({&sentence, 1}), stats);
  }

  std::vector<float> window(int64_t from, int64_t to, Stats& stats) override {
    const Timer timer(stats.decoder_seconds);
    stats.decoder_flops += model::decoder_flops(config_, to - from);
    return to_host(synthesizer_.decode_window(stream_, z_, from, to, condition_));
  }

 private:
  static Segments frames_of(std::span<const SpokenSentence> sentences) {
    std::vector<int64_t> lengths;
    for (const SpokenSentence& s : sentences) {
      int64_t sum = 0;
      for (const int32_t f : s.frames) sum += f;
      lengths.push_back(sum);
    }
    return Segments::of_lengths(lengths);
  }

  // Latent frames of sentences behind one another.
  Tensor latent(std::span<const SpokenSentence> sentences, const Segments& frames, Stats& stats) {
    const Timer timer(stats.flow_seconds);
    std::vector<uint64_t> keys;
    int64_t phone_rows = 0;
    for (const SpokenSentence& s : sentences) {
      keys.push_back(s.key);
      phone_rows += static_cast<int64_t>(s.frames.size());
    }
    const int64_t first = segments_.begin(static_cast<int64_t>(sentences.front().segment));
    const auto rows = [&](const Tensor& of_batch) { return of_batch.slice_rows(first, phone_rows); };
    const model::TextEncoding text{rows(encoding_.x), rows(encoding_.m_p), rows(encoding_.logs_p)};
    const Tensor frame_row = stream_.repeated_index(rows(durations_), frames.rows());
    const Tensor noise = stream_.normal(frames, text.m_p.cols(), keys);
    stats.flow_flops += model::flow_flops(config_, frames);
    Tensor z =
        synthesizer_.latent(stream_, text, frame_row, frames, condition_, noise, static_cast<float>(manner_.noise));
    end_stage(stream_);
    return z;
  }

  std::vector<float> to_host(const Tensor& samples) {
    std::vector<float> all(static_cast<size_t>(samples.rows()));
    stream_.download(samples, std::span<float>(all));
    return all;
  }

  const model::Synthesizer& synthesizer_;
  const model::VoiceConfig& config_;
  device::Stream& stream_;
  const int64_t decode_frames_;
  const Manner manner_;
  const model::Conditioning condition_;

  Segments segments_;             // of the batch
  model::TextEncoding encoding_;  // of the batch
  Tensor durations_;              // of the batch
  Tensor z_;                      // of the sentence that is given in windows
};

class NativeVoice final : public VoiceModel {
 public:
  NativeVoice(const VoiceFiles& files, const std::shared_ptr<device::Device>& device, device::WeightType type)
      : config_(files.config),
        decode_frames_(device->decode_frames()),
        synthesizer_(files.config, *files.weights, device, type),
        styles_(device->constant(files.styles.values, files.styles.shape[0], files.styles.shape[1])) {}

  [[nodiscard]] std::unique_ptr<Speech> speech(device::Stream& stream, const Manner& manner) const override {
    return std::make_unique<NativeSpeech>(synthesizer_, config_, stream, decode_frames_, manner, styles_);
  }
  [[nodiscard]] int64_t speakers() const override { return synthesizer_.speakers(); }

 private:
  const model::VoiceConfig& config_;
  const int64_t decode_frames_;
  const model::Synthesizer synthesizer_;
  const Tensor styles_;  // [styles, width]
};

}  // namespace

std::unique_ptr<const VoiceModel> open_native_voice(const VoiceFiles& files,
                                                    const std::shared_ptr<device::Device>& device,
                                                    device::WeightType type) {
  return std::make_unique<const NativeVoice>(files, device, type);
}

}  // namespace hayakoe::engine
