// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <hayakoe/error.hpp>
#include <vector>

#include "device/cuda/cuda_weights.hpp"
#include "device/half.hpp"

namespace hayakoe::device::cuda {
namespace {

using Kind = WeightShape::Kind;

bool is_short(WeightType type) { return type == WeightType::kF16 || type == WeightType::kBF16; }

// 10 bits of mantissa, ties away from zero, as the GPU rounds the other side of the product.
uint32_t to_tf32(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return std::isfinite(value) ? (bits + 0x1000U) & 0xFFFFE000U : bits;
}

// Writes values behind one another into words.
class Row {
 public:
  Row(uint32_t* words, WeightType type) : words_(words), type_(type) {}

  void put(float value) {
    switch (type_) {
      case WeightType::kF16:
        put_half(to_f16(value));
        break;
      case WeightType::kBF16:
        put_half(to_bf16(value));
        break;
      case WeightType::kTF32:
        words_[at_++] = to_tf32(value);
        break;
      default:
        words_[at_++] = std::bit_cast<uint32_t>(value);
        break;
    }
  }

 private:
  void put_half(uint16_t half) {
    words_[at_ / 2] |= static_cast<uint32_t>(half) << (at_ % 2 == 0 ? 0U : 16U);
    ++at_;
  }

  uint32_t* words_;
  WeightType type_;
  size_t at_ = 0;
};

// Where the weight of (output, tap, input) of a matrix is stored in the checkpoint; −1 if the phase has no such tap.
int64_t stored_at(const WeightShape& s, int64_t matrix, int64_t out, int64_t tap, int64_t in) {
  if (s.kind != Kind::kConvTranspose1d) return (out * s.in + in) * s.kernel + tap;
  const int64_t k = matrix + tap * s.stride;
  return k < s.kernel ? (in * s.out + out) * s.kernel + k : -1;
}

}  // namespace

CudaWeights::CudaWeights(const std::shared_ptr<Gpu>& gpu, const WeightShape& s, std::span<const float> weight,
                         std::span<const float> bias, WeightType type)
    : type_(type) {
  const bool transposed = s.kind == Kind::kConvTranspose1d;
  const int64_t matrices = transposed ? s.stride : 1;
  const int64_t taps = transposed ? (s.kernel + s.stride - 1) / s.stride : s.kernel;
  const int64_t used = is_short(type) ? (taps * s.in + 1) / 2 : taps * s.in;
  row_words_ = (used + kTileWords - 1) / kTileWords * kTileWords;
  matrix_words_ = s.out * row_words_;
  std::vector<uint32_t> words(static_cast<size_t>(matrices * matrix_words_), 0U);
  for (int64_t m = 0; m < matrices; ++m) {
    for (int64_t out = 0; out < s.out; ++out) {
      Row row(words.data() + m * matrix_words_ + out * row_words_, type);
      for (int64_t tap = 0; tap < taps; ++tap) {
        for (int64_t in = 0; in < s.in; ++in) {
          const int64_t at = stored_at(s, m, out, tap, in);
          row.put(at >= 0 ? weight[static_cast<size_t>(at)] : 0.0F);
        }
      }
    }
  }
  std::vector<float> all(bias.begin(), bias.end());
  all.resize(static_cast<size_t>(s.out), 0.0F);
  words_ = keep_on(gpu, words.data(), words.size() * sizeof(uint32_t));
  bias_ = keep_on(gpu, all.data(), all.size() * sizeof(float));
}

PackedParts CudaWeights::parts() const { throw Error("cuda: weights on a GPU cannot be written to a file"); }

}  // namespace hayakoe::device::cuda
