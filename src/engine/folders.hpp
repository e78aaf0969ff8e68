// SPDX-License-Identifier: Apache-2.0
// Where voices and BERTs are looked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hayakoe::engine {

/// $XDG_DATA_HOME/hayakoe, else ~/.local/share/hayakoe; empty if neither can be told.
std::filesystem::path user_data_folder();

/// The folder with the voice in the box: `share/hayakoe/voices` of the installation that this program belongs to, or
/// the one that a build tree links to; empty if there is none.
std::filesystem::path box_folder();

/// True for a voice folder (a config.json and a *.safetensors or *.onnx) or an .aivm, .aivmx or .onnx file.
bool is_voice(const std::filesystem::path& path);

/// Folders of voices in the order in which they are searched: `first` (may be empty), $HAYAKOE_VOICES, `voices` in the
/// user's data folder, the box.
std::vector<std::filesystem::path> voice_folders(const std::filesystem::path& first);

/// A voice by path, or by name in voice_folders(first). @throws Error listing where it was looked for
std::filesystem::path find_voice(const std::string& name_or_path, const std::filesystem::path& first);

/// Every voice in voice_folders(first), sorted, each name once.
std::vector<std::filesystem::path> list_voices(const std::filesystem::path& first);

/// The BERT folder of a voice whose projection takes `width` channels; see Engine::load(). @throws Error listing what
/// was found and what would be right
std::filesystem::path find_bert(const std::filesystem::path& voice, int64_t width);

}  // namespace hayakoe::engine
