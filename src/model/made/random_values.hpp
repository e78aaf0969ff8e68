// SPDX-License-Identifier: Apache-2.0
// Weights of made models: random numbers that depend on the seed, the tensor's name and the place in it alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hayakoe::model {

/// What the values of a tensor have in common besides being random.
enum class Pattern {
  kPlain,       ///< independent of one another
  kCentred,     ///< the weights of an output `[out, …]` sum to zero: what its inputs have in common drops out
  kCentredIn,   ///< the same for `[in, …]`
  kDifference,  ///< convolutions of kernel 3, taps (−a, 0, a): what is the same two positions apart drops out
};

/// A tensor of a made model: its values have this mean and this standard deviation.
struct MadeTensor {
  std::string name;
  std::vector<int64_t> shape;
  double std = 0.0;
  double mean = 0.0;
  Pattern pattern = Pattern::kPlain;

  [[nodiscard]] int64_t elements() const;
};

/// Fills `out`, which has elements() values. The same seed gives the same bits on every machine.
void draw(const MadeTensor& tensor, uint64_t seed, std::span<float> out);

}  // namespace hayakoe::model
