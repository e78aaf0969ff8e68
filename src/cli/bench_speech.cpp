// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_speech.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <random>
#include <span>
#include <string>

#include "cli/bench_texts.hpp"
#include "engine/exact_stages.hpp"
#include "engine/options.hpp"

namespace hayakoe::cli {

const char* name_of(device::WeightType type) {
  switch (type) {
    case device::WeightType::kF32:
      return "f32";
    case device::WeightType::kF16:
      return "f16";
    case device::WeightType::kBF16:
      return "bf16";
    case device::WeightType::kInt8:
      return "int8";
    case device::WeightType::kTF32:
      return "tf32";
  }
  return "";
}

namespace {

void tell_text(const char* measurement, int sentences, int64_t length) {
  tell(fmt::format("{}: {} sentence{}, {} characters", measurement, sentences, sentences == 1 ? "" : "s", length));
}

SpeakingCost speak_all(const Voice& voice, const std::vector<std::string>& texts) {
  SpeakingCost cost;
  cost.total_seconds = seconds_of([&] {
    for (const std::string& text : texts) {
      const Stats stats = voice.generate(text).stats;
      cost.bert_seconds += stats.bert_seconds;
      cost.audio_seconds += stats.audio_seconds;
      cost.bert_forwards += stats.bert_forwards;
      cost.uploads += stats.uploads;
      cost.upload_bytes += stats.upload_bytes;
      cost.downloads += stats.downloads;
      cost.download_bytes += stats.download_bytes;
      cost.kernel_launches += stats.kernel_launches;
      cost.activation_peak_bytes = std::max(cost.activation_peak_bytes, stats.peak_bytes);
      cost.device_bytes = stats.device_bytes;
    }
  });
  return cost;
}

// A run that counts. On a GPU, what BERT takes of it is seen in a run that waits for it, whose total is another.
SpeakingCost measured(const Voice& voice, const std::vector<std::string>& texts) {
  SpeakingCost cost = speak_all(voice, texts);
  if (cost.kernel_launches == 0) return cost;
  const engine::ExactStages exact;
  cost.bert_seconds = speak_all(voice, texts).bert_seconds;
  return cost;
}

int64_t peak_of(const Voice& voice, const std::vector<std::string>& texts) {
  reset_peak();
  speak_all(voice, texts);
  return memory_now().peak_bytes;
}

// Of runs that differ in their times only.
SpeakingCost median_cost(const std::vector<SpeakingCost>& runs, int64_t peak_bytes) {
  SpeakingCost cost = runs.front();
  cost.bert_seconds = median_of(runs, &SpeakingCost::bert_seconds);
  cost.total_seconds = median_of(runs, &SpeakingCost::total_seconds);
  cost.peak_bytes = peak_bytes;
  return cost;
}

}  // namespace

std::vector<BatchResult> measure_batch(const std::vector<BenchVoice>& voices, const BenchSetup& setup) {
  tell("batch: warming up, peaks of memory");
  struct Runs {
    const Voice* voice;
    BatchResult result;
    std::vector<SpeakingCost> one_by_one, batched;
  };
  std::vector<Runs> all;
  for (const int n : setup.sizes) {
    for (const BenchVoice& v : voices) {
      all.push_back({&v.voice, {v.engine, n, characters(bench_text(n)), {}, {}}, {}, {}});
      all.back().result.one_by_one.peak_bytes = peak_of(v.voice, bench_sentences(n));
    }
  }
  for (Runs& r : all) r.result.batched.peak_bytes = peak_of(*r.voice, {bench_text(r.result.sentences)});

  std::vector<BatchResult> results;
  for (size_t first = 0; first < all.size(); first += voices.size()) {
    const std::span<Runs> same_size(&all[first], voices.size());
    const int sentences = same_size.front().result.sentences;
    tell_text("batch", sentences, same_size.front().result.characters);
    for (int run = std::min(0, 1 - setup.warmups); run < setup.repeats; ++run) {  // the peaks were a warm-up
      for (Runs& r : same_size) {
        const SpeakingCost one_by_one = measured(*r.voice, bench_sentences(sentences));
        const SpeakingCost batched = measured(*r.voice, {bench_text(sentences)});
        if (run < 0) continue;
        r.one_by_one.push_back(one_by_one);
        r.batched.push_back(batched);
      }
    }
    for (Runs& r : same_size) {
      r.result.one_by_one = median_cost(r.one_by_one, r.result.one_by_one.peak_bytes);
      r.result.batched = median_cost(r.batched, r.result.batched.peak_bytes);
      results.push_back(r.result);
    }
  }
  return results;
}

namespace {

// The product y = x Wᵀ that stands for what the machine can do: large enough for every thread to have tiles, small
// enough for an outer cache. The weights are f32 on the CPU, whose arithmetic is that whatever keeps them, and of
// BERT's type on a GPU, whose units have a peak for each type.
class MatrixProduct {
 public:
  static constexpr int64_t kRows = 512, kIn = 1024, kOut = 4096;

  explicit MatrixProduct(const EngineOptions& options)
      : device_(engine::open_device(options)),
        type_(device_->name() == "cpu" ? device::WeightType::kF32 : device_->precision(options.precision).bert),
        stream_(device_->stream()),
        weights_(device_->pack_linear(values(kIn * kOut), {}, kIn, kOut, type_)),
        x_(stream_->upload(values(kRows * kIn), kRows, kIn)) {
    // What a GPU computes faster than the host asks for it is measured as a row of products.
    constexpr double kShort = 1e-3;
    constexpr int kRow = 32;
    (void)seconds_of_products(1);
    in_a_row_ = seconds_of_products(1) < kShort ? kRow : 1;
  }

  // A few products; keeps the best.
  void run() {
    constexpr int kAtOnce = 3;
    for (int i = 0; i < kAtOnce; ++i, products_ += in_a_row_) {
      const double seconds = seconds_of_products(in_a_row_) / in_a_row_;
      best_ = std::max(best_, 2e-9 * static_cast<double>(kRows * kIn * kOut) / seconds);
    }
  }

  [[nodiscard]] double best() const { return best_; }  // GFLOP/s
  [[nodiscard]] int products() const { return products_; }
  [[nodiscard]] device::WeightType type() const { return type_; }

 private:
  double seconds_of_products(int count) {
    stream_->wait();
    return seconds_of([&] {
      for (int i = 0; i < count; ++i) (void)stream_->linear(x_, weights_);
      stream_->wait();
    });
  }

  static std::vector<float> values(int64_t n) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
    std::vector<float> v(static_cast<size_t>(n));
    for (float& x : v) x = uniform(random);
    return v;
  }

  std::shared_ptr<device::Device> device_;
  device::WeightType type_;
  std::unique_ptr<device::Stream> stream_;
  device::Linear weights_;
  device::Tensor x_;
  double best_ = 0.0;
  int in_a_row_ = 1;
  int products_ = 0;
};

StagesOfText stages_of(const std::vector<Stats>& runs) {
  const Stats& s = runs.front();
  const auto stage = [&](const char* name, double Stats::*seconds, int64_t flops) {
    return StageResult{name, median_of(runs, seconds), 1e-9 * static_cast<double>(flops)};
  };
  StagesOfText r;
  r.audio_seconds = s.audio_seconds;
  r.stages = {stage("text", &Stats::text_seconds, 0),
              stage("bert", &Stats::bert_seconds, s.bert_flops),
              stage("encoder", &Stats::encoder_seconds, s.encoder_flops),
              stage("flow", &Stats::flow_seconds, s.flow_flops),
              stage("decoder", &Stats::decoder_seconds, s.decoder_flops),
              stage("total", &Stats::total_seconds, s.bert_flops + s.encoder_flops + s.flow_flops + s.decoder_flops)};
  return r;
}

}  // namespace

StagesResult measure_stages(const Voice& voice, const BenchSetup& setup) {
  MatrixProduct product(setup.engine);
  const engine::ExactStages exact;
  StagesResult result;
  const std::vector<std::pair<int, std::string>> texts{{1, medium_text()},
                                                       {setup.long_sentences(), bench_text(setup.long_sentences())}};
  for (const auto& [sentences, text] : texts) {
    tell_text("stages", sentences, characters(text));
    std::vector<Stats> runs;
    for (int run = -setup.warmups; run < setup.repeats; ++run) {
      product.run();
      const Stats stats = voice.generate(text).stats;
      if (run >= 0) runs.push_back(stats);
    }
    StagesOfText of_text = stages_of(runs);
    of_text.sentences = sentences;
    of_text.characters = characters(text);
    result.texts.push_back(std::move(of_text));
  }
  result.peak_gflops = product.best();
  result.products = product.products();
  result.product_weights = name_of(product.type());
  return result;
}

namespace {

LatencyResult speak_both_ways(const Voice& voice, const std::string& text) {
  LatencyResult r;
  r.whole_seconds = seconds_of([&] { r.audio_seconds = voice.generate(text).stats.audio_seconds; });
  const auto start = std::chrono::steady_clock::now();
  voice.stream(text, {}, [&](const Audio& chunk) {
    r.first_chunk_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    r.first_chunk_audio = static_cast<double>(chunk.samples.size()) / chunk.sample_rate;
    return false;
  });
  return r;
}

}  // namespace

std::vector<LatencyResult> measure_latency(const Voice& voice, const BenchSetup& setup) {
  struct Text {
    const char* name;
    int sentences;
    std::string text;
  };
  std::vector<LatencyResult> results;
  for (const Text& t : {Text{"short", 1, short_text()}, Text{"medium", 1, medium_text()},
                        Text{"long", setup.long_sentences(), bench_text(setup.long_sentences())}}) {
    tell_text("latency", t.sentences, characters(t.text));
    std::vector<LatencyResult> runs;
    for (int run = -setup.warmups; run < setup.repeats; ++run) {
      const LatencyResult r = speak_both_ways(voice, t.text);
      if (run >= 0) runs.push_back(r);
    }
    LatencyResult r = runs.front();
    r.text = t.name;
    r.sentences = t.sentences;
    r.characters = characters(t.text);
    r.whole_seconds = median_of(runs, &LatencyResult::whole_seconds);
    r.first_chunk_seconds = median_of(runs, &LatencyResult::first_chunk_seconds);
    results.push_back(std::move(r));
  }
  return results;
}

namespace {

RequestsResult speak_at_once(const Voice& voice, const std::string& text, int requests) {
  RequestsResult r;
  r.requests = requests;
  r.in_turn_seconds = seconds_of([&] {
    for (int i = 0; i < requests; ++i) (void)voice.generate(text);
  });
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::future<double>> running;
  running.reserve(static_cast<size_t>(requests));
  for (int i = 0; i < requests; ++i) {
    running.push_back(std::async(std::launch::async, [&] {
      (void)voice.generate(text);
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }));
  }
  std::vector<double> done;
  done.reserve(running.size());
  for (std::future<double>& request : running) done.push_back(request.get());
  r.first_seconds = *std::min_element(done.begin(), done.end());
  r.last_seconds = *std::max_element(done.begin(), done.end());
  return r;
}

}  // namespace

std::vector<RequestsResult> measure_requests(const Voice& voice, const BenchSetup& setup) {
  const std::string text = medium_text();
  std::vector<RequestsResult> results;
  for (const int requests : {1, 2, 4}) {
    tell(fmt::format("requests: {} at once", requests));
    std::vector<RequestsResult> runs;
    for (int run = -setup.warmups; run < setup.repeats; ++run) {
      const RequestsResult r = speak_at_once(voice, text, requests);
      if (run >= 0) runs.push_back(r);
    }
    results.push_back({requests, median_of(runs, &RequestsResult::in_turn_seconds),
                       median_of(runs, &RequestsResult::first_seconds),
                       median_of(runs, &RequestsResult::last_seconds)});
  }
  return results;
}

}  // namespace hayakoe::cli
