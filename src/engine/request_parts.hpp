// SPDX-License-Identifier: Apache-2.0
// What the two files of Request share.
#pragma once

#include <chrono>
#include <cstdint>

#include "device/device.hpp"
#include "engine/exact_stages.hpp"

namespace hayakoe::engine {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Adds the time of a scope to a figure.
class Timer {
 public:
  explicit Timer(double& total) : total_(total), start_(now()) {}
  ~Timer() { total_ += now() - start_; }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double& total_;
  double start_;
};

// The end of a stage whose time is taken, and after which nothing else waits for the device.
inline void end_stage(device::Stream& stream) {
  if (ExactStages::wanted()) stream.wait();
}

// What the noise is for; each kind has its own, so that none depends on what else is drawn.
enum class NoiseKind : uint64_t { kDuration = 1, kPause = 2, kLatent = 3 };

// Mixes the bits of a 64-bit number (the finaliser of SplitMix64, Steele, Lea, Flood 2014).
inline uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

inline uint64_t noise_key(uint64_t seed, NoiseKind kind, int64_t sentence) {
  const uint64_t a = mixed(seed + 0x9E3779B97F4A7C15U);
  return mixed(mixed(a + static_cast<uint64_t>(kind)) + static_cast<uint64_t>(sentence));
}

}  // namespace hayakoe::engine
