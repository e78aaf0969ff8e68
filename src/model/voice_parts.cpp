// SPDX-License-Identifier: Apache-2.0
#include "model/voice_parts.hpp"

#include <fmt/format.h>

#include <hayakoe/error.hpp>

#include "tensor/array.hpp"
#include "tensor/base64.hpp"

namespace hayakoe::model {
namespace fs = std::filesystem;

VoiceParts read_voice_parts(const fs::path& folder) {
  const fs::path config = folder / "config.json";
  auto parsed = VoiceConfig::parse(read_text_file(config), config.string());
  return {std::move(parsed), tensor::read_npy(folder / "style_vectors.npy")};
}

VoiceParts parse_aivm_metadata(const std::map<std::string, std::string>& metadata, const fs::path& file,
                               const char* form) {
  const auto entry = [&](const char* key) -> const std::string& {
    const auto it = metadata.find(key);
    if (it == metadata.end())
      throw Error(fmt::format("{}: the metadata has no '{}'; this is not an {} voice", file.string(), key, form));
    return it->second;
  };
  auto config = VoiceConfig::parse(entry("aivm_hyper_parameters"), file.string() + ": aivm_hyper_parameters");
  const std::string name = file.string() + ": aivm_style_vectors";
  return {std::move(config), tensor::parse_npy(tensor::decode_base64(entry("aivm_style_vectors"), name), name)};
}

void check_styles(const VoiceConfig& config, const tensor::NpyArray& styles, int64_t width, const fs::path& path) {
  const auto& shape = styles.shape;
  if (shape.size() != 2 || shape[0] < 1 || shape[1] != width) {
    throw Error(fmt::format("{}: the style vectors have shape {}, but the voice needs [styles, {}]", path.string(),
                            tensor::shape_string(shape), width));
  }
  if (shape[0] < config.num_styles) {
    throw Error(fmt::format("{}: there are {} style vectors, but config.json names {} styles", path.string(), shape[0],
                            config.num_styles));
  }
}

}  // namespace hayakoe::model
