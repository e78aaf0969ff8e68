// SPDX-License-Identifier: Apache-2.0
// Google Benchmarks of the operations that take the time, at the shapes of a full-size voice (hidden 192, decoder 512 →
// 16 channels) and of DeBERTa-large. "FLOPS" counts a multiplication and an addition as two. $HAYAKOE_BENCH_DEVICE
// names the device that is measured, the CPU if it is not set. On a GPU a step is an operation and the wait for its
// end.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "device/device.hpp"

namespace hayakoe::device {
namespace {

std::shared_ptr<Device> device_to_measure() {
  const char* name = std::getenv("HAYAKOE_BENCH_DEVICE");
  return open_device(name != nullptr ? name : "cpu", 0);
}

std::vector<float> values(int64_t n) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0.0F, 0.1F);
  std::vector<float> v(static_cast<size_t>(n));
  for (float& x : v) x = normal(random);
  return v;
}

void set_flops(benchmark::State& state, int64_t multiplications) {
  state.counters["FLOPS"] =
      benchmark::Counter(2.0 * static_cast<double>(multiplications), benchmark::Counter::kIsIterationInvariantRate,
                         benchmark::Counter::kIs1000);
}

// rows, in, out
void linear(benchmark::State& state) {
  const auto device = device_to_measure();
  const auto stream = device->stream();
  const int64_t rows = state.range(0);
  const int64_t in = state.range(1);
  const int64_t out = state.range(2);
  const Linear w = device->pack_linear(values(in * out), values(out), in, out);
  const Tensor x = stream->upload(values(rows * in), rows, in);
  for (auto step : state) {
    benchmark::DoNotOptimize(stream->linear(x, w));
    stream->wait();
  }
  set_flops(state, rows * in * out);
}
BENCHMARK(linear)
    ->Args({30, 1024, 3072})
    ->Args({30, 1024, 4096})
    ->Args({30, 4096, 1024})
    ->Args({480, 1024, 4096})
    ->Args({480, 4096, 1024})
    ->Args({300, 192, 576})
    ->UseRealTime();

// rows, channels, kernel, dilation, and whether in a transformed domain; the FLOPS are always those of the direct sum
void conv1d(benchmark::State& state) {
  const auto device = device_to_measure();
  const auto stream = device->stream();
  const int64_t rows = state.range(0);
  const int64_t channels = state.range(1);
  const int64_t kernel = state.range(2);
  const Conv1d w = device->pack_conv1d(values(channels * channels * kernel), values(channels), channels, channels,
                                       kernel, state.range(3), state.range(4) != 0);
  const Tensor x = stream->upload(values(rows * channels), rows, channels);
  const Segments s = Segments::single(rows);
  for (auto step : state) {
    benchmark::DoNotOptimize(stream->conv1d(x, s, w));
    stream->wait();
  }
  set_flops(state, rows * channels * channels * kernel);
}
BENCHMARK(conv1d)
    ->Args({2400, 256, 3, 1, 0})
    ->Args({2400, 256, 3, 1, 1})
    ->Args({2400, 256, 11, 5, 0})
    ->Args({2400, 256, 11, 5, 1})
    ->Args({19200, 128, 7, 3, 0})
    ->Args({19200, 128, 7, 3, 1})
    ->Args({19200, 128, 11, 5, 0})
    ->Args({19200, 128, 11, 5, 1})
    ->Args({38400, 64, 7, 1, 0})
    ->Args({38400, 64, 7, 1, 1})
    ->Args({76800, 32, 11, 5, 0})
    ->Args({76800, 32, 11, 5, 1})
    ->Args({153600, 16, 3, 1, 0})
    ->Args({153600, 16, 3, 1, 1})
    ->Args({153600, 16, 11, 5, 0})
    ->Args({153600, 16, 11, 5, 1})
    ->UseRealTime();

// rows, in, out: the first half of a feed-forward block
void linear_gelu(benchmark::State& state) {
  const auto device = device_to_measure();
  const auto stream = device->stream();
  const int64_t rows = state.range(0);
  const int64_t in = state.range(1);
  const int64_t out = state.range(2);
  const Linear w = device->pack_linear(values(in * out), values(out), in, out);
  const Tensor x = stream->upload(values(rows * in), rows, in);
  for (auto step : state) {
    benchmark::DoNotOptimize(stream->linear(x, w, {.activation = Activation::kGelu}));
    stream->wait();
  }
  set_flops(state, rows * in * out);
}
BENCHMARK(linear_gelu)->Args({30, 1024, 4096})->Args({480, 1024, 4096})->UseRealTime();

// rows, channels: with a residual, as after each half of a layer
void layer_norm(benchmark::State& state) {
  const auto device = device_to_measure();
  const auto stream = device->stream();
  const int64_t rows = state.range(0);
  const int64_t channels = state.range(1);
  const Tensor x = stream->upload(values(rows * channels), rows, channels);
  const LayerNorm norm{device->constant(values(channels), 1, channels),
                       device->constant(values(channels), 1, channels)};
  for (auto step : state) {
    benchmark::DoNotOptimize(stream->layer_norm(x, norm, &x));
    stream->wait();
  }
}
BENCHMARK(layer_norm)->Args({30, 1024})->Args({480, 1024})->Args({300, 192})->UseRealTime();

// characters of a sentence, sentences; one layer of DeBERTa-large
void bert_attention(benchmark::State& state) {
  const auto device = device_to_measure();
  const auto stream = device->stream();
  const int64_t length = state.range(0);
  const int64_t sentences = state.range(1);
  constexpr int64_t kHidden = 1024;
  constexpr int64_t kBuckets = 256;
  RelativeBuckets buckets;  // the distances of these lengths have a bucket each
  buckets.limit = 127;
  for (int32_t r = -127; r <= 127; ++r) buckets.row.push_back(r + kBuckets);
  buckets.on_device = device->constant(std::span<const int32_t>(buckets.row));
  const Tensor qkv = stream->upload(values(length * sentences * 3 * kHidden), length * sentences, 3 * kHidden);
  const Tensor positions = device->constant(values(2 * kBuckets * kHidden), 2 * kBuckets, kHidden);
  const std::vector<int64_t> lengths(static_cast<size_t>(sentences), length);
  const Segments s = Segments::of_lengths(lengths);
  for (auto step : state) {
    benchmark::DoNotOptimize(stream->bert_attention(qkv, positions, positions, s, kHidden / 64, buckets));
    stream->wait();
  }
  // Scores, the two of the positions (only distances in reach count), and the values.
  set_flops(state, 4 * sentences * length * length * kHidden);
}
BENCHMARK(bert_attention)->Args({14, 1})->Args({30, 1})->Args({47, 1})->Args({120, 1})->Args({30, 16})->UseRealTime();

// frames of one sentence; a flow layer of a full-size voice
void windowed_attention(benchmark::State& state) {
  const auto device = device_to_measure();
  const auto stream = device->stream();
  const int64_t rows = state.range(0);
  constexpr int64_t kChannels = 192;
  constexpr int64_t kHeads = 2;
  const Tensor qkv = stream->upload(values(rows * 3 * kChannels), rows, 3 * kChannels);
  const Tensor relative = device->constant(values(9 * kChannels / kHeads), 9, kChannels / kHeads);
  const Segments s = Segments::single(rows);
  for (auto step : state) {
    benchmark::DoNotOptimize(stream->windowed_attention(qkv, relative, relative, s, kHeads));
    stream->wait();
  }
  set_flops(state, 2 * rows * rows * kChannels);
}
BENCHMARK(windowed_attention)->Arg(50)->Arg(100)->Arg(300)->Arg(1000)->UseRealTime();

// rows, columns
void tanh_in_place(benchmark::State& state) {
  const auto device = device_to_measure();
  const auto stream = device->stream();
  Tensor x = stream->upload(values(state.range(0) * state.range(1)), state.range(0), state.range(1));
  for (auto step : state) {
    stream->tanh_in_place(x);
    stream->wait();
  }
}
BENCHMARK(tanh_in_place)->Args({150'000, 1})->UseRealTime();

// frames of one sentence: the noise of the prior
void normal(benchmark::State& state) {
  const auto device = device_to_measure();
  const auto stream = device->stream();
  const Segments s = Segments::single(state.range(0));
  const std::vector<uint64_t> keys{1};
  for (auto step : state) {
    benchmark::DoNotOptimize(stream->normal(s, 192, keys));
    stream->wait();
  }
}
BENCHMARK(normal)->Arg(300)->UseRealTime();

// phones of one sentence: one flow of the stochastic duration predictor
void spline_inverse(benchmark::State& state) {
  const auto device = device_to_measure();
  const auto stream = device->stream();
  const int64_t rows = state.range(0);
  Tensor y = stream->upload(values(rows), rows, 1);
  const Tensor params = stream->upload(values(rows * 29), rows, 29);
  for (auto step : state) {
    stream->spline_inverse_in_place(y, params, 0.1F);
    stream->wait();
  }
}
BENCHMARK(spline_inverse)->Arg(100)->UseRealTime();

}  // namespace
}  // namespace hayakoe::device
