// SPDX-License-Identifier: Apache-2.0
// The network of one voice: text encoder → durations → length regulation → flow → decoder.
#pragma once

#include "model/config.hpp"
#include "model/decoder.hpp"
#include "model/duration.hpp"
#include "model/flow.hpp"
#include "model/text_encoder.hpp"

namespace hayakoe::model {

/// True if a checkpoint holds a Style-Bert-VITS2 voice, of any kind: it has a text encoder and a decoder.
bool holds_voice(const tensor::SafeTensors& file);

/// What steers durations.
struct DurationOptions {
  float sdp_ratio = 0.2F;      ///< share of the stochastic predictor, 0 to 1
  float noise_scale_w = 0.8F;  ///< randomness of the rhythm
  float length_scale = 1.0F;   ///< > 1 is slower
};

class Synthesizer {
 public:
  /// Packs every weight for the device; `type` is for flow and decoder unless the file is converted: the durations come
  /// from float weights. @throws Error when configuration and weights disagree.
  Synthesizer(const VoiceConfig& config, const tensor::SafeTensors& file, const std::shared_ptr<device::Device>& device,
              device::WeightType type = device::WeightType::kF32, WeightSink* sink = nullptr);

  /// Speaker and style of a request. `style_weight` 0 is the neutral style, 1 the style itself, more exaggerates it.
  [[nodiscard]] Conditioning condition(device::Stream& s, int64_t speaker, const device::Tensor& neutral,
                                       const device::Tensor& style, float style_weight) const;

  [[nodiscard]] TextEncoding encode(device::Stream& s, const PhoneRows& rows, const device::Tensor& bert,
                                    const Conditioning& c) const {
    return text_encoder_.forward(s, rows, bert, c);
  }

  /// Frames a phone position, int32 `[rows, 1]`. `noise` `[rows, 2]` is used up; it may be empty if sdp_ratio is 0.
  [[nodiscard]] device::Tensor durations(device::Stream& s, const device::Tensor& x, const device::Segments& segments,
                                         const Conditioning& c, const device::Tensor& noise,
                                         const DurationOptions& o) const;

  /// Latent frames z `[frames, I]`: every phone's prior repeated for its frames (`frame_row` int32 `[frames, 1]`, the
  /// phone row of each frame), a sample of it (`noise` `[frames, I]`), the flow reversed.
  [[nodiscard]] device::Tensor latent(device::Stream& s, const TextEncoding& text, const device::Tensor& frame_row,
                                      const device::Segments& frames, const Conditioning& c,
                                      const device::Tensor& noise, float noise_scale) const;

  /// Samples `[frames · hop_length, 1]`; see Decoder::forward().
  [[nodiscard]] device::Tensor decode(device::Stream& s, const device::Tensor& z, const device::Segments& frames,
                                      const Conditioning& c) const {
    return decoder_.forward(s, z, frames, c.speaker, decode_frames_);
  }

  /// The samples of frames [begin, end) of one segment.
  [[nodiscard]] device::Tensor decode_window(device::Stream& s, const device::Tensor& z, int64_t begin, int64_t end,
                                             const Conditioning& c) const {
    return decoder_.window(s, z, begin, end, c.speaker);
  }

  [[nodiscard]] const TextEncoder& text_encoder() const { return text_encoder_; }
  [[nodiscard]] const DurationPredictor& duration_predictor() const { return dp_; }
  [[nodiscard]] const StochasticDurationPredictor& stochastic_duration_predictor() const { return sdp_; }
  [[nodiscard]] const Flow& flow() const { return flow_; }
  [[nodiscard]] const Decoder& decoder() const { return decoder_; }
  [[nodiscard]] int64_t speakers() const { return speakers_.rows(); }

  /// No phone lasts longer than this; broken weights must not ask for endless memory.
  static constexpr int32_t kMostFramesPerPhone = 4096;

 private:
  device::Tensor speakers_;  // emb_g, [n_speakers, G]
  TextEncoder text_encoder_;
  DurationPredictor dp_;
  StochasticDurationPredictor sdp_;
  Flow flow_;
  Decoder decoder_;
  int64_t decode_frames_;
};

}  // namespace hayakoe::model
