// SPDX-License-Identifier: Apache-2.0
// Reads the weights of one module from a checkpoint, checks their shapes, and packs them for a device.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "tensor/safetensors.hpp"

namespace hayakoe::model {

/// A checkpoint seen from inside one module: names are relative to `prefix`. Every reader checks the shape and throws
/// Error with the file, the tensor, the shape it has and the shape that the configuration asks for.
class Weights {
 public:
  Weights(tensor::SafeTensors file, std::shared_ptr<device::Device> device, std::string prefix = "")
      : file_(std::move(file)), device_(std::move(device)), prefix_(std::move(prefix)) {}

  /// The module `name` inside this one: names become prefix + name + "." + …
  [[nodiscard]] Weights at(std::string_view name) const;
  [[nodiscard]] Weights at(std::string_view name, int64_t index) const;
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] const std::shared_ptr<device::Device>& device() const { return device_; }
  [[nodiscard]] const tensor::SafeTensors& file() const { return file_; }
  [[nodiscard]] std::string full_name(std::string_view name) const { return prefix_ + std::string(name); }

  /// The values of `name`, which must have this shape.
  [[nodiscard]] std::vector<float> read(std::string_view name, const std::vector<int64_t>& shape) const;
  /// The shape of `name`.
  [[nodiscard]] std::vector<int64_t> shape(std::string_view name) const;

  /// A matrix `[rows, cols]` on the device; in the file also with axes of 1 before or behind.
  [[nodiscard]] device::Tensor matrix(std::string_view name, int64_t rows, int64_t cols) const;
  /// `weight` `[out, in]` or `[out, in, 1]`, and `bias` `[out]`, of the module `name`.
  [[nodiscard]] device::Linear linear(std::string_view name, int64_t in, int64_t out) const;
  /// `weight` `[out, in, kernel]`, weight-normed or plain, and `bias` `[out]` if there is one.
  [[nodiscard]] device::Conv1d conv1d(std::string_view name, int64_t in, int64_t out, int64_t kernel,
                                      int64_t dilation = 1) const;
  /// `weight` `[in, out, kernel]`, weight-normed or plain, and `bias` `[out]`.
  [[nodiscard]] device::ConvTranspose1d conv_transpose1d(std::string_view name, int64_t in, int64_t out, int64_t kernel,
                                                         int64_t stride, int64_t padding) const;
  /// `gamma`/`beta` (VITS) or `weight`/`bias` (BERT) of the module `name`.
  [[nodiscard]] device::LayerNorm layer_norm(std::string_view name, int64_t channels, float eps) const;

  /// The weight of the module `name` with weight norm folded in (Salimans and Kingma 2016): W = v · g / ‖v‖, the norm
  /// over all axes but the first. Stored as `weight_g`/`weight_v`, as `parametrizations.weight.original0`/`1`, or
  /// plain.
  [[nodiscard]] std::vector<float> folded(std::string_view name, const std::vector<int64_t>& shape) const;

 private:
  [[nodiscard]] std::vector<float> bias(std::string_view name, int64_t out) const;

  tensor::SafeTensors file_;
  std::shared_ptr<device::Device> device_;
  std::string prefix_;
};

}  // namespace hayakoe::model
