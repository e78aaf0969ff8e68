// SPDX-License-Identifier: Apache-2.0
// An NVIDIA GPU as a device.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "device/cuda/memory.hpp"
#include "device/device.hpp"

namespace hayakoe::device::cuda {

/// The first GPU that is new enough; nothing where there is none, or no driver.
std::optional<int> first_usable_gpu();

class CudaDevice final : public Device {
 public:
  /// @throws Error that says what is missing: a driver, a GPU of this number, one that is new enough
  explicit CudaDevice(int ordinal);

  [[nodiscard]] std::string name() const override { return "cuda:" + std::to_string(gpu_->ordinal()); }
  [[nodiscard]] std::string details() const override;
  [[nodiscard]] Precision precision(const std::string& name) const override;
  [[nodiscard]] int64_t weight_bytes() const override { return gpu_->weight_bytes; }
  Tensor constant(std::span<const float> values, int64_t rows, int64_t cols) override;
  Tensor constant(std::span<const int32_t> values) override;
  Tensor constant_view(std::span<const float> values, int64_t rows, int64_t cols,
                       std::shared_ptr<const void> owner) override;
  std::shared_ptr<const Packed> pack(const WeightShape& shape, std::span<const float> weight,
                                     std::span<const float> bias, WeightType type) override;
  std::shared_ptr<const Packed> adopt(const WeightShape& shape, const PackedParts& parts) override;
  std::unique_ptr<Stream> stream() override;
  [[nodiscard]] int64_t decode_frames() const override;

 private:
  std::shared_ptr<Gpu> gpu_;
};

}  // namespace hayakoe::device::cuda
