// SPDX-License-Identifier: Apache-2.0
#include "model/made/random_values.hpp"

#include <algorithm>
#include <cmath>
#include <hayakoe/error.hpp>
#include <string_view>

#include "tensor/array.hpp"

// Every number is the same on every machine because all sums are of integers and each value is then rounded once: by
// one product, or by std::fma, which the compiler cannot fuse in one place and not in another.

namespace hayakoe::model {
namespace {

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014) as a function of a counter.
constexpr uint64_t kGolden = 0x9E3779B97F4A7C15U;

constexpr uint64_t mixed(uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

uint64_t hashed(std::string_view name) {  // FNV-1a
  uint64_t h = 0xCBF29CE484222325U;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return h;
}

// Integers that are nearly normal: the sum of four of 16 bits, within ±3.46 standard deviations.
class Integers {
 public:
  // √((2³² − 1) / 3), of the sum of four uniform integers below 2¹⁶.
  static constexpr double kStd = 37837.22723720648;

  Integers(uint64_t seed, std::string_view name) : key_(mixed(mixed(seed + kGolden) ^ hashed(name))) {}

  [[nodiscard]] int32_t at(uint64_t place) const {
    const uint64_t bits = mixed(key_ + place * kGolden);
    constexpr uint64_t kPart = 0xFFFFU;
    constexpr int32_t kMean = 2 * 0xFFFF;
    return static_cast<int32_t>((bits & kPart) + (bits >> 16U & kPart) + (bits >> 32U & kPart) + (bits >> 48U)) - kMean;
  }

 private:
  uint64_t key_;
};

void draw_plain(const Integers& integers, double scale, double mean, std::span<float> out) {
  if (mean == 0.0) {
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(integers.at(i) * scale);
  } else {
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(std::fma(integers.at(i), scale, mean));
  }
}

void draw_centred(const Integers& integers, double scale, size_t row_length, std::span<float> out) {
  std::vector<int32_t> row(row_length);
  const auto n = static_cast<int64_t>(row_length);
  for (size_t begin = 0; begin < out.size(); begin += row_length) {
    int64_t sum = 0;
    for (size_t i = 0; i < row_length; ++i) {
      row[i] = integers.at(begin + i);
      sum += row[i];
    }
    const double per_element = scale / static_cast<double>(n);
    for (size_t i = 0; i < row_length; ++i) {
      out[begin + i] = static_cast<float>(static_cast<double>(row[i] * n - sum) * per_element);
    }
  }
}

void draw_centred_in(const Integers& integers, double scale, size_t row_length, std::span<float> out) {
  std::vector<int64_t> sums(row_length);
  for (size_t i = 0; i < out.size(); ++i) sums[i % row_length] += integers.at(i);
  const auto rows = static_cast<int64_t>(out.size() / row_length);
  const double per_element = scale / static_cast<double>(rows);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<float>(static_cast<double>(integers.at(i) * rows - sums[i % row_length]) * per_element);
  }
}

void draw_difference(const Integers& integers, double scale, std::span<float> out) {
  constexpr size_t kTaps = 3;
  for (size_t i = 0; i < out.size(); i += kTaps) {
    const auto a = static_cast<float>(integers.at(i) * scale);
    out[i] = -a;
    out[i + 1] = 0.0F;
    out[i + 2] = a;
  }
}

}  // namespace

int64_t MadeTensor::elements() const { return tensor::element_count(shape); }

void draw(const MadeTensor& t, uint64_t seed, std::span<float> out) {
  if (static_cast<int64_t>(out.size()) != t.elements()) {
    throw Error("made tensor '" + t.name + "': " + tensor::shape_string(t.shape) + " does not fit the values");
  }
  if (t.std == 0.0) {
    std::fill(out.begin(), out.end(), static_cast<float>(t.mean));
    return;
  }
  const Integers integers(seed, t.name);
  const double scale = t.std / Integers::kStd;
  const size_t row_length = out.size() / static_cast<size_t>(t.shape.front());
  switch (t.pattern) {
    case Pattern::kPlain:
      return draw_plain(integers, scale, t.mean, out);
    case Pattern::kCentred:
      return draw_centred(integers, scale, row_length, out);
    case Pattern::kCentredIn:
      return draw_centred_in(integers, scale, row_length, out);
    case Pattern::kDifference:
      return draw_difference(integers, scale, out);
  }
}

}  // namespace hayakoe::model
