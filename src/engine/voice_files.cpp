// SPDX-License-Identifier: Apache-2.0
#include "engine/voice_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <hayakoe/error.hpp>
#include <optional>
#include <vector>

#include "model/synthesizer.hpp"
#include "tensor/base64.hpp"

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
  const fs::path config = folder / "config.json";
  const fs::path styles = folder / "style_vectors.npy";
  auto parsed = model::VoiceConfig::parse(model::read_text_file(config), config.string());
  return {std::move(parsed), newest_weights(folder), tensor::read_npy(styles), {}};
}

VoiceFiles open_aivm(const fs::path& file) {
  const auto weights = tensor::SafeTensors::open(file);
  const auto metadata = [&](const char* key) -> const std::string& {
    const auto it = weights.metadata().find(key);
    if (it == weights.metadata().end()) {
      throw Error(fmt::format("{}: the metadata has no '{}'; this is not an .aivm voice", file.string(), key));
    }
    return it->second;
  };
  auto config = model::VoiceConfig::parse(metadata("aivm_hyper_parameters"), file.string() + ": aivm_hyper_parameters");
  const std::string name = file.string() + ": aivm_style_vectors";
  return {std::move(config),
          weights,
          tensor::parse_npy(tensor::decode_base64(metadata("aivm_style_vectors"), name), name),
          {}};
}

std::optional<int64_t> as_number(const std::string& text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || stop != end) return std::nullopt;
  return value;
}

void check_styles(const VoiceFiles& f, const fs::path& path) {
  const auto& shape = f.styles.shape;
  const int64_t width = model::linear_inputs(f.weights, "enc_p.style_proj");
  if (shape.size() != 2 || shape[0] < 1 || shape[1] != width) {
    throw Error(fmt::format("{}: the style vectors have shape {}, but the voice needs [styles, {}]", path.string(),
                            tensor::shape_string(shape), width));
  }
  if (shape[0] < f.config.num_styles) {
    throw Error(fmt::format("{}: there are {} style vectors, but config.json names {} styles", path.string(), shape[0],
                            f.config.num_styles));
  }
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
  const auto& speakers = f.weights.get("emb_g.weight").shape;
  info.speakers = names_by_id(f.config.spk2id, speakers.empty() ? 0 : speakers[0]);
  info.parameters = parameters_of(f.weights);
  std::error_code ec;
  info.bytes = static_cast<int64_t>(fs::file_size(f.weights.path(), ec));
  info.bert_width = model::linear_inputs(f.weights, "enc_p.bert_proj");
  return info;
}

}  // namespace

VoiceFiles open_voice(const fs::path& path) {
  std::error_code ec;
  if (!fs::exists(path, ec)) throw Error(path.string() + ": there is no such voice folder or .aivm file");
  VoiceFiles files = fs::is_directory(path, ec) ? open_folder(path) : open_aivm(path);
  check_styles(files, path);
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
