// SPDX-License-Identifier: Apache-2.0
// How long each phone lasts: the deterministic duration predictor of VITS and its stochastic one (a normalising flow),
// both needed only in the generating direction.
#pragma once

#include <array>

#include "model/config.hpp"
#include "model/weights.hpp"

namespace hayakoe::model {

/// Two convolutions; log durations `[rows, 1]`.
class DurationPredictor {
 public:
  DurationPredictor(const Weights& w, const VoiceConfig& c);
  /// x `[rows, C]` from the text encoder, g `[1, G]`.
  [[nodiscard]] device::Tensor forward(device::Stream& s, const device::Tensor& x, const device::Segments& segments,
                                       const device::Tensor& g) const;

 private:
  device::Linear cond_;
  device::Conv1d conv_1_, conv_2_;
  device::LayerNorm norm_1_, norm_2_;
  device::Linear proj_;
};

/// Dilated depth-separable convolutions: depthwise, norm, GELU, pointwise, norm, GELU, residual; three times.
class DepthSeparable {
 public:
  DepthSeparable() = default;
  DepthSeparable(const Weights& w, int64_t channels);
  [[nodiscard]] device::Tensor forward(device::Stream& s, device::Tensor x, const device::Segments& segments) const;

 private:
  struct Layer {
    device::DepthwiseConv1d separate;
    device::LayerNorm norm_1, norm_2;
    device::Linear pointwise;
  };
  std::array<Layer, 3> layers_;
};

/// One coupling of the flow: channel 0 decides the spline that channel 1 goes through.
class ConvFlow {
 public:
  ConvFlow() = default;
  ConvFlow(const Weights& w, int64_t channels);
  /// b ← spline⁻¹(b; a, c), in place; a, b `[rows, 1]`, c `[rows, C]`.
  void inverse(device::Stream& s, const device::Tensor& a, device::Tensor& b, const device::Tensor& c,
               const device::Segments& segments) const;

 private:
  device::Linear pre_;
  DepthSeparable convs_;
  device::Linear proj_;
  float scale_ = 1.0F;
};

/// Log durations from noise.
class StochasticDurationPredictor {
 public:
  StochasticDurationPredictor(const Weights& w, const VoiceConfig& c);
  /// `noise` `[rows, 2]`, standard normal; multiplied by `noise_scale_w` here, in place. Returns `[rows, 1]`.
  [[nodiscard]] device::Tensor forward(device::Stream& s, const device::Tensor& x, const device::Segments& segments,
                                       const device::Tensor& g, device::Tensor noise, float noise_scale_w) const;

 private:
  device::Linear pre_, cond_, proj_;
  DepthSeparable convs_;
  std::array<ConvFlow, 3> flows_;     // in the order of use: checkpoint indices 7, 5, 3
  device::Tensor shift_, log_scale_;  // [1, 2]
};

}  // namespace hayakoe::model
