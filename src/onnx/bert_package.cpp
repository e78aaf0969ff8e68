// SPDX-License-Identifier: Apache-2.0
#include "onnx/bert_package.hpp"

#include <hayakoe/error.hpp>
#include <optional>

#include "model/config.hpp"

namespace hayakoe::onnx {
namespace fs = std::filesystem;
namespace {

// Exact before quantized.
constexpr const char* kNames[] = {"bert.onnx", "model.onnx", "bert_q8.onnx"};

std::optional<fs::path> model_in(const fs::path& folder) {
  std::error_code ec;
  for (const char* name : kNames) {
    if (fs::exists(folder / name, ec)) return folder / name;
  }
  return std::nullopt;
}

}  // namespace

bool holds_onnx_bert(const fs::path& path) {
  std::error_code ec;
  return fs::is_directory(path, ec) ? model_in(path).has_value() : path.extension() == ".onnx";
}

BertPackage find_bert_package(const fs::path& path) {
  std::error_code ec;
  if (!fs::exists(path, ec)) throw Error(path.string() + ": there is no such BERT folder or .onnx file");
  const auto model = fs::is_directory(path, ec) ? model_in(path) : path;
  if (!model) throw Error(path.string() + ": there is no bert.onnx, model.onnx or bert_q8.onnx");
  const fs::path folder = model->parent_path();
  const fs::path vocab = folder / "vocab.txt";
  if (!fs::exists(vocab, ec))
    throw Error(vocab.string() + ": there is no such file; a BERT needs its vocabulary beside the model");
  if (const fs::path config = folder / "config.json"; fs::exists(config, ec))
    model::BertConfig::parse(model::read_text_file(config), config.string());
  return {*model, vocab};
}

}  // namespace hayakoe::onnx
