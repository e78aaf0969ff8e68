// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <hayakoe/hayakoe.hpp>

#include "engine/core.hpp"
#include "engine/options.hpp"

namespace hayakoe {
namespace engine {

StreamPool::Lease StreamPool::lease() {
  std::unique_ptr<device::Stream> stream;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      stream = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!stream) stream = device_->stream();
  stream->reset_transfers();
  return {stream.release(), [this](device::Stream* s) {
            std::unique_ptr<device::Stream> back(s);
            const std::lock_guard lock(mutex_);
            idle_.push_back(std::move(back));
          }};
}

Shared::Shared(const EngineOptions& o)
    : options((check(o), o)),
      device(open_device(o)),
      precision(device->precision(o.precision)),
      frontend(text::FrontendOptions{.dictionary = o.dictionary, .english = o.english}),
      streams(device) {}

}  // namespace engine

namespace {

std::vector<Voice> registered(engine::EngineCore& core) {
  const std::lock_guard lock(core.voices_mutex);
  std::vector<Voice> all;
  for (const auto& [name, voice] : core.voices) all.push_back(voice);
  return all;
}

}  // namespace

Engine::Engine(const EngineOptions& options) : core_(std::make_shared<engine::EngineCore>(options)) {}

Voice Engine::load(const std::string& name, const std::filesystem::path& path) {
  // Opened outside the lock: others go on speaking, and a broken folder changes nothing.
  Voice voice(
      std::make_shared<engine::VoiceCore>(core_->shared, engine::open_voice(path, core_->shared->options.engine)));
  const std::lock_guard lock(core_->voices_mutex);
  core_->voices.insert_or_assign(name, voice);
  return voice;
}

void Engine::prepare(bool warm_up) {
  for (const Voice& voice : registered(*core_)) {
    (void)voice.core_->network();
    if (warm_up) (void)voice.generate("こんにちは。");
  }
}

Voice Engine::voice(const std::string& name) const {
  const std::lock_guard lock(core_->voices_mutex);
  if (const auto it = core_->voices.find(name); it != core_->voices.end()) return it->second;
  std::string known;
  for (const auto& [other, voice] : core_->voices) known += (known.empty() ? "" : ", ") + other;
  throw Error(fmt::format("voice: there is no '{}'; loaded are: {}", name, known.empty() ? "none" : known));
}

void Engine::add_word(const UserWord& word) {
  core_->shared->frontend.add_word({word.surface, word.reading, word.accent, word.priority});
}

bool Engine::remove_word(const std::string& surface) { return core_->shared->frontend.remove_word(surface); }

std::vector<UserWord> Engine::words() const {
  std::vector<UserWord> out;
  for (const text::UserWord& w : core_->shared->frontend.words())
    out.push_back({w.surface, w.reading, w.accent, w.priority});
  return out;
}

void Engine::load_words(const std::filesystem::path& path) { core_->shared->frontend.load_words(path); }

std::string Engine::device() const {
  return fmt::format("{} ({})", core_->shared->device->name(), core_->shared->device->details());
}

int64_t Engine::loaded_berts() { return engine::BertPool::count(); }

std::string_view version() { return HAYAKOE_VERSION; }

}  // namespace hayakoe
