// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_fresh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <hayakoe/error.hpp>
#include <utility>

#include "cli/bench_json.hpp"
#include "cli/bench_texts.hpp"
#include "device/cpu/threads.hpp"
#include "engine/bert_pool.hpp"
#include "engine/folders.hpp"
#include "engine/options.hpp"

namespace hayakoe::cli {
namespace {

// The program's own command line for a measurement in a new process.
std::vector<std::string> arguments(const char* what, const BenchSetup& s) {
  std::vector<std::string> all{"bench",
                               what,
                               "--here",
                               "--voice=" + s.voice.string(),
                               "--device=" + s.engine.device,
                               "--precision=" + s.engine.precision,
                               fmt::format("--threads={}", s.engine.threads),
                               fmt::format("--sentences={}", fmt::join(s.sizes, ","))};
  if (!s.engine.bert.empty()) all.push_back("--bert=" + s.engine.bert.string());
  return all;
}

// Notes the memory after each step, and the peak on the way.
class MemoryLog {
 public:
  /// From now on also the memory of this device.
  void watch(std::shared_ptr<device::Device> device) {
    device_ = std::move(device);
    stream_ = device_->stream();
  }

  template <typename Step>
  void after(std::string state, const Step& step) {
    reset_peak();
    step();
    MemoryState now = memory_now();
    now.state = std::move(state);
    // A stream that has done nothing holds nothing on the CPU, and knows what all streams hold on a GPU.
    if (device_) now.device_bytes = device_->weight_bytes() + stream_->arena_bytes();
    states_.push_back(std::move(now));
  }

  [[nodiscard]] const MemoryState& last() const { return states_.back(); }
  [[nodiscard]] std::vector<MemoryState> states() && { return std::move(states_); }

 private:
  std::shared_ptr<device::Device> device_;
  std::unique_ptr<device::Stream> stream_;
  std::vector<MemoryState> states_;
};

void speak_at_once(const std::vector<Voice>& voices, const std::string& text) {
  std::vector<std::future<void>> all;
  for (const Voice& voice : voices) {
    all.push_back(std::async(std::launch::async, [&voice, &text] { (void)voice.generate(text); }));
  }
  for (std::future<void>& one : all) one.get();
}

}  // namespace

std::string memory_here(const BenchSetup& setup) {
  constexpr int kVoices = 4;
  const std::string text = bench_text(setup.long_sentences());
  MemoryResult result;
  MemoryLog log;
  log.after("start", [] {});

  std::shared_ptr<const engine::LoadedBert> bert;
  log.after("BERT", [&] {
    const auto folder = setup.engine.bert.empty()
                            ? engine::find_bert(setup.voice, describe_voice(setup.voice).bert_width)
                            : setup.engine.bert;
    const auto device = engine::open_device(setup.engine);
    log.watch(device);
    bert = engine::BertPool::get(folder, device, device->precision(setup.engine.precision).bert, setup.engine.engine,
                                 setup.engine.threads > 0 ? setup.engine.threads : device::available_threads());
  });

  Engine engine(setup.engine);
  std::vector<Voice> voices;
  const auto load = [&](int count) {
    while (std::cmp_less(voices.size(), count)) {
      voices.push_back(engine.load(fmt::format("voice {}", voices.size() + 1), setup.voice));
    }
    engine.prepare();
  };
  log.after("1 voice", [&] { load(1); });
  log.after("it speaks", [&] { (void)voices.front().generate(text); });
  const MemoryState with_one = log.last();
  log.after("4 voices", [&] { load(kVoices); });
  log.after("the new ones speak", [&] {
    for (size_t i = 1; i < voices.size(); ++i) (void)voices[i].generate(text);
  });
  result.further_voice_bytes = (log.last().resident_bytes - with_one.resident_bytes) / (kVoices - 1);
  result.further_voice_device_bytes = (log.last().device_bytes - with_one.device_bytes) / (kVoices - 1);
  log.after("all speak at once", [&] { speak_at_once(voices, text); });
  result.states = std::move(log).states();
  return to_line(to_json(result));
}

MemoryResult measure_memory(const BenchSetup& setup) {
  tell("memory: in a fresh process");
  return memory_from_json(Json::parse(run_self(arguments("memory", setup))));
}

namespace {

// Nanoseconds on a clock that every process of the machine shares.
int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double seconds_between(int64_t from, int64_t to) { return 1e-9 * static_cast<double>(to - from); }

}  // namespace

std::string load_here(const BenchSetup& setup) {
  Json at;
  at["entered"] = now();
  Engine engine(setup.engine);
  const Voice voice = engine.load("voice", setup.voice);
  at["opened"] = now();
  engine.prepare();
  at["prepared"] = now();
  voice.stream(short_text(), {}, [&](const Audio&) {
    at["spoken"] = now();
    return false;
  });
  return to_line(at);
}

LoadResult measure_load(const BenchSetup& setup) {
  tell("load: in fresh processes");
  std::vector<LoadResult> runs;
  for (int run = -std::max(1, setup.warmups); run < setup.repeats; ++run) {  // one at least: it fills the page cache
    const int64_t started = now();
    const Json at = Json::parse(run_self(arguments("load", setup)));
    const auto step = [&](const char* key) { return at.at(key).get<int64_t>(); };
    const LoadResult r{seconds_between(started, step("entered")), seconds_between(step("entered"), step("opened")),
                       seconds_between(step("opened"), step("prepared")),
                       seconds_between(step("prepared"), step("spoken")), seconds_between(started, step("spoken"))};
    if (run >= 0) runs.push_back(r);
  }
  return {median_of(runs, &LoadResult::process_seconds), median_of(runs, &LoadResult::open_seconds),
          median_of(runs, &LoadResult::prepare_seconds), median_of(runs, &LoadResult::speak_seconds),
          median_of(runs, &LoadResult::total_seconds)};
}

}  // namespace hayakoe::cli
