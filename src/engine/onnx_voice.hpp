// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/speech.hpp"
#include "engine/voice_files.hpp"
#include "onnx/session.hpp"

namespace hayakoe::engine {

/// Opens the graphs of a published ONNX voice. `files` must outlive it. @throws Error naming the file
std::unique_ptr<const VoiceModel> open_onnx_voice(const VoiceFiles& files, const onnx::SessionOptions& options);

}  // namespace hayakoe::engine
