// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/config.hpp"

namespace hayakoe::model {

/// `config.json` of a voice as Style-Bert-VITS2 writes it, without the section on training.
std::string config_json(const VoiceConfig& config);

/// `config.json` of a DeBERTa-v2 with the flags that JP-Extra voices need.
std::string config_json(const BertConfig& config);

}  // namespace hayakoe::model
