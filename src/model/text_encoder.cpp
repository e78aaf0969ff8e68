// SPDX-License-Identifier: Apache-2.0
#include "model/text_encoder.hpp"

#include <fmt/format.h>

#include <cmath>
#include <hayakoe/error.hpp>

namespace hayakoe::model {

using device::Tensor;

TextEncoding TextEncoder::forward(device::Stream& s, const PhoneRows& rows, const Tensor& bert,
                                  const Conditioning& condition) const {
  // (emb + tone + language + bert_proj + style_proj)·√C. A projection of repeated rows is the repeated projection, so
  // BERT's features are projected once a character and gathered afterwards.
  Tensor x = s.gather_rows(phone_, rows.phone);  // [rows, C]
  s.add_gathered_rows(x, tone_, rows.tone);
  s.add_gathered_rows(x, language_, rows.language);
  s.add_gathered_rows(x, s.linear(bert, bert_proj_), rows.bert_row);
  s.add_in_place(x, condition.style);
  s.scale_in_place(x, scale_);

  x = encoder_.forward(s, x, rows.segments, condition.speaker);
  const Tensor stats = s.linear(x, proj_);  // [rows, 2·I]
  return {x, stats.slice_cols(0, inter_), stats.slice_cols(inter_, inter_)};
}

Tensor TextEncoder::project_style(device::Stream& s, const Tensor& neutral, const Tensor& style, float weight) const {
  Tensor mixed = s.linear(neutral, style_proj_);
  s.mix_row_in_place(mixed, s.linear(style, style_proj_), weight);
  return mixed;
}

TextEncoder::TextEncoder(const Weights& w, const VoiceConfig& c)
    : scale_(std::sqrt(static_cast<float>(c.hidden_channels))), inter_(c.inter_channels) {
  constexpr int64_t kTones = 12;
  constexpr int64_t kLanguages = 3;
  constexpr int64_t kSymbols = 112;
  const int64_t channels = c.hidden_channels;
  const auto symbols = w.shape("emb.weight");
  if (symbols.size() == 2 && symbols[0] != kSymbols) {
    throw Error(fmt::format("{}: tensor '{}' has shape {}: a voice with {} symbols; JP-Extra voices have {}",
                            w.file().path().string(), w.full_name("emb.weight"), tensor::shape_string(symbols),
                            symbols[0], kSymbols));
  }
  phone_ = w.matrix("emb.weight", kSymbols, channels);
  tone_ = w.matrix("tone_emb.weight", kTones, channels);
  language_ = w.matrix("language_emb.weight", kLanguages, channels);
  // Their widths are those of the BERT and of the style vectors that the voice was trained with.
  bert_proj_ = w.linear("bert_proj", linear_inputs(w.file(), w.full_name("bert_proj")), channels);
  style_proj_ = w.linear("style_proj", linear_inputs(w.file(), w.full_name("style_proj")), channels);
  encoder_ = Transformer(w.at("encoder"),
                         {channels, c.filter_channels, c.n_heads, c.n_layers, c.kernel_size, c.gin_channels});
  proj_ = w.linear("proj", channels, 2 * c.inter_channels);
}

}  // namespace hayakoe::model
