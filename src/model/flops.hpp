// SPDX-License-Identifier: Apache-2.0
// How much arithmetic each part of the networks takes, counted from the configuration and the number of rows: a
// multiplication and an addition are two operations. Matrix products, convolutions (in their direct form, however the
// device computes them) and attention are counted; element-wise work, norms, look-ups and what is done once a request
// (speaker and style, one row each) are not; they are little beside it.
#pragma once

#include "model/synthesizer.hpp"
#include "tensor/segments.hpp"

namespace hayakoe::model {

/// The layers of BERT that are used, over a ragged batch of tokens.
int64_t bert_flops(const BertConfig& c, const tensor::Segments& tokens);

/// Text encoder over phone positions; its projection of BERT's features (`bert_width` channels) runs over `bert_rows`.
int64_t text_encoder_flops(const VoiceConfig& c, const tensor::Segments& phones, int64_t bert_rows, int64_t bert_width);

/// The duration predictors over `rows` phone positions; one whose share is 0 does not run.
int64_t duration_flops(const VoiceConfig& c, int64_t rows, const DurationOptions& o);

/// The flow over latent frames.
int64_t flow_flops(const VoiceConfig& c, const tensor::Segments& frames);

/// HiFi-GAN over `frames` latent frames; the margins of windows are not counted, so that windows cost rather than gain.
int64_t decoder_flops(const VoiceConfig& c, int64_t frames);

}  // namespace hayakoe::model
