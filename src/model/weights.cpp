// SPDX-License-Identifier: Apache-2.0
#include "model/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <hayakoe/error.hpp>

namespace hayakoe::model {
namespace {

// Axes of length 1 carry nothing: [out, in, 1] is [out, in].
std::vector<int64_t> squeezed(std::vector<int64_t> shape) {
  std::erase(shape, 1);
  return shape;
}

std::string join(std::string_view module, std::string_view leaf) { return fmt::format("{}.{}", module, leaf); }

bool is_aligned(const float* p) { return reinterpret_cast<uintptr_t>(p) % alignof(float) == 0; }

}  // namespace

bool is_converted(const tensor::SafeTensors& file) { return file.metadata().contains(kConvertedKey); }

int64_t linear_inputs(const tensor::SafeTensors& file, const std::string& name) {
  if (!file.has(join(name, "panels"))) {
    const auto& shape = file.get(join(name, "weight")).shape;
    return shape.size() > 1 ? shape[1] : 0;
  }
  const tensor::ArrayView& panels = file.get(join(name, "panels"));
  const int64_t out = file.get(join(name, "bias")).elements();
  const int64_t columns = device::padded_columns(out);
  return columns > 0 ? panels.elements() / columns : 0;
}

Weights Weights::at(std::string_view name) const {
  Weights inside = *this;
  inside.prefix_ = fmt::format("{}{}.", prefix_, name);
  return inside;
}

Weights Weights::stored_as(device::WeightType type) const {
  Weights other = *this;
  other.type_ = type;
  return other;
}

Weights Weights::delicate() const {
  Weights other = *this;
  other.delicate_ = true;
  return other;
}

Weights Weights::at(std::string_view name, int64_t index) const { return at(fmt::format("{}.{}", name, index)); }

bool Weights::has(std::string_view name) const { return file_.has(full_name(name)); }

std::vector<int64_t> Weights::shape(std::string_view name) const { return file_.get(full_name(name)).shape; }

void Weights::check_shape(const std::string& full, const std::vector<int64_t>& shape) const {
  const auto& found = file_.get(full).shape;
  if (squeezed(found) == squeezed(shape)) return;
  throw Error(
      fmt::format("{}: tensor '{}' has shape {}, but the configuration asks for {}; config.json and weights do "
                  "not belong together, or this is another kind of model",
                  file_.path().string(), full, tensor::shape_string(found), tensor::shape_string(shape)));
}

std::vector<float> Weights::read(std::string_view name, const std::vector<int64_t>& shape) const {
  const std::string full = full_name(name);
  check_shape(full, shape);
  return file_.read_f32(full);
}

device::Tensor Weights::kept(std::string_view name, std::span<const float> values, int64_t rows, int64_t cols) const {
  if (sink_ != nullptr) sink_->constant(full_name(name), values, rows, cols);
  return device_->constant(values, rows, cols);
}

device::Tensor Weights::matrix(std::string_view name, int64_t rows, int64_t cols) const {
  const std::string full = full_name(name);
  const tensor::ArrayView& view = file_.get(full);
  const auto* at = reinterpret_cast<const float*>(view.bytes.data());
  // Ordinary checkpoints may be replaced while the program runs, so they are copied; ours say that they must not be.
  if (!is_converted(file_) || view.dtype != tensor::DType::kF32 || !is_aligned(at))
    return kept(name, read(name, {rows, cols}), rows, cols);
  check_shape(full, {rows, cols});
  return device_->constant_view({at, static_cast<size_t>(rows * cols)}, rows, cols,
                                std::make_shared<tensor::SafeTensors>(file_));
}

device::Tensor Weights::matrix_of(std::string_view name, int64_t rows, int64_t cols,
                                  const std::function<std::vector<float>()>& make) const {
  return has(name) ? matrix(name, rows, cols) : kept(name, make(), rows, cols);
}

std::shared_ptr<const device::Packed> Weights::packed(std::string_view name, const device::WeightShape& shape,
                                                      const std::function<Values()>& make) const {
  const std::string full = full_name(name);
  std::shared_ptr<const device::Packed> weights;
  if (file_.has(join(full, "panels"))) {
    weights = adopted(full, shape);
  } else {
    const Values values = make();
    weights = device_->pack(shape, values.weight, values.bias, type_);
  }
  if (sink_ != nullptr) sink_->packed(full, weights);
  return weights;
}

std::shared_ptr<const device::Packed> Weights::adopted(const std::string& full,
                                                       const device::WeightShape& shape) const {
  const auto floats = [&](const char* leaf) -> std::span<const float> {
    const std::string name = join(full, leaf);
    if (!file_.has(name)) return {};
    const tensor::ArrayView& view = file_.get(name);
    if (view.dtype != tensor::DType::kF32)
      throw Error(fmt::format("{}: tensor '{}' must be F32", file_.path().string(), name));
    return {reinterpret_cast<const float*>(view.bytes.data()), view.bytes.size() / sizeof(float)};
  };
  const auto version = file_.metadata().find(kConvertedKey);
  if (version == file_.metadata().end() || version->second != kConvertedVersion) {
    throw Error(file_.path().string() +
                ": was converted for another version of hayakoe; convert the original folder again");
  }
  const tensor::ArrayView& panels = file_.get(join(full, "panels"));
  device::PackedParts parts;
  switch (panels.dtype) {
    case tensor::DType::kF32:
      parts.type = device::WeightType::kF32;
      break;
    case tensor::DType::kF16:
      parts.type = device::WeightType::kF16;
      break;
    case tensor::DType::kBF16:
      parts.type = device::WeightType::kBF16;
      break;
    case tensor::DType::kI8:
      parts.type = device::WeightType::kInt8;
      break;
    default:
      throw Error(fmt::format("{}: tensor '{}.panels' must be F32, F16, BF16 or I8", file_.path().string(), full));
  }
  parts.panels = panels.bytes;
  parts.scales = floats("scales");
  parts.bias = floats("bias");
  parts.owner = std::make_shared<tensor::SafeTensors>(file_);
  try {
    return device_->adopt(shape, parts);
  } catch (const Error& e) {
    throw Error(fmt::format("{}: '{}': {}", file_.path().string(), full, e.what()));
  }
}

std::vector<float> Weights::bias(std::string_view name, int64_t out) const {
  const std::string leaf = join(name, "bias");
  return has(leaf) ? read(leaf, {out}) : std::vector<float>{};
}

device::Linear Weights::linear(std::string_view name, int64_t in, int64_t out) const {
  return linear_of(name, in, out, [&] { return Values{read(join(name, "weight"), {out, in}), bias(name, out)}; });
}

device::Linear Weights::linear_of(std::string_view name, int64_t in, int64_t out,
                                  const std::function<Values()>& make) const {
  return {packed(name, {.in = in, .out = out}, make), in, out};
}

std::vector<float> Weights::folded(std::string_view name, const std::vector<int64_t>& shape) const {
  std::string g = join(name, "weight_g");
  std::string v = join(name, "weight_v");
  if (!has(g)) {
    g = join(name, "parametrizations.weight.original0");
    v = join(name, "parametrizations.weight.original1");
  }
  if (!has(g)) return read(join(name, "weight"), shape);

  const std::vector<float> gain = read(g, {shape[0]});
  std::vector<float> weight = read(v, shape);
  const size_t per_slice = weight.size() / gain.size();
  for (size_t i = 0; i < gain.size(); ++i) {
    float* slice = weight.data() + i * per_slice;
    double squares = 0.0;
    for (size_t j = 0; j < per_slice; ++j) squares += double{slice[j]} * slice[j];
    const double factor = squares > 0.0 ? gain[i] / std::sqrt(squares) : 0.0;
    for (size_t j = 0; j < per_slice; ++j) slice[j] = static_cast<float>(slice[j] * factor);
  }
  return weight;
}

device::Conv1d Weights::conv1d(std::string_view name, int64_t in, int64_t out, int64_t kernel, int64_t dilation,
                               bool many_rows) const {
  const device::WeightShape shape{device::WeightShape::Kind::kConv1d, in, out, kernel, 1, many_rows, delicate_};
  const auto make = [&] { return Values{folded(name, {out, in, kernel}), bias(name, out)}; };
  return {packed(name, shape, make), in, out, kernel, dilation};
}

device::ConvTranspose1d Weights::conv_transpose1d(std::string_view name, int64_t in, int64_t out, int64_t kernel,
                                                  int64_t stride, int64_t padding) const {
  const device::WeightShape shape{device::WeightShape::Kind::kConvTranspose1d, in, out, kernel, stride, true};
  const auto make = [&] { return Values{folded(name, {in, out, kernel}), bias(name, out)}; };
  return {packed(name, shape, make), in, out, kernel, stride, padding};
}

device::LayerNorm Weights::layer_norm(std::string_view name, int64_t channels, float eps) const {
  const bool vits = has(join(name, "gamma"));
  return {matrix(join(name, vits ? "gamma" : "weight"), 1, channels),
          matrix(join(name, vits ? "beta" : "bias"), 1, channels), eps};
}

}  // namespace hayakoe::model
