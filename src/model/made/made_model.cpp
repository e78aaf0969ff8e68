// SPDX-License-Identifier: Apache-2.0
#include "model/made/made_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <hayakoe/error.hpp>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "model/config.hpp"
#include "model/made/bert_tensors.hpp"
#include "model/made/config_json.hpp"
#include "model/made/vocabulary.hpp"
#include "model/made/voice_tensors.hpp"
#include "tensor/new_file.hpp"
#include "tensor/npy_writer.hpp"
#include "tensor/safetensors_writer.hpp"

namespace hayakoe::model {
namespace fs = std::filesystem;
namespace {

constexpr std::array<MadeKind, 4> kKinds{{
    {"bert-large", "BERT of 1024 channels and 24 layers, 1.3 GB"},
    {"voice-full", "voice of the usual size at 44.1 kHz, for bert-large"},
    {"bert-tiny", "BERT of 64 channels and 5 layers"},
    {"voice-tiny", "voice of 32 channels at 44.1 kHz, for bert-tiny"},
}};

BertConfig tiny_bert() {
  BertConfig c;
  c.hidden = 64;
  c.layers = 5;
  c.heads = 4;
  c.intermediate = 160;
  return c;
}

// The format's defaults, with names.
VoiceConfig full_voice() {
  VoiceConfig c;
  c.version = "2.7.0-JP-Extra";
  c.model_name = "made";
  c.spk2id = {{"made", 0}};
  c.style2id = {{"Neutral", 0}, {"Bright", 1}, {"Calm", 2}};
  c.num_styles = 3;
  return c;
}

VoiceConfig tiny_voice() {
  VoiceConfig c = full_voice();
  c.n_speakers = 2;
  c.spk2id = {{"made-a", 0}, {"made-b", 1}};
  c.inter_channels = 32;
  c.hidden_channels = 32;
  c.filter_channels = 64;
  c.gin_channels = 48;
  c.upsample_initial_channel = 64;
  return c;
}

// The files of one model. Those that were added go again unless the folder is kept.
class Folder {
 public:
  Folder(fs::path path, std::initializer_list<const char*> names) : path_(std::move(path)) {
    std::error_code ec;
    for (const char* name : names) {
      if (fs::exists(fs::symlink_status(path_ / name, ec))) {
        throw Error(fmt::format("{} is there already; give a folder without a model", (path_ / name).string()));
      }
    }
    created_ = fs::create_directories(path_, ec);
    if (ec) throw Error(fmt::format("cannot make the folder {}: {}", path_.string(), ec.message()));
  }
  ~Folder() {
    if (kept_) return;
    std::error_code ignored;
    for (const fs::path& file : added_) fs::remove(file, ignored);
    if (created_) fs::remove(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // The path of a file that is about to be written.
  fs::path add(const char* name) { return added_.emplace_back(path_ / name); }

  void add_text(const char* name, const std::string& text) {
    tensor::NewFile file(add(name), text.size());
    file.append(std::as_bytes(std::span(text)));
    file.commit();
  }

  void keep() { kept_ = true; }

 private:
  fs::path path_;
  bool created_ = false;
  bool kept_ = false;
  std::vector<fs::path> added_;
};

struct Checkpoint {
  std::vector<MadeTensor> tensors;
  std::optional<int64_t> iteration;  // of the training, which voices store
  std::map<std::string, std::string> metadata;
};

// False if it was stopped.
bool write_weights(const fs::path& path, const Checkpoint& checkpoint, uint64_t seed, const MadeProgress& progress,
                   MadeModel& made) {
  std::vector<tensor::TensorEntry> entries;
  if (checkpoint.iteration) entries.push_back({"iteration", tensor::DType::kI64, {1}});
  for (const MadeTensor& t : checkpoint.tensors) entries.push_back({t.name, tensor::DType::kF32, t.shape});
  tensor::SafeTensorsWriter writer(path, std::move(entries), checkpoint.metadata);
  made.bytes = static_cast<int64_t>(writer.size());
  if (checkpoint.iteration) writer.write("iteration", std::as_bytes(std::span(&*checkpoint.iteration, 1)));

  std::vector<float> values;
  for (const MadeTensor& t : checkpoint.tensors) {
    values.resize(static_cast<size_t>(t.elements()));
    draw(t, seed, values);
    writer.write(t.name, std::as_bytes(std::span(values)));
    made.parameters += t.elements();
    if (!progress(made.parameters * static_cast<int64_t>(sizeof(float)), made.bytes)) return false;
  }
  writer.finish();
  return true;
}

std::vector<float> style_vectors(int64_t styles, uint64_t seed) {
  const MadeTensor table{"style_vectors", {styles, kStyleChannels}, kStyleStd};
  std::vector<float> values(static_cast<size_t>(table.elements()));
  draw(table, seed, values);
  return values;
}

// The configuration comes last: a folder without it is nobody's model.
MadeModel make_bert(const BertConfig& config, uint64_t seed, const fs::path& path, const MadeProgress& progress) {
  Folder folder(path, {"config.json", "vocab.txt", "model.safetensors"});
  MadeModel made;
  const Checkpoint checkpoint{bert_tensors(config), std::nullopt, {{"format", "pt"}}};
  if (!write_weights(folder.add("model.safetensors"), checkpoint, seed, progress, made)) return {};
  folder.add_text("vocab.txt", made_vocabulary(config.vocab));
  folder.add_text("config.json", config_json(config));
  folder.keep();
  return made;
}

MadeModel make_voice(const VoiceConfig& config, int64_t bert_width, uint64_t seed, const fs::path& path,
                     const MadeProgress& progress) {
  Folder folder(path, {"config.json", "style_vectors.npy", "model.safetensors"});
  MadeModel made;
  constexpr int64_t kIteration = 1000;
  const Checkpoint checkpoint{voice_tensors(config, bert_width), kIteration, {}};
  if (!write_weights(folder.add("model.safetensors"), checkpoint, seed, progress, made)) return {};
  tensor::write_npy(folder.add("style_vectors.npy"), std::array{config.num_styles, kStyleChannels},
                    style_vectors(config.num_styles, seed));
  folder.add_text("config.json", config_json(config));
  folder.keep();
  return made;
}

}  // namespace

std::span<const MadeKind> made_kinds() { return kKinds; }

MadeModel make_model(std::string_view kind, uint64_t seed, const fs::path& folder, const MadeProgress& progress) {
  if (kind == "bert-large") return make_bert(BertConfig(), seed, folder, progress);
  if (kind == "voice-full") return make_voice(full_voice(), BertConfig().hidden, seed, folder, progress);
  if (kind == "bert-tiny") return make_bert(tiny_bert(), seed, folder, progress);
  if (kind == "voice-tiny") return make_voice(tiny_voice(), tiny_bert().hidden, seed, folder, progress);
  std::string known;
  for (const MadeKind& k : kKinds) known += fmt::format("{}{}", known.empty() ? "" : ", ", k.name);
  throw Error(fmt::format("there is no kind '{}' of model to make; there are {}", kind, known));
}

}  // namespace hayakoe::model
