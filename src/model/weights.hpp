// SPDX-License-Identifier: Apache-2.0
// Reads the weights of one module from a checkpoint, checks their shapes, and packs them for a device.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "tensor/safetensors.hpp"

namespace hayakoe::model {

/// Takes everything that a model reads, in the form in which the model keeps it: what converts a model.
class WeightSink {
 public:
  virtual ~WeightSink() = default;
  virtual void constant(const std::string& name, std::span<const float> values, int64_t rows, int64_t cols) = 0;
  virtual void packed(const std::string& name, std::shared_ptr<const device::Packed> weights) = 0;
};

/// The key under which a converted file names, in its metadata, the version of the layout of its packed weights.
inline constexpr const char* kConvertedKey = "hayakoe.packed";
inline constexpr const char* kConvertedVersion = "1";
/// True for a file that `hayakoe convert` wrote.
bool is_converted(const tensor::SafeTensors& file);

/// Inputs of the linear module `name`, converted or not. @throws Error if there is none
int64_t linear_inputs(const tensor::SafeTensors& file, const std::string& name);

/// A checkpoint seen from inside one module: names are relative to `prefix`. Every reader checks the shape and throws
/// Error with the file, the tensor, the shape it has and the shape that the configuration asks for.
///
/// In a converted file the packed weights of a module NAME lie as NAME.panels, NAME.scales and NAME.bias; they and the
/// constants are used where the file is mapped.
class Weights {
 public:
  Weights(tensor::SafeTensors file, std::shared_ptr<device::Device> device, std::string prefix = "",
          WeightSink* sink = nullptr)
      : file_(std::move(file)), device_(std::move(device)), prefix_(std::move(prefix)), sink_(sink) {}

  /// The same, with weights kept in `type` unless the file has them packed already.
  [[nodiscard]] Weights stored_as(device::WeightType type) const;
  /// The same, with weights that are device::WeightShape::delicate.
  [[nodiscard]] Weights delicate() const;

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

  /// A weight and its bias (or an empty one).
  struct Values {
    std::vector<float> weight, bias;
  };
  /// Linear weights `[out, in]` that are made of what the file has, under a name of their own.
  [[nodiscard]] device::Linear linear_of(std::string_view name, int64_t in, int64_t out,
                                         const std::function<Values()>& make) const;
  /// A matrix that is made of what the file has, under a name of its own.
  [[nodiscard]] device::Tensor matrix_of(std::string_view name, int64_t rows, int64_t cols,
                                         const std::function<std::vector<float>()>& make) const;

  /// A matrix `[rows, cols]` on the device; in the file also with axes of 1 before or behind.
  [[nodiscard]] device::Tensor matrix(std::string_view name, int64_t rows, int64_t cols) const;
  /// `weight` `[out, in]` or `[out, in, 1]`, and `bias` `[out]`, of the module `name`.
  [[nodiscard]] device::Linear linear(std::string_view name, int64_t in, int64_t out) const;
  /// `weight` `[out, in, kernel]`, weight-normed or plain, and `bias` `[out]` if there is one. `many_rows`: it runs
  /// over frames or samples, see device::WeightShape.
  [[nodiscard]] device::Conv1d conv1d(std::string_view name, int64_t in, int64_t out, int64_t kernel,
                                      int64_t dilation = 1, bool many_rows = false) const;
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
  [[nodiscard]] std::shared_ptr<const device::Packed> packed(std::string_view name, const device::WeightShape& shape,
                                                             const std::function<Values()>& make) const;
  [[nodiscard]] std::shared_ptr<const device::Packed> adopted(const std::string& full,
                                                              const device::WeightShape& shape) const;
  [[nodiscard]] device::Tensor kept(std::string_view name, std::span<const float> values, int64_t rows,
                                    int64_t cols) const;
  void check_shape(const std::string& full, const std::vector<int64_t>& shape) const;

  tensor::SafeTensors file_;
  std::shared_ptr<device::Device> device_;
  std::string prefix_;
  WeightSink* sink_ = nullptr;
  device::WeightType type_ = device::WeightType::kF32;
  bool delicate_ = false;
};

}  // namespace hayakoe::model
