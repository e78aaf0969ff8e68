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

}  // namespace

Weights Weights::at(std::string_view name) const { return {file_, device_, fmt::format("{}{}.", prefix_, name)}; }

Weights Weights::at(std::string_view name, int64_t index) const { return at(fmt::format("{}.{}", name, index)); }

bool Weights::has(std::string_view name) const { return file_.has(full_name(name)); }

std::vector<int64_t> Weights::shape(std::string_view name) const { return file_.get(full_name(name)).shape; }

std::vector<float> Weights::read(std::string_view name, const std::vector<int64_t>& shape) const {
  const std::string full = full_name(name);
  const auto& found = file_.get(full).shape;
  if (squeezed(found) != squeezed(shape)) {
    throw Error(
        fmt::format("{}: tensor '{}' has shape {}, but the configuration asks for {}; config.json and weights do "
                    "not belong together, or this is another kind of model",
                    file_.path().string(), full, tensor::shape_string(found), tensor::shape_string(shape)));
  }
  return file_.read_f32(full);
}

device::Tensor Weights::matrix(std::string_view name, int64_t rows, int64_t cols) const {
  return device_->constant(read(name, {rows, cols}), rows, cols);
}

std::vector<float> Weights::bias(std::string_view name, int64_t out) const {
  const std::string leaf = join(name, "bias");
  return has(leaf) ? read(leaf, {out}) : std::vector<float>{};
}

device::Linear Weights::linear(std::string_view name, int64_t in, int64_t out) const {
  const std::vector<float> weight = read(join(name, "weight"), {out, in});
  return device_->pack_linear(weight, bias(name, out), in, out);
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

device::Conv1d Weights::conv1d(std::string_view name, int64_t in, int64_t out, int64_t kernel, int64_t dilation) const {
  const std::vector<float> weight = folded(name, {out, in, kernel});
  return device_->pack_conv1d(weight, bias(name, out), in, out, kernel, dilation);
}

device::ConvTranspose1d Weights::conv_transpose1d(std::string_view name, int64_t in, int64_t out, int64_t kernel,
                                                  int64_t stride, int64_t padding) const {
  const std::vector<float> weight = folded(name, {in, out, kernel});
  return device_->pack_conv_transpose1d(weight, bias(name, out), in, out, kernel, stride, padding);
}

device::LayerNorm Weights::layer_norm(std::string_view name, int64_t channels, float eps) const {
  const bool vits = has(join(name, "gamma"));
  return {matrix(join(name, vits ? "gamma" : "weight"), 1, channels),
          matrix(join(name, vits ? "beta" : "bias"), 1, channels), eps};
}

}  // namespace hayakoe::model
