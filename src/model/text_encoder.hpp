// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/config.hpp"
#include "model/transformer.hpp"

namespace hayakoe::model {

/// The integers of a batch of sentences on the device, blanks inserted; each int32 `[rows, 1]`.
struct PhoneRows {
  device::Tensor phone, tone, language;
  device::Tensor bert_row;  ///< which row of the BERT features belongs to this phone
  device::Segments segments;
};

/// What conditions a whole request.
struct Conditioning {
  device::Tensor speaker;  ///< g, `[1, G]`
  device::Tensor style;    ///< style_proj of the mixed style vector, `[1, C]`
};

/// What the text encoder says about each phone.
struct TextEncoding {
  device::Tensor x;       ///< hidden states, `[rows, C]`: what the duration predictors read
  device::Tensor m_p;     ///< prior mean, `[rows, I]`
  device::Tensor logs_p;  ///< prior log standard deviation, `[rows, I]`
};

/// Text encoder of VITS with tone, language, BERT and style inputs.
class TextEncoder {
 public:
  TextEncoder(const Weights& w, const VoiceConfig& c);

  /// `bert` `[bert rows, width]`: features of the characters, not yet repeated.
  [[nodiscard]] TextEncoding forward(device::Stream& s, const PhoneRows& rows, const device::Tensor& bert,
                                     const Conditioning& condition) const;

  /// style_proj of (1 − weight)·neutral + weight·style; both `[1, 256]`. The projection is linear, so the mix may come
  /// after.
  [[nodiscard]] device::Tensor project_style(device::Stream& s, const device::Tensor& neutral,
                                             const device::Tensor& style, float weight) const;

  [[nodiscard]] int64_t bert_width() const { return bert_proj_.in; }
  [[nodiscard]] int64_t symbols() const { return phone_.rows(); }
  [[nodiscard]] int64_t style_width() const { return style_proj_.in; }

 private:
  device::Tensor phone_, tone_, language_;  // [112, C], [12, C], [3, C]
  device::Linear bert_proj_, style_proj_;
  Transformer encoder_;
  device::Linear proj_;  // [2·I, C]
  float scale_ = 1.0F;   // √C
  int64_t inter_ = 0;
};

}  // namespace hayakoe::model
