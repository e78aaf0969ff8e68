// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/config.hpp"
#include "model/made/random_values.hpp"

namespace hayakoe::model {

/// Every tensor of a DeBERTa-v2 checkpoint with a language-model head, whose decoder is tied and therefore not stored.
std::vector<MadeTensor> bert_tensors(const BertConfig& config);

}  // namespace hayakoe::model
