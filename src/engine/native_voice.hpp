// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "device/device.hpp"
#include "engine/speech.hpp"
#include "engine/voice_files.hpp"

namespace hayakoe::engine {

/// Packs the weights of a voice for the device; `type` as in model::Synthesizer. `files` must outlive it.
/// @throws Error when configuration and weights disagree
std::unique_ptr<const VoiceModel> open_native_voice(const VoiceFiles& files,
                                                    const std::shared_ptr<device::Device>& device,
                                                    device::WeightType type);

}  // namespace hayakoe::engine
