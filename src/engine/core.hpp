// SPDX-License-Identifier: Apache-2.0
// What stands behind the public handles.
#pragma once

#include <functional>
#include <hayakoe/hayakoe.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "engine/bert_pool.hpp"
#include "engine/speech.hpp"
#include "engine/voice_files.hpp"
#include "text/frontend.hpp"

namespace hayakoe::engine {

/// Streams that wait for their next request: their arenas are warm.
class StreamPool {
 public:
  explicit StreamPool(std::shared_ptr<device::Device> device) : device_(std::move(device)) {}

  /// A stream for one request; it comes back when the pointer goes.
  using Lease = std::unique_ptr<device::Stream, std::function<void(device::Stream*)>>;
  [[nodiscard]] Lease lease();

 private:
  std::shared_ptr<device::Device> device_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<device::Stream>> idle_;
};

/// The models of a voice, and the BERT that it shares.
struct Network {
  std::shared_ptr<const LoadedBert> bert;
  std::unique_ptr<const VoiceModel> voice;
  std::string warning;  ///< that every request is to give: of models that do not run on the device that was asked for
};

/// What an engine and its voices share. It does not know the voices, so that it can outlive the engine with them.
struct Shared {
  explicit Shared(const EngineOptions& options);

  const EngineOptions options;
  const std::shared_ptr<device::Device> device;
  const device::Precision precision;
  text::Frontend frontend;
  StreamPool streams;
};

class EngineCore {
 public:
  explicit EngineCore(const EngineOptions& options) : shared(std::make_shared<Shared>(options)) {}

  const std::shared_ptr<Shared> shared;
  std::mutex voices_mutex;
  std::map<std::string, Voice> voices;
};

class VoiceCore {
 public:
  VoiceCore(std::shared_ptr<Shared> shared, VoiceFiles files) : shared_(std::move(shared)), files_(std::move(files)) {}

  [[nodiscard]] Shared& shared() const { return *shared_; }
  [[nodiscard]] const VoiceFiles& files() const { return files_; }
  /// The weights, read at the first call; every caller of that time waits for it. @throws Error
  [[nodiscard]] std::shared_ptr<const Network> network() const;

 private:
  std::shared_ptr<Shared> shared_;
  VoiceFiles files_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Network> network_;
};

}  // namespace hayakoe::engine
