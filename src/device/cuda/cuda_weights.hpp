// SPDX-License-Identifier: Apache-2.0
// Weights in the form that the products read (product.cuh): a matrix `[out, depth]` for each phase, row by row, so that
// the values that meet in one product lie behind one another.
#pragma once

#include <memory>

#include "device/cuda/memory.hpp"
#include "device/device.hpp"

namespace hayakoe::device::cuda {

/// Words of 32 bits of a row that a product takes at a time; rows are filled up with zeros to whole multiples.
inline constexpr int kTileWords = 16;

class CudaWeights final : public Packed {
 public:
  /// kLinear: 1 × `[out, in]`. kConv1d: 1 × `[out, kernel·in]`, tap after tap. kConvTranspose1d: `stride` ×
  /// `[out, ⌈kernel / stride⌉·in]`, matrix p with taps p, p + stride, …
  CudaWeights(const std::shared_ptr<Gpu>& gpu, const WeightShape& shape, std::span<const float> weight,
              std::span<const float> bias, WeightType type);

  /// The host cannot read them. @throws Error
  [[nodiscard]] PackedParts parts() const override;
  [[nodiscard]] WeightType type() const { return type_; }
  [[nodiscard]] const uint32_t* words() const { return reinterpret_cast<const uint32_t*>(words_->address()); }
  /// Words of a row of a matrix, and of a matrix.
  [[nodiscard]] int64_t row_words() const { return row_words_; }
  [[nodiscard]] int64_t matrix_words() const { return matrix_words_; }
  /// One value an output, zeros if there was none.
  [[nodiscard]] const float* bias() const { return reinterpret_cast<const float*>(bias_->address()); }

 private:
  WeightType type_;
  int64_t row_words_ = 0, matrix_words_ = 0;
  std::shared_ptr<tensor::Storage> words_, bias_;
};

}  // namespace hayakoe::device::cuda
