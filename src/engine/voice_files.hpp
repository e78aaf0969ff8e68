// SPDX-License-Identifier: Apache-2.0
// The forms in which a voice comes: a folder with a checkpoint or ONNX graphs, or one .aivm, .aivmx or .onnx file.
#pragma once

#include <filesystem>
#include <hayakoe/hayakoe.hpp>
#include <optional>

#include "model/config.hpp"
#include "onnx/voice_package.hpp"
#include "tensor/npy.hpp"
#include "tensor/safetensors.hpp"

namespace hayakoe::engine {

/// What a voice consists of, checked against one another; the weights are mapped, not read.
struct VoiceFiles {
  model::VoiceConfig config;
  tensor::NpyArray styles;  ///< [num_styles, width]; row 0 is the neutral one
  VoiceInfo info;
  // One of the two.
  std::optional<tensor::SafeTensors> weights;
  std::optional<onnx::VoicePackage> onnx;

  /// The file with the weights.
  [[nodiscard]] const std::filesystem::path& model_file() const {
    return weights ? weights->path() : onnx->synthesizer;
  }
};

/// Where a converted file keeps, in its metadata, how many parameters the voice has.
inline constexpr const char* kParametersKey = "hayakoe.parameters";

/// Opens a voice. `engine` is "native", "onnx", or "auto": native unless there are only ONNX files.
/// @throws Error naming the file at fault
VoiceFiles open_voice(const std::filesystem::path& path, const std::string& engine = "auto");

/// Index of a style or speaker by name, by number, or of the default when `wanted` is empty. `kind` and `voice` name it
/// in errors, which list what there is.
int64_t find_id(const std::map<std::string, int64_t>& ids, const std::string& wanted, int64_t count, const char* kind,
                const std::string& voice);

}  // namespace hayakoe::engine
