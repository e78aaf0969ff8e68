// SPDX-License-Identifier: Apache-2.0
#include "engine/bert_pool.hpp"

#include <fmt/format.h>

#include <hayakoe/error.hpp>
#include <map>
#include <mutex>

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
    : folder(path), model(path, device, type), tokenizer(path / "vocab.txt") {
  if (tokenizer.vocabulary_size() > model.config().vocab) {
    throw Error((path / "vocab.txt").string() + ": has " + std::to_string(tokenizer.vocabulary_size()) +
                " tokens, but the model has embeddings for " + std::to_string(model.config().vocab));
  }
}

std::shared_ptr<const LoadedBert> BertPool::get(const std::filesystem::path& folder,
                                                const std::shared_ptr<device::Device>& device,
                                                device::WeightType type) {
  std::error_code ec;
  const auto canonical = std::filesystem::weakly_canonical(folder, ec);
  const std::string key =
      fmt::format("{}:{}:{}", device->name(), static_cast<int>(type), (ec ? folder : canonical).string());
  // Held while reading, so that two voices that ask at once read it once.
  const std::lock_guard lock(pool().mutex);
  auto& slot = pool().berts[key];
  if (auto held = slot.lock()) return held;
  auto fresh = std::make_shared<const LoadedBert>(folder, device, type);
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
