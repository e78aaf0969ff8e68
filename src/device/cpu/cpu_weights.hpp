// SPDX-License-Identifier: Apache-2.0
// Weights in the form that the CPU's kernels read: a stack of matrices in panels (kernels/gemm.hpp).
#pragma once

#include <optional>
#include <vector>

#include "device/cpu/kernels/fast_conv.hpp"
#include "device/cpu/kernels/gemm.hpp"
#include "device/cpu/thread_pool.hpp"
#include "device/device.hpp"

namespace hayakoe::device {

/// Into which matrices the weights of a shape are laid.
struct WeightForm {
  std::optional<Transform> transform;  ///< of a convolution in a transformed domain
  int64_t count = 1;                   ///< matrices: 1, or one a component or a phase
  int64_t k = 0, n = 0;                ///< of each: `[k, n]`
};

/// kLinear: 1 × `[in, out]`. kConv1d: 1 × `[kernel·in, out]`, or one `[in, out]` a component of the transform.
/// kConvTranspose1d: one `[taps·in, out]` a phase, taps = ⌈kernel / stride⌉, the oldest input first.
WeightForm form_of(const WeightShape& shape);

class CpuWeights final : public Packed {
 public:
  static std::shared_ptr<const CpuWeights> pack(const WeightShape& shape, std::span<const float> weight,
                                                std::span<const float> bias, WeightType type, ThreadPool& pool);
  static std::shared_ptr<const CpuWeights> adopt(const WeightShape& shape, const PackedParts& parts);

  [[nodiscard]] PackedParts parts() const override { return parts_; }
  [[nodiscard]] const WeightForm& form() const { return form_; }
  [[nodiscard]] std::span<const GemmWeights> matrices() const { return matrices_; }
  /// Matrix `i` from column `column` on, a multiple of kPanel.
  [[nodiscard]] GemmWeights matrix(int64_t i, int64_t column = 0) const;
  /// One value an output, zeros if there was none.
  [[nodiscard]] const float* bias() const { return parts_.bias.data(); }
  /// The only column of a single matrix: `[k]`.
  [[nodiscard]] const float* column() const { return column_.data(); }

 private:
  CpuWeights(const WeightShape& shape, const PackedParts& parts);

  WeightForm form_;
  PackedParts parts_;
  std::vector<GemmWeights> matrices_;
  std::vector<float> column_;
};

}  // namespace hayakoe::device
