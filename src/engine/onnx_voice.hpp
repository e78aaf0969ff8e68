// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/speech.hpp"
#include "engine/voice_files.hpp"

namespace hayakoe::engine {

/// Opens the graphs of a published ONNX voice, for `threads` threads. `files` must outlive it.
/// @throws Error naming the file
std::unique_ptr<const VoiceModel> open_onnx_voice(const VoiceFiles& files, int threads);

}  // namespace hayakoe::engine
