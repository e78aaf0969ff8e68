// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/config.hpp"
#include "model/made/random_values.hpp"

namespace hayakoe::model {

/// Channels of a style vector in the format.
inline constexpr int64_t kStyleChannels = 256;
/// Standard deviation of the values of a style vector.
inline constexpr double kStyleStd = 0.5;

/// Every float tensor of a voice as it is released: without the posterior encoder, with the parts of the stochastic
/// duration predictor that only training uses. `bert_width`: channels of the BERT that it reads.
std::vector<MadeTensor> voice_tensors(const VoiceConfig& config, int64_t bert_width);

}  // namespace hayakoe::model
