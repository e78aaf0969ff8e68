// SPDX-License-Identifier: Apache-2.0
#include "model/synthesizer.hpp"

#include <fmt/format.h>

#include <hayakoe/error.hpp>

namespace hayakoe::model {

using device::Segments;
using device::Stream;
using device::Tensor;

bool holds_voice(const tensor::SafeTensors& file) {
  return file.has("enc_p.emb.weight") && (file.has("dec.conv_pre.weight") || file.has("dec.conv_pre.panels"));
}

Conditioning Synthesizer::condition(Stream& s, int64_t speaker, const Tensor& neutral, const Tensor& style,
                                    float style_weight) const {
  return {speakers_.slice_rows(speaker, 1), text_encoder_.project_style(s, neutral, style, style_weight)};
}

Tensor Synthesizer::durations(Stream& s, const Tensor& x, const Segments& segments, const Conditioning& c,
                              const Tensor& noise, const DurationOptions& o) const {
  Tensor stochastic;
  Tensor deterministic;
  if (o.sdp_ratio != 0.0F) stochastic = sdp_.forward(s, x, segments, c.speaker, noise, o.noise_scale_w);
  if (o.sdp_ratio != 1.0F) deterministic = dp_.forward(s, x, segments, c.speaker);
  return s.durations(stochastic, deterministic, o.sdp_ratio, o.length_scale, kMostFramesPerPhone);
}

Tensor Synthesizer::latent(Stream& s, const TextEncoding& text, const Tensor& frame_row, const Segments& frames,
                           const Conditioning& c, const Tensor& noise, float noise_scale) const {
  const Tensor mean = s.gather_rows(text.m_p, frame_row);  // [frames, I]
  const Tensor log_scale = s.gather_rows(text.logs_p, frame_row);
  const Tensor z_p = s.sample_normal(mean, log_scale, noise, noise_scale);
  return flow_.reverse(s, z_p, frames, c.speaker);
}

namespace {

Tensor speaker_table(const Weights& root, const VoiceConfig& c) {
  const auto shape = root.shape("emb_g.weight");
  const int64_t speakers = shape.size() == 2 ? shape[0] : 0;
  for (const auto& [name, id] : c.spk2id) {
    if (id >= speakers) {
      throw Error(fmt::format("{}: speaker '{}' has id {}, but the voice has only {} speaker{}",
                              root.file().path().string(), name, id, speakers, speakers == 1 ? "" : "s"));
    }
  }
  return root.matrix("emb_g.weight", speakers, c.gin_channels);
}

void require_jp_extra(const tensor::SafeTensors& file) {
  if (file.has("enc_p.ja_bert_proj.weight") || file.has("enc_p.en_bert_proj.weight")) {
    throw Error(file.path().string() + ": the weights are of a Style-Bert-VITS2 model that is not JP-Extra");
  }
  if (!holds_voice(file)) {
    throw Error(
        file.path().string() +
        ": the weights are not of a Style-Bert-VITS2 voice (there is no enc_p.emb.weight or dec.conv_pre.weight)");
  }
}

const tensor::SafeTensors& checked(const tensor::SafeTensors& file) {
  require_jp_extra(file);
  return file;
}

}  // namespace

Synthesizer::Synthesizer(const VoiceConfig& config, const tensor::SafeTensors& file,
                         const std::shared_ptr<device::Device>& device, device::WeightType type, WeightSink* sink)
    : speakers_(speaker_table(Weights(checked(file), device, "", sink), config)),
      text_encoder_(Weights(file, device, "enc_p.", sink), config),
      dp_(Weights(file, device, "dp.", sink), config),
      sdp_(Weights(file, device, "sdp.", sink), config),
      flow_(Weights(file, device, "flow.", sink).stored_as(type), config),
      decoder_(Weights(file, device, "dec.", sink).stored_as(type), config),
      decode_frames_(device->decode_frames()) {}

}  // namespace hayakoe::model
