// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <hayakoe/hayakoe.hpp>

#include "device/cpu/threads.hpp"
#include "engine/core.hpp"
#include "engine/folders.hpp"
#include "engine/native_voice.hpp"
#include "engine/onnx_place.hpp"
#include "engine/onnx_voice.hpp"
#include "engine/request.hpp"

namespace hayakoe {
namespace engine {

std::shared_ptr<const Network> VoiceCore::network() const {
  const std::lock_guard lock(mutex_);
  if (network_) return network_;
  const int64_t width = files_.info.bert_width;
  const auto& device = shared_->device;
  const std::filesystem::path folder =
      shared_->options.bert.empty() ? find_bert(files_.info.path, width) : shared_->options.bert;
  const device::Precision& precision = shared_->precision;
  const int threads = shared_->options.threads > 0 ? shared_->options.threads : device::available_threads();
  auto bert = BertPool::get(folder, device, precision.bert, shared_->options.engine, threads);
  if (width != 0 && bert->width() != width) {
    throw Error(
        fmt::format("{}: the voice takes BERT features of {} channels, but the BERT in {} makes {}; give the BERT that "
                    "the voice was trained with",
                    files_.info.path.string(), width, folder.string(), bert->width()));
  }
  const bool any_onnx = files_.onnx || bert->is_onnx();
  const OnnxPlace place = any_onnx ? onnx_place(*device) : OnnxPlace();
  std::string warning;
  if (!place.why_not.empty()) {
    warning = fmt::format("{}: ONNX models run on the CPU: {}{}", files_.info.name, place.why_not,
                          files_.onnx ? "; a checkpoint of the same voice would run on the GPU" : "");
  }
  auto voice = files_.onnx ? open_onnx_voice(files_, {.threads = threads, .cuda = place.cuda})
                           : open_native_voice(files_, device, precision.voice);
  network_ = std::make_shared<const Network>(Network{std::move(bert), std::move(voice), std::move(warning)});
  return network_;
}

}  // namespace engine

Voice::Voice(std::shared_ptr<const engine::VoiceCore> core) : core_(std::move(core)) {}

const VoiceInfo& Voice::info() const { return core_->files().info; }

Audio Voice::generate(std::string_view text, const SpeakOptions& options) const {
  engine::Request request(*core_, text, options, engine::Delivery::kWhole);
  Audio all;
  while (auto chunk = request.next()) {
    all.samples.insert(all.samples.end(), chunk->samples.begin(), chunk->samples.end());
    std::move(chunk->sentences.begin(), chunk->sentences.end(), std::back_inserter(all.sentences));
    std::move(chunk->warnings.begin(), chunk->warnings.end(), std::back_inserter(all.warnings));
  }
  all.sample_rate = info().sample_rate;
  all.stats = request.stats();
  all.sentences_total = request.sentences_total();
  return all;
}

Stats Voice::stream(std::string_view text, const SpeakOptions& options, const Callback& callback) const {
  engine::Request request(*core_, text, options,
                          options.low_latency ? engine::Delivery::kStream : engine::Delivery::kWhole);
  while (auto chunk = request.next()) {
    if (!callback(*chunk)) break;
  }
  return request.stats();
}

}  // namespace hayakoe
