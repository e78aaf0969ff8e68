// SPDX-License-Identifier: Apache-2.0
#include "engine/voice_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <hayakoe/error.hpp>
#include <optional>
#include <vector>

#include "model/synthesizer.hpp"
#include "model/voice_parts.hpp"

namespace hayakoe::engine {
namespace fs = std::filesystem;
namespace {

// Training leaves several checkpoints in a folder; the newest is the one that people mean. Files with other things in
// them are passed over, but a newest file that is broken is an error: the older one would be another voice.
tensor::SafeTensors newest_weights(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code ec;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    if (it->path().extension() == ".safetensors") files.emplace_back(fs::last_write_time(it->path(), ec), it->path());
  }
  if (files.empty()) {
    throw Error(folder.string() +
                ": there is no *.safetensors; a voice folder holds config.json, style_vectors.npy and the weights");
  }
  // Equal times (an unpacked archive): the name decides, so that every run takes the same one.
  std::sort(files.rbegin(), files.rend());
  for (const auto& [time, path] : files) {
    auto weights = tensor::SafeTensors::open(path);
    if (model::holds_voice(weights)) return weights;
  }
  return tensor::SafeTensors::open(files.front().second);  // the caller says what is missing in it
}

std::vector<std::string> names_by_id(const std::map<std::string, int64_t>& ids, int64_t count) {
  std::vector<std::string> names(static_cast<size_t>(count));
  for (const auto& [name, id] : ids) {
    if (id < count) names[static_cast<size_t>(id)] = name;
  }
  return names;
}

VoiceFiles open_folder(const fs::path& folder) {
  model::VoiceParts parts = model::read_voice_parts(folder);
  return {std::move(parts.config), std::move(parts.styles), {}, newest_weights(folder), {}};
}

VoiceFiles open_aivm(const fs::path& file) {
  const auto weights = tensor::SafeTensors::open(file);
  model::VoiceParts parts = model::parse_aivm_metadata(weights.metadata(), file, ".aivm");
  return {std::move(parts.config), std::move(parts.styles), {}, weights, {}};
}

VoiceFiles open_onnx(const fs::path& path) {
  onnx::VoicePackage package = onnx::open_voice_package(path);
  return {package.config, package.styles, {}, {}, std::move(package)};
}

// A folder may have both forms.
bool has_checkpoint(const fs::path& path) {
  std::error_code ec;
  if (!fs::is_directory(path, ec)) return path.extension() == ".aivm";
  for (fs::directory_iterator it(path, ec), end; !ec && it != end; it.increment(ec)) {
    if (it->path().extension() == ".safetensors") return true;
  }
  return false;
}

std::optional<int64_t> as_number(const std::string& text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// A converted file has other tensors than the voice; it says what the voice had.
int64_t parameters_of(const tensor::SafeTensors& weights) {
  if (const auto it = weights.metadata().find(kParametersKey); it != weights.metadata().end())
    return as_number(it->second).value_or(0);
  int64_t sum = 0;
  for (const auto& [name, view] : weights.tensors()) sum += view.elements();
  return sum;
}

VoiceInfo describe(const VoiceFiles& f, const fs::path& path) {
  VoiceInfo info;
  info.name = f.config.model_name.empty() ? path.stem().string() : f.config.model_name;
  info.path = path;
  info.version = f.config.version;
  info.sample_rate = static_cast<int>(f.config.sampling_rate);
  info.styles = names_by_id(f.config.style2id, f.styles.shape[0]);
  std::error_code ec;
  info.bytes = static_cast<int64_t>(fs::file_size(f.model_file(), ec));
  if (f.onnx) {
    info.engine = "onnx";
    info.speakers = names_by_id(f.config.spk2id, f.config.n_speakers);
    info.bert_width = f.onnx->bert_width;
    return info;
  }
  info.engine = "native";
  const auto& speakers = f.weights->get("emb_g.weight").shape;
  info.speakers = names_by_id(f.config.spk2id, speakers.empty() ? 0 : speakers[0]);
  info.parameters = parameters_of(*f.weights);
  info.bert_width = model::linear_inputs(*f.weights, "enc_p.bert_proj");
  return info;
}

}  // namespace

VoiceFiles open_voice(const fs::path& path, const std::string& engine) {
  std::error_code ec;
  if (!fs::exists(path, ec))
    throw Error(path.string() + ": there is no such voice folder, .aivm, .aivmx or .onnx file");
  const bool onnx = engine == "onnx" || (engine == "auto" && !has_checkpoint(path) && onnx::holds_onnx_voice(path));
  VoiceFiles files = onnx ? open_onnx(path) : fs::is_directory(path, ec) ? open_folder(path) : open_aivm(path);
  if (files.weights)
    model::check_styles(files.config, files.styles, model::linear_inputs(*files.weights, "enc_p.style_proj"), path);
  // A trailing slash must not cost the voice its name.
  files.info = describe(files, path.has_filename() ? path : path.parent_path());
  return files;
}

int64_t find_id(const std::map<std::string, int64_t>& ids, const std::string& wanted, int64_t count, const char* kind,
                const std::string& voice) {
  if (wanted.empty()) {
    const auto neutral = ids.find("Neutral");
    return neutral == ids.end() ? 0 : neutral->second;
  }
  if (const auto it = ids.find(wanted); it != ids.end()) return it->second;
  if (const auto number = as_number(wanted); number && *number >= 0 && *number < count) return *number;
  std::string known;
  for (const auto& [name, id] : ids) known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", name, id);
  throw Error(fmt::format("{}: voice '{}' has no '{}'; it has {}", kind, voice, wanted, known));
}

}  // namespace hayakoe::engine

namespace hayakoe {

VoiceInfo describe_voice(const std::filesystem::path& path) { return engine::open_voice(path).info; }

}  // namespace hayakoe
