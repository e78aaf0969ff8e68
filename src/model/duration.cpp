// SPDX-License-Identifier: Apache-2.0
#include "model/duration.hpp"

#include <fmt/format.h>

#include <cmath>

namespace hayakoe::model {

using device::Activation;
using device::Segments;
using device::Stream;
using device::Tensor;

namespace {

constexpr float kEps = 1e-5F;
constexpr int64_t kKernel = 3;
constexpr int64_t kBins = 10;  // of the spline

}  // namespace

Tensor DurationPredictor::forward(Stream& s, const Tensor& x, const Segments& segments, const Tensor& g) const {
  Tensor u = s.allocate(x.rows(), x.cols());
  s.copy(u, x);  // the stochastic predictor reads x again
  s.add_in_place(u, s.linear(g, cond_));
  u = s.layer_norm(s.conv1d(u, segments, conv_1_, {.activation = Activation::kRelu}), norm_1_);  // [rows, 256]
  u = s.layer_norm(s.conv1d(u, segments, conv_2_, {.activation = Activation::kRelu}), norm_2_);
  return s.linear(u, proj_);  // [rows, 1]
}

DurationPredictor::DurationPredictor(const Weights& w, const VoiceConfig& c) {
  constexpr int64_t kFilter = 256;  // fixed in the format
  cond_ = w.linear("cond", c.gin_channels, c.hidden_channels);
  conv_1_ = w.conv1d("conv_1", c.hidden_channels, kFilter, kKernel);
  norm_1_ = w.layer_norm("norm_1", kFilter, kEps);
  conv_2_ = w.conv1d("conv_2", kFilter, kFilter, kKernel);
  norm_2_ = w.layer_norm("norm_2", kFilter, kEps);
  proj_ = w.linear("proj", kFilter, 1);
}

Tensor DepthSeparable::forward(Stream& s, Tensor x, const Segments& segments) const {
  for (const Layer& l : layers_) {
    const Tensor y = s.layer_norm(s.depthwise_conv1d(x, segments, l.separate), l.norm_1, nullptr, Activation::kGelu);
    s.add_in_place(x, s.layer_norm(s.linear(y, l.pointwise), l.norm_2, nullptr, Activation::kGelu));
  }
  return x;
}

DepthSeparable::DepthSeparable(const Weights& w, int64_t channels) {
  int64_t dilation = 1;
  for (size_t i = 0; i < layers_.size(); ++i) {
    Layer& l = layers_[i];
    const Weights separate = w.at("convs_sep", static_cast<int64_t>(i));
    // Stored [channels, 1, kernel]; a row a tap is what a loop over channels wants.
    const Tensor taps = separate.matrix_of("taps", kKernel, channels, [&] {
      const std::vector<float> stored = separate.read("weight", {channels, 1, kKernel});
      std::vector<float> by_tap(stored.size());
      for (int64_t ch = 0; ch < channels; ++ch) {
        for (int64_t k = 0; k < kKernel; ++k) {
          by_tap[static_cast<size_t>(k * channels + ch)] = stored[static_cast<size_t>(ch * kKernel + k)];
        }
      }
      return by_tap;
    });
    l.separate = {taps, separate.matrix("bias", 1, channels), dilation};
    l.norm_1 = w.layer_norm(fmt::format("norms_1.{}", i), channels, kEps);
    l.pointwise = w.linear(fmt::format("convs_1x1.{}", i), channels, channels);
    l.norm_2 = w.layer_norm(fmt::format("norms_2.{}", i), channels, kEps);
    dilation *= kKernel;
  }
}

void ConvFlow::inverse(Stream& s, const Tensor& a, Tensor& b, const Tensor& c, const Segments& segments) const {
  Tensor h = s.linear(a, pre_);  // [rows, C]
  s.add_in_place(h, c);
  const Tensor params = s.linear(convs_.forward(s, h, segments), proj_);  // [rows, 3·bins − 1]
  s.spline_inverse_in_place(b, params, scale_);
}

ConvFlow::ConvFlow(const Weights& w, int64_t channels)
    : pre_(w.linear("pre", 1, channels)),
      convs_(w.at("convs"), channels),
      proj_(w.linear("proj", channels, 3 * kBins - 1)),
      scale_(1.0F / std::sqrt(static_cast<float>(channels))) {}

Tensor StochasticDurationPredictor::forward(Stream& s, const Tensor& x, const Segments& segments, const Tensor& g,
                                            Tensor noise, float noise_scale_w) const {
  Tensor c = s.linear(x, pre_);
  s.add_in_place(c, s.linear(g, cond_));
  c = s.linear(convs_.forward(s, c, segments), proj_);  // [rows, C]

  s.scale_in_place(noise, noise_scale_w);
  // Before each coupling the channels change places; instead of moving them we swap their names.
  Tensor a = noise.slice_cols(0, 1);
  Tensor b = noise.slice_cols(1, 1);
  for (const ConvFlow& flow : flows_) {
    std::swap(a, b);
    flow.inverse(s, a, b, c, segments);
  }
  std::swap(a, b);
  s.affine_inverse_in_place(a, shift_.slice_cols(0, 1), log_scale_.slice_cols(0, 1));
  return a;
}

StochasticDurationPredictor::StochasticDurationPredictor(const Weights& w, const VoiceConfig& c) {
  const int64_t channels = c.hidden_channels;
  pre_ = w.linear("pre", channels, channels);
  cond_ = w.linear("cond", c.gin_channels, channels);
  proj_ = w.linear("proj", channels, channels);
  convs_ = DepthSeparable(w.at("convs"), channels);
  constexpr std::array<int64_t, 3> kOrder{7, 5, 3};  // index 1 takes part in training only
  for (size_t i = 0; i < flows_.size(); ++i) flows_[i] = ConvFlow(w.at("flows", kOrder[i]), channels);
  shift_ = w.matrix("flows.0.m", 1, 2);
  log_scale_ = w.matrix("flows.0.logs", 1, 2);
}

}  // namespace hayakoe::model
