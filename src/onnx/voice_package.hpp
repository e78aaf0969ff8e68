// SPDX-License-Identifier: Apache-2.0
// The forms in which ONNX voices lie on disk.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "model/config.hpp"
#include "tensor/npy.hpp"

namespace hayakoe::onnx {

/// A voice's files, checked against one another. Nothing of them is kept open.
struct VoicePackage {
  std::filesystem::path synthesizer;
  std::optional<std::filesystem::path> duration_predictor;
  model::VoiceConfig config;
  tensor::NpyArray styles;  ///< [num_styles, width]; row 0 is the neutral one
  int64_t bert_width = 0;   ///< features a phone that the voice wants; 0 if the file leaves it open
  std::string manifest;     ///< JSON of an .aivmx file: name, creators, licence; empty for the other forms
};

/// True for what `open_voice_package` may be asked to open: a file named *.onnx or *.aivmx, or a folder that has one.
[[nodiscard]] bool holds_onnx_voice(const std::filesystem::path& path);

/// Opens a voice in one of three forms:
/// - a folder with synthesizer.onnx (or another *.onnx, the newest), perhaps duration_predictor.onnx, config.json and
///   style_vectors.npy;
/// - a single *.onnx file with config.json and style_vectors.npy beside it;
/// - an .aivmx file, which has both in its metadata.
/// @throws Error naming the file at fault
[[nodiscard]] VoicePackage open_voice_package(const std::filesystem::path& path);

}  // namespace hayakoe::onnx
