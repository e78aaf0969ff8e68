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

  /// z `[frames, I]`, g `[1, G]` → samples in [−1, 1], `[frames · hop_length, 1]`. A segment of more than
  /// `window_frames` is decoded in windows of at most so many, so that memory does not grow with it. The result does
  /// not depend on them: a window is decoded with as much more on both sides as each layer's readers see,
  /// margin_frames() at first.
  [[nodiscard]] device::Tensor forward(device::Stream& s, const device::Tensor& z, const device::Segments& segments,
                                       const device::Tensor& g, int64_t window_frames) const;

  /// The samples of frames [begin, end) of one segment, as forward() makes them: what a stream needs first.
  [[nodiscard]] device::Tensor window(device::Stream& s, const device::Tensor& z, int64_t begin, int64_t end,
                                      const device::Tensor& g) const;

  /// Frames on either side that a sample depends on, from the kernels, dilations and rates of the configuration.
  [[nodiscard]] int64_t margin_frames() const { return margin_frames_; }

 private:
  void find_margins(const VoiceConfig& c);
  [[nodiscard]] device::Tensor input(device::Stream& s, const device::Tensor& z, const device::Segments& segments,
                                     const device::Tensor& g) const;
  [[nodiscard]] device::Tensor output(device::Stream& s, const device::Tensor& x,
                                      const device::Segments& segments) const;
  [[nodiscard]] device::Tensor decode(device::Stream& s, const device::Tensor& z, const device::Segments& segments,
                                      const device::Tensor& g) const;

  // Residual block: for each dilation, x += conv(lrelu(conv(lrelu(x)))) (kind "1") or x += conv(lrelu(x)) (kind "2").
  struct ResBlock {
    std::vector<device::Conv1d> convs_1;  ///< dilated
    std::vector<device::Conv1d> convs_2;  ///< not dilated; empty in kind "2"
    [[nodiscard]] device::Tensor forward(device::Stream& s, device::Tensor x, const device::Segments& segments) const;
  };
  struct Stage {
    device::ConvTranspose1d up;
    std::vector<ResBlock> blocks;  ///< one a kernel size; their results are averaged
    int64_t input_margin = 0;      ///< rows on either side that the wanted ones depend on: of what `up` reads,
    int64_t block_margin = 0;      ///< of what the blocks read
    [[nodiscard]] device::Tensor average(device::Stream& s, const device::Tensor& x,
                                         const device::Segments& segments) const;
  };

  device::Conv1d conv_pre_, conv_post_;
  device::Linear cond_;
  std::vector<Stage> stages_;
  int64_t margin_frames_ = 0;
  int64_t hop_length_ = 0;
};

}  // namespace hayakoe::model
