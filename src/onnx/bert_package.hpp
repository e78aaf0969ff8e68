// SPDX-License-Identifier: Apache-2.0
// A BERT in ONNX form as it lies on disk.
#pragma once

#include <filesystem>

namespace hayakoe::onnx {

struct BertPackage {
  std::filesystem::path model;  ///< the .onnx file
  std::filesystem::path vocab;  ///< vocab.txt beside it
};

/// True for a folder that has one of the model files, or a file named *.onnx.
[[nodiscard]] bool holds_onnx_bert(const std::filesystem::path& path);

/// Finds the files of a BERT: `path` is the model itself, or a folder with bert.onnx, model.onnx or bert_q8.onnx (the
/// first of these that is there), and vocab.txt beside it. A config.json must be of the kind of BERT that voices use.
/// The model is not opened. @throws Error naming what is missing
[[nodiscard]] BertPackage find_bert_package(const std::filesystem::path& path);

}  // namespace hayakoe::onnx
