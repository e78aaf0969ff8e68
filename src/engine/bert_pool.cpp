// SPDX-License-Identifier: Apache-2.0
#include "engine/bert_pool.hpp"

#include <fmt/format.h>

#include <hayakoe/error.hpp>
#include <map>
#include <mutex>
#include <optional>

#include "engine/onnx_place.hpp"
#include "model/flops.hpp"

namespace hayakoe::engine {
namespace {

struct Pool {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<const LoadedBert>> berts;
};

Pool& pool() {
  static Pool instance;
  return instance;
}

}  // namespace

LoadedBert::LoadedBert(const std::filesystem::path& path, const std::shared_ptr<device::Device>& device,
                       device::WeightType type)
    : folder(path), model(model::Bert(path, device, type)), tokenizer(path / "vocab.txt") {
  const int64_t vocabulary = std::get<model::Bert>(model).config().vocab;
  if (tokenizer.vocabulary_size() > vocabulary) {
    throw Error((path / "vocab.txt").string() + ": has " + std::to_string(tokenizer.vocabulary_size()) +
                " tokens, but the model has embeddings for " + std::to_string(vocabulary));
  }
}

LoadedBert::LoadedBert(const onnx::BertPackage& package, const onnx::SessionOptions& options)
    : folder(package.model.parent_path()), model(onnx::Bert(package.model, options)), tokenizer(package.vocab) {}

device::Tensor LoadedBert::features(device::Stream& stream, const device::Tensor& ids, const device::Segments& tokens,
                                    const std::vector<std::vector<int>>& sequences) const {
  if (const auto* native = std::get_if<model::Bert>(&model)) return native->forward(stream, ids, tokens);
  const onnx::BertRows rows = std::get<onnx::Bert>(model).encode(sequences);
  return stream.upload(std::span<const float>(rows.values), tokens.rows(), rows.width);
}

onnx::Features LoadedBert::onnx_features(const std::vector<std::vector<int>>& sequences) const {
  return std::get<onnx::Bert>(model).encode_on_device(sequences);
}

int64_t LoadedBert::width() const {
  if (const auto* native = std::get_if<model::Bert>(&model)) return native->config().hidden;
  return std::get<onnx::Bert>(model).width();
}

int64_t LoadedBert::flops(const device::Segments& tokens) const {
  const auto* native = std::get_if<model::Bert>(&model);
  return native == nullptr ? 0 : model::bert_flops(native->config(), tokens);
}

std::shared_ptr<const LoadedBert> BertPool::get(const std::filesystem::path& folder,
                                                const std::shared_ptr<device::Device>& device, device::WeightType type,
                                                const std::string& engine, int threads) {
  std::error_code ec;
  const auto canonical = std::filesystem::weakly_canonical(folder, ec);
  const bool checkpoint = std::filesystem::exists(folder / "model.safetensors", ec);
  const bool onnx = engine == "onnx" || (engine == "auto" && !checkpoint);
  const bool use_onnx = onnx && onnx::holds_onnx_bert(folder);
  const std::optional<int> gpu = use_onnx ? onnx_place(*device).cuda : std::nullopt;
  const std::string kind = use_onnx ? fmt::format("onnx:{}", gpu.value_or(-1))
                                    : fmt::format("{}:{}", device->name(), static_cast<int>(type));
  const std::string key = fmt::format("{}:{}", kind, (ec ? folder : canonical).string());
  // Held while reading, so that two voices that ask at once read it once.
  const std::lock_guard lock(pool().mutex);
  auto& slot = pool().berts[key];
  if (auto held = slot.lock()) return held;
  const onnx::SessionOptions options{.threads = threads, .cuda = gpu};
  auto fresh = use_onnx ? std::make_shared<const LoadedBert>(onnx::find_bert_package(folder), options)
                        : std::make_shared<const LoadedBert>(folder, device, type);
  slot = fresh;
  return fresh;
}

int64_t BertPool::count() {
  const std::lock_guard lock(pool().mutex);
  int64_t n = 0;
  for (const auto& [key, bert] : pool().berts) n += bert.expired() ? 0 : 1;
  return n;
}

}  // namespace hayakoe::engine
