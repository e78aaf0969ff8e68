// SPDX-License-Identifier: Apache-2.0
// Writes a voice or a BERT in the form in which the engine keeps it, so that loading is mapping.
#include <fmt/format.h>

#include <algorithm>
#include <hayakoe/error.hpp>
#include <hayakoe/hayakoe.hpp>
#include <vector>

#include "engine/options.hpp"
#include "engine/voice_files.hpp"
#include "model/bert.hpp"
#include "model/synthesizer.hpp"
#include "tensor/npy_writer.hpp"
#include "tensor/safetensors_writer.hpp"

namespace hayakoe {
namespace engine {
namespace {
namespace fs = std::filesystem;

using device::WeightType;
using tensor::DType;

DType dtype_of(WeightType type) {
  switch (type) {
    case WeightType::kF32:
    case WeightType::kTF32:
      return DType::kF32;
    case WeightType::kF16:
      return DType::kF16;
    case WeightType::kBF16:
      return DType::kBF16;
    case WeightType::kInt8:
      return DType::kI8;
  }
  return DType::kF32;
}

// Keeps everything that a model reads, and writes it to a file.
class Collector final : public model::WeightSink {
 public:
  void constant(const std::string& name, std::span<const float> values, int64_t rows, int64_t cols) override {
    auto owner = std::make_shared<std::vector<float>>(values.begin(), values.end());
    const auto bytes = std::as_bytes(std::span<const float>(*owner));
    pieces_.push_back({{name, DType::kF32, {rows, cols}}, bytes, std::move(owner)});
  }

  void packed(const std::string& name, std::shared_ptr<const device::Packed> weights) override {
    const device::PackedParts parts = weights->parts();
    const auto add = [&](const char* leaf, DType type, int64_t size, std::span<const std::byte> bytes) {
      if (!bytes.empty()) pieces_.push_back({{fmt::format("{}.{}", name, leaf), type, {size}}, bytes, weights});
    };
    const DType type = dtype_of(parts.type);
    const auto each = static_cast<int64_t>(tensor::dtype_size(type));
    add("panels", type, static_cast<int64_t>(parts.panels.size()) / each, parts.panels);
    add("scales", DType::kF32, static_cast<int64_t>(parts.scales.size()), std::as_bytes(parts.scales));
    add("bias", DType::kF32, static_cast<int64_t>(parts.bias.size()), std::as_bytes(parts.bias));
  }

  void write(const fs::path& path, const tensor::SafeTensors& source, const std::string& precision) {
    // Wide types first: then every tensor is aligned and can be used where it is mapped.
    std::stable_sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) {
      return tensor::dtype_size(a.entry.dtype) > tensor::dtype_size(b.entry.dtype);
    });
    std::vector<tensor::TensorEntry> entries;
    for (const Piece& p : pieces_) entries.push_back(p.entry);
    int64_t parameters = 0;
    for (const auto& [name, view] : source.tensors()) parameters += view.elements();
    std::map<std::string, std::string> metadata{{model::kConvertedKey, model::kConvertedVersion},
                                                {"hayakoe.precision", precision},
                                                {kParametersKey, std::to_string(parameters)}};
    // Says who made the voice and what it may be used for.
    if (const auto it = source.metadata().find("aivm_manifest"); it != source.metadata().end()) metadata.insert(*it);
    tensor::SafeTensorsWriter writer(path, entries, metadata);
    for (const Piece& p : pieces_) writer.write(p.entry.name, p.bytes);
    writer.finish();
  }

 private:
  struct Piece {
    tensor::TensorEntry entry;
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
  };
  std::vector<Piece> pieces_;
};

// The two files would otherwise be one and the same, or one of two models in a folder.
void check_target(const fs::path& from, const fs::path& to) {
  std::error_code ec;
  if (fs::exists(to, ec) && fs::equivalent(from, to, ec))
    throw Error(to.string() + ": this is the folder to convert; give another one");
  for (const char* name : {"config.json", "model.safetensors"}) {
    if (fs::exists(to / name, ec)) throw Error((to / name).string() + ": is there already; give a new folder");
  }
  fs::create_directories(to, ec);
  if (ec) throw Error(fmt::format("{}: cannot be made: {}", to.string(), ec.message()));
}

void check_source(const tensor::SafeTensors& file) {
  if (model::is_converted(file))
    throw Error(file.path().string() + ": is converted already; convert the original folder instead");
}

void copy_one(const fs::path& from, const fs::path& to) {
  std::error_code ec;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, ec);
  if (ec) throw Error(fmt::format("{}: cannot be copied to {}: {}", from.string(), to.string(), ec.message()));
}

// Licences and descriptions belong to the model.
void copy_papers(const fs::path& from, const fs::path& to) {
  std::error_code ec;
  for (fs::directory_iterator it(from, ec), end; !ec && it != end; it.increment(ec)) {
    const std::string name = it->path().filename().string();
    const std::string kind = it->path().extension().string();
    const bool paper = kind == ".md" || (kind == ".txt" && name != "vocab.txt") || name.starts_with("LICEN") ||
                       name.starts_with("NOTICE");
    if (paper && it->is_regular_file(ec)) copy_one(it->path(), to / name);
  }
}

void write_text(const fs::path& path, const std::string& text) {
  tensor::NewFile file(path, text.size());
  file.append(std::as_bytes(std::span<const char>(text)));
  file.commit();
}

void convert_bert(const fs::path& from, const fs::path& to, const std::string& precision) {
  const auto file = tensor::SafeTensors::open(from / "model.safetensors");
  check_source(file);
  check_target(from, to);
  Collector collector;
  const auto device = device::open_device("cpu", 0);
  const model::Bert bert(from, device, device->precision(precision).bert, &collector);
  collector.write(to / "model.safetensors", file, precision);
  copy_one(from / "vocab.txt", to / "vocab.txt");
  copy_papers(from, to);
  // Last: a folder with a configuration is a whole one.
  copy_one(from / "config.json", to / "config.json");
}

void convert_voice(const fs::path& from, const fs::path& to, const std::string& precision) {
  const VoiceFiles files = open_voice(from);
  if (!files.weights)
    throw Error(fmt::format("{}: ONNX voices cannot be converted; only checkpoints can", from.string()));
  check_source(*files.weights);
  check_target(from, to);
  Collector collector;
  const auto device = device::open_device("cpu", 0);
  const model::Synthesizer synthesizer(files.config, *files.weights, device, device->precision(precision).voice,
                                       &collector);
  const fs::path name = files.weights->path().stem().string() + ".safetensors";
  collector.write(to / name, *files.weights, precision);
  tensor::write_npy(to / "style_vectors.npy", files.styles.shape, files.styles.values);
  std::error_code ec;
  if (fs::is_directory(from, ec)) {
    copy_papers(from, to);
    copy_one(from / "config.json", to / "config.json");
  } else {
    write_text(to / "config.json", files.weights->metadata().at("aivm_hyper_parameters"));
  }
}

}  // namespace
}  // namespace engine

void convert(const std::filesystem::path& from, const std::filesystem::path& to, const std::string& precision) {
  std::error_code ec;
  if (std::filesystem::exists(from / "vocab.txt", ec)) {
    engine::convert_bert(from, to, precision);
  } else {
    engine::convert_voice(from, to, precision);
  }
}

}  // namespace hayakoe
