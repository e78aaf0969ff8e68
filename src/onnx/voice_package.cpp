// SPDX-License-Identifier: Apache-2.0
#include "onnx/voice_package.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <hayakoe/error.hpp>
#include <vector>

#include "model/voice_parts.hpp"
#include "onnx/voice.hpp"

namespace hayakoe::onnx {
namespace fs = std::filesystem;
namespace {

constexpr const char* kDurationPredictor = "duration_predictor.onnx";
constexpr SessionOptions kOnlyLook{1, false};

bool is_model_file(const fs::path& path) { return path.extension() == ".onnx" || path.extension() == ".aivmx"; }

// The folder's synthesizer by its published name, or else its newest model, as for a folder of checkpoints.
std::optional<fs::path> synthesizer_in(const fs::path& folder) {
  std::error_code ec;
  if (const fs::path usual = folder / "synthesizer.onnx"; fs::exists(usual, ec)) return usual;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    const fs::path& path = it->path();
    if (!is_model_file(path) || path.filename() == kDurationPredictor) continue;
    std::error_code unknown;  // a broken link counts as oldest
    files.emplace_back(fs::last_write_time(path, unknown), path);
  }
  if (files.empty()) return std::nullopt;
  return std::max_element(files.begin(), files.end())->second;
}

std::optional<fs::path> duration_predictor_beside(const fs::path& synthesizer) {
  std::error_code ec;
  const fs::path path = synthesizer.parent_path() / kDurationPredictor;
  if (synthesizer.filename() != "synthesizer.onnx" || !fs::exists(path, ec)) return std::nullopt;
  return path;
}

model::VoiceParts parts_of(const Session& session) {
  const auto& metadata = session.metadata();
  const fs::path& file = session.path();
  if (file.extension() == ".aivmx" || metadata.contains("aivm_hyper_parameters"))
    return model::parse_aivm_metadata(metadata, file, ".aivmx");
  return model::read_voice_parts(file.parent_path());
}

void check_pair(const VoiceGraph& synthesizer, const VoiceGraph& durations) {
  if (synthesizer.bert_width() == durations.bert_width() && synthesizer.style_width() == durations.style_width())
    return;
  throw Error(fmt::format(
      "{}: takes {} BERT features and {} style values, but the {} beside it takes {} and {}; they are "
      "not of one voice",
      durations.session().path().string(), durations.bert_width(), durations.style_width(),
      synthesizer.session().path().filename().string(), synthesizer.bert_width(), synthesizer.style_width()));
}

}  // namespace

bool holds_onnx_voice(const fs::path& path) {
  std::error_code ec;
  return fs::is_directory(path, ec) ? synthesizer_in(path).has_value() : is_model_file(path);
}

VoicePackage open_voice_package(const fs::path& path) {
  std::error_code ec;
  const auto file = fs::is_directory(path, ec) ? synthesizer_in(path) : path;
  if (!file) {
    throw Error(path.string() +
                ": there is no *.onnx; an ONNX voice's folder holds synthesizer.onnx, duration_predictor.onnx, "
                "config.json and style_vectors.npy");
  }
  const VoiceGraph synthesizer(*file, VoiceGraph::Kind::kSynthesizer, kOnlyLook);
  model::VoiceParts parts = parts_of(synthesizer.session());
  VoicePackage package{*file,
                       duration_predictor_beside(*file),
                       std::move(parts.config),
                       std::move(parts.styles),
                       synthesizer.bert_width(),
                       {}};
  if (package.duration_predictor) {
    check_pair(synthesizer, VoiceGraph(*package.duration_predictor, VoiceGraph::Kind::kDurationPredictor, kOnlyLook));
  }
  const auto& shape = package.styles.shape;
  const int64_t any_width = shape.empty() ? 0 : shape.back();
  const int64_t width = synthesizer.style_width() > 0 ? synthesizer.style_width() : any_width;
  model::check_styles(package.config, package.styles, width, path);
  const auto& metadata = synthesizer.session().metadata();
  if (const auto it = metadata.find("aivm_manifest"); it != metadata.end()) package.manifest = it->second;
  return package;
}

}  // namespace hayakoe::onnx
