// SPDX-License-Identifier: Apache-2.0
// What every form of a voice has beside its weights: the configuration and the style vectors.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "model/config.hpp"
#include "tensor/npy.hpp"

namespace hayakoe::model {

struct VoiceParts {
  VoiceConfig config;
  tensor::NpyArray styles;  ///< [styles, width]; row 0 is the neutral one
};

/// Reads `config.json` and `style_vectors.npy` of a folder. @throws Error naming the file at fault
VoiceParts read_voice_parts(const std::filesystem::path& folder);

/// The same out of the metadata of an AIVM file; `form` (".aivm", ".aivmx") says in errors what the file should be.
VoiceParts parse_aivm_metadata(const std::map<std::string, std::string>& metadata, const std::filesystem::path& file,
                               const char* form);

/// @throws Error naming `path` unless the style vectors have the width that the network takes, and there is one for
/// every style of the configuration
void check_styles(const VoiceConfig& config, const tensor::NpyArray& styles, int64_t width,
                  const std::filesystem::path& path);

}  // namespace hayakoe::model
