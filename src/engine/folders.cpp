// SPDX-License-Identifier: Apache-2.0
#include "engine/folders.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <hayakoe/error.hpp>
#include <set>

#include "model/config.hpp"
#include "onnx/bert_package.hpp"

namespace hayakoe::engine {
namespace fs = std::filesystem;
namespace {

fs::path environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fs::path() : fs::path(value);
}

// The file that this code runs from: the program, or libhayakoe.so.
fs::path own_file() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&box_folder), &info) != 0 && info.dli_fname != nullptr) {
    std::error_code ec;
    fs::path file = fs::canonical(info.dli_fname, ec);
    if (!ec) return file;
    fs::path self = fs::canonical("/proc/self/exe", ec);
    if (!ec) return self;
  }
  return {};
}

// Entries of a folder in a fixed order; none if it cannot be read.
std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ec;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) found.push_back(it->path());
  std::sort(found.begin(), found.end());
  return found;
}

bool there(const fs::path& path) {
  std::error_code ec;
  return fs::exists(path, ec);
}

bool is_voice_file(const fs::path& path) {
  const fs::path extension = path.extension();
  return extension == ".aivm" || extension == ".aivmx" || extension == ".onnx";
}

bool has_weights(const fs::path& folder) {
  const auto files = entries(folder);
  return std::any_of(files.begin(), files.end(),
                     [](const fs::path& f) { return f.extension() == ".safetensors" || f.extension() == ".onnx"; });
}

// Width of a BERT that only its ONNX graph tells.
constexpr int64_t kUnknownWidth = -1;

// Width of the BERT in a folder; 0 if there is none that could be used.
int64_t bert_width(const fs::path& folder) {
  if (!there(folder / "vocab.txt")) return 0;
  if (!there(folder / "config.json")) return onnx::holds_onnx_bert(folder) ? kUnknownWidth : 0;
  try {
    const fs::path config = folder / "config.json";
    return model::BertConfig::parse(model::read_text_file(config), config.string()).hidden;
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace

fs::path user_data_folder() {
  if (const fs::path xdg = environment("XDG_DATA_HOME"); !xdg.empty()) return xdg / "hayakoe";
  if (const fs::path home = environment("HOME"); !home.empty()) return home / ".local" / "share" / "hayakoe";
  return {};
}

fs::path box_folder() {
  const fs::path own = own_file();
  if (own.empty()) return {};
  constexpr int kLevels = 5;  // deep enough for build/<preset>/src/cli and lib/<triplet>
  fs::path at = own.parent_path();
  for (int i = 0; i < kLevels; ++i, at = at.parent_path()) {
    for (const char* place : {"share/hayakoe/voices", "voices"}) {
      if (there(at / place / "demo" / "config.json")) return at / place;
    }
  }
  return {};
}

bool is_voice(const fs::path& path) {
  std::error_code ec;
  if (fs::is_regular_file(path, ec)) return is_voice_file(path);
  // A BERT folder has both files too; its vocabulary tells it apart.
  return there(path / "config.json") && has_weights(path) && !there(path / "vocab.txt");
}

std::vector<fs::path> voice_folders(const fs::path& first) {
  std::vector<fs::path> folders;
  const fs::path user = user_data_folder();
  for (const fs::path& f :
       {first, environment("HAYAKOE_VOICES"), user.empty() ? user : user / "voices", box_folder()}) {
    if (!f.empty() && std::find(folders.begin(), folders.end(), f) == folders.end()) folders.push_back(f);
  }
  return folders;
}

fs::path find_voice(const std::string& name_or_path, const fs::path& first) {
  if (name_or_path.empty()) throw Error("voice: the name is empty");
  const bool looks_like_path = name_or_path.find('/') != std::string::npos || is_voice_file(name_or_path);
  if (looks_like_path || is_voice(name_or_path)) return name_or_path;
  std::string searched;
  for (const fs::path& folder : voice_folders(first)) {
    for (const fs::path& candidate :
         {folder / name_or_path, folder / (name_or_path + ".aivm"), folder / (name_or_path + ".aivmx")}) {
      if (is_voice(candidate)) return candidate;
    }
    searched += (searched.empty() ? "" : ", ") + folder.string();
  }
  throw Error(fmt::format(
      "voice: there is no '{}' in {}; give the path of a voice folder or .aivm file, or see 'hayakoe voices'",
      name_or_path, searched.empty() ? "any voice folder" : searched));
}

std::vector<fs::path> list_voices(const fs::path& first) {
  std::vector<fs::path> found;
  std::set<std::string> names;
  for (const fs::path& folder : voice_folders(first)) {
    for (const fs::path& entry : entries(folder)) {
      // A folder may have a dot in its name; only these are extensions here.
      const fs::path name = is_voice_file(entry) ? entry.stem() : entry.filename();
      if (is_voice(entry) && names.insert(name.string()).second) found.push_back(entry);
    }
  }
  return found;
}

fs::path find_bert(const fs::path& voice, int64_t width) {
  std::error_code ec;
  const fs::path absolute = fs::absolute(voice, ec).lexically_normal();
  const fs::path folder = fs::is_directory(absolute, ec) ? absolute : absolute.parent_path();
  const fs::path beside = fs::is_directory(absolute, ec) && absolute.has_filename() ? absolute.parent_path() : folder;
  std::vector<fs::path> candidates{folder / "bert", beside / (absolute.stem().string() + "-bert")};
  const auto add_named_bert = [&](const fs::path& where) {
    for (const fs::path& entry : entries(where)) {
      if (entry.filename().string().find("bert") != std::string::npos) candidates.push_back(entry);
    }
  };
  add_named_bert(beside);
  if (const fs::path given = environment("HAYAKOE_BERT"); !given.empty()) candidates.push_back(given);
  if (const fs::path user = user_data_folder(); !user.empty()) candidates.push_back(user / "bert");
  if (const fs::path box = box_folder(); !box.empty()) add_named_bert(box);

  // HayaKoe keeps its voices in onnx/speakers/NAME and their BERT in onnx/bert/q8.
  for (const fs::path& place : {beside.parent_path() / "bert" / "q8", beside.parent_path() / "bert"})
    candidates.push_back(place);
  std::string seen;
  fs::path perhaps;
  for (const fs::path& candidate : candidates) {
    const int64_t found = bert_width(candidate);
    if (found == width || (found > 0 && width == 0)) return candidate;
    if (found == kUnknownWidth && perhaps.empty()) perhaps = candidate;
    if (found > 0) seen += fmt::format("; {} has {}", candidate.string(), found);
  }
  if (!perhaps.empty()) return perhaps;
  throw Error(
      fmt::format("voice {}: needs a BERT with {} channels{}, and none was found{}; give its folder (--bert DIR or "
                  "$HAYAKOE_BERT: config.json, vocab.txt, model.safetensors)",
                  voice.string(), width, width == 1024 ? " (ku-nlp/deberta-v2-large-japanese-char-wwm)" : "", seen));
}

}  // namespace hayakoe::engine
