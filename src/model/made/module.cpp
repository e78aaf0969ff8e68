// SPDX-License-Identifier: Apache-2.0
#include "model/made/module.hpp"

#include <fmt/format.h>

#include <cmath>

namespace hayakoe::model {
namespace {

constexpr double kBiasStd = 0.02;

double std_for(double gain, int64_t inputs) { return gain / std::sqrt(static_cast<double>(inputs)); }

}  // namespace

MadeModule MadeModule::at(std::string_view name) const {
  return MadeModule(list_, fmt::format("{}{}.", prefix_, name));
}

MadeModule MadeModule::at(std::string_view name, int64_t index) const { return at(fmt::format("{}.{}", name, index)); }

void MadeModule::values(std::string_view name, std::vector<int64_t> shape, double std, double mean,
                        Pattern pattern) const {
  list_.push_back({fmt::format("{}{}", prefix_, name), std::move(shape), std, mean, pattern});
}

void MadeModule::bias(std::string_view name, int64_t channels) const {
  values(fmt::format("{}.bias", name), {channels}, kBiasStd);
}

void MadeModule::linear(std::string_view name, int64_t in, int64_t out, double gain, Pattern pattern) const {
  bias(name, out);
  values(fmt::format("{}.weight", name), {out, in}, std_for(gain, in), 0.0, pattern);
}

void MadeModule::conv1d(std::string_view name, int64_t in, int64_t out, int64_t kernel, double gain,
                        Pattern pattern) const {
  bias(name, out);
  values(fmt::format("{}.weight", name), {out, in, kernel}, std_for(gain, in * kernel), 0.0, pattern);
}

void MadeModule::normed(std::string_view name, std::vector<int64_t> shape, double weight_std, Pattern pattern) const {
  // Only the direction of v counts; the length is g, which differs from row to row in trained voices.
  constexpr double kDirectionStd = 0.01;
  constexpr double kLengthSpread = 0.05;
  const double length = weight_std * std::sqrt(static_cast<double>(shape[1] * shape[2]));
  values(fmt::format("{}.weight_g", name), {shape[0], 1, 1}, kLengthSpread * length, length);
  values(fmt::format("{}.weight_v", name), std::move(shape), kDirectionStd, 0.0, pattern);
}

void MadeModule::normed_conv1d(std::string_view name, int64_t in, int64_t out, int64_t kernel, double gain) const {
  bias(name, out);
  normed(name, {out, in, kernel}, std_for(gain, in * kernel), Pattern::kCentred);
}

void MadeModule::normed_conv_transpose1d(std::string_view name, int64_t in, int64_t out, int64_t kernel, int64_t stride,
                                         double gain) const {
  bias(name, out);
  // Each output sums kernel / stride inputs of every channel.
  normed(name, {in, out, kernel}, std_for(gain, in * kernel / stride), Pattern::kCentredIn);
}

void MadeModule::layer_norm(std::string_view name, int64_t channels, std::string_view scale,
                            std::string_view offset) const {
  constexpr double kScaleSpread = 0.1;
  values(fmt::format("{}.{}", name, offset), {channels}, kBiasStd);
  values(fmt::format("{}.{}", name, scale), {channels}, kScaleSpread, 1.0);
}

}  // namespace hayakoe::model
