// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/config.hpp"
#include "model/weights.hpp"

namespace hayakoe::model {

/// HiFi-GAN generator (Kong, Kim, Bae 2020): latent frames → samples.
class Decoder {
 public:
  Decoder(const Weights& w, const VoiceConfig& c);
  /// z `[frames, I]`, g `[1, G]` → samples in [−1, 1], `[frames · hop_length, 1]`.
  [[nodiscard]] device::Tensor forward(device::Stream& s, const device::Tensor& z, const device::Segments& segments,
                                       const device::Tensor& g) const;

 private:
  // Residual block: for each dilation, x += conv(lrelu(conv(lrelu(x)))) (kind "1") or x += conv(lrelu(x)) (kind "2").
  struct ResBlock {
    std::vector<device::Conv1d> convs_1;  ///< dilated
    std::vector<device::Conv1d> convs_2;  ///< not dilated; empty in kind "2"
    [[nodiscard]] device::Tensor forward(device::Stream& s, device::Tensor x, const device::Segments& segments) const;
  };
  struct Stage {
    device::ConvTranspose1d up;
    std::vector<ResBlock> blocks;  ///< one a kernel size; their results are averaged
  };

  device::Conv1d conv_pre_, conv_post_;
  device::Linear cond_;
  std::vector<Stage> stages_;
};

}  // namespace hayakoe::model
