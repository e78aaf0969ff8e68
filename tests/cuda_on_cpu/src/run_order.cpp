// SPDX-License-Identifier: Apache-2.0
#include "run_order.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>

#include "cuda_on_cpu/block.hpp"
#include "cuda_on_cpu/emulator.hpp"

namespace cuda_on_cpu {
namespace {

struct RunOrder {
  Order order = Order::kForward;
  std::mt19937_64 random;
};

RunOrder from_environment() {
  RunOrder r;
  const char* const value = std::getenv("HAYAKOE_CUDA_ORDER");
  const std::string text = value == nullptr || *value == '\0' ? "forward" : value;
  if (text == "forward") return r;
  if (text == "reverse") {
    r.order = Order::kReverse;
  } else if (text == "random" || text.starts_with("random:")) {
    r.order = Order::kRandom;
    if (text.size() > 7) r.random.seed(std::strtoull(text.c_str() + 7, nullptr, 10));
  } else {
    device_fault("HAYAKOE_CUDA_ORDER is \"%s\"; it may be forward, reverse, random or random:SEED", text.c_str());
  }
  return r;
}

RunOrder& run_order() {
  static RunOrder r = from_environment();
  return r;
}

/// Nearly evenly distributed below `limit`; the standard's distributions differ between libraries, a seed must not.
uint64_t below(std::mt19937_64& random, uint64_t limit) { return random() % limit; }

template <typename T>
void shuffle(std::span<T> values, std::mt19937_64& random) {
  for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(random, i)]);
}

}  // namespace

std::vector<uint64_t> block_order(uint64_t count) {
  RunOrder& r = run_order();
  if (r.order == Order::kForward) return {};
  std::vector<uint64_t> blocks(count);
  std::iota(blocks.begin(), blocks.end(), uint64_t{0});
  if (r.order == Order::kReverse) {
    std::reverse(blocks.begin(), blocks.end());
  } else {
    shuffle(std::span<uint64_t>(blocks), r.random);
  }
  return blocks;
}

void order_lanes(std::span<uint8_t> lanes) {
  RunOrder& r = run_order();
  std::iota(lanes.begin(), lanes.end(), uint8_t{0});
  if (r.order == Order::kReverse) std::reverse(lanes.begin(), lanes.end());
  if (r.order == Order::kRandom) shuffle(lanes, r.random);
}

unsigned choose_warp(uint32_t ready) {
  RunOrder& r = run_order();
  if (r.order == Order::kForward) return static_cast<unsigned>(std::countr_zero(ready));
  if (r.order == Order::kReverse) return 31U - static_cast<unsigned>(std::countl_zero(ready));
  for (auto skip = below(r.random, static_cast<uint64_t>(std::popcount(ready))); skip > 0; --skip) ready &= ready - 1;
  return static_cast<unsigned>(std::countr_zero(ready));
}

}  // namespace cuda_on_cpu

void cuda_on_cpu_set_order(cuda_on_cpu::Order order, uint64_t seed) {
  auto& r = cuda_on_cpu::run_order();
  r.order = order;
  r.random.seed(seed);
}
