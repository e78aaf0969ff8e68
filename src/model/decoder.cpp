// SPDX-License-Identifier: Apache-2.0
#include "model/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace hayakoe::model {

using device::Activation;
using device::Segments;
using device::Stream;
using device::Tensor;

namespace {

constexpr float kSlope = 0.1F;
constexpr float kLastSlope = 0.01F;  // the last activation is another one in the original

}  // namespace

Tensor Decoder::ResBlock::forward(Stream& s, Tensor x, const Segments& segments) const {
  for (size_t n = 0; n < convs_1.size(); ++n) {
    if (convs_2.empty()) {
      x = s.conv1d(x, segments, convs_1[n], {.residual = &x}, kSlope);
    } else {
      const Tensor t =
          s.conv1d(x, segments, convs_1[n], {.activation = Activation::kLeakyRelu, .slope = kSlope}, kSlope);
      x = s.conv1d(t, segments, convs_2[n], {.residual = &x});
    }
  }
  return x;
}

Tensor Decoder::forward(Stream& s, const Tensor& z, const Segments& segments, const Tensor& g,
                        int64_t window_frames) const {
  if (segments.max_length() <= window_frames + margin_frames_) return decode(s, z, segments, g);
  Tensor samples = s.allocate(z.rows() * hop_length_, 1);
  for (int64_t i = 0; i < segments.count(); ++i) {
    const Tensor segment = z.slice_rows(segments.begin(i), segments.length(i));
    for (int64_t begin = 0; begin < segment.rows(); begin += window_frames) {
      const int64_t end = std::min(begin + window_frames, segment.rows());
      Tensor wanted = samples.slice_rows((segments.begin(i) + begin) * hop_length_, (end - begin) * hop_length_);
      s.copy(wanted, window(s, segment, begin, end, g));
    }
  }
  return samples;
}

Tensor Decoder::window(Stream& s, const Tensor& z, int64_t begin, int64_t end, const Tensor& g) const {
  const int64_t from = std::max<int64_t>(0, begin - margin_frames_);
  const int64_t to = std::min(end + margin_frames_, z.rows());
  const Tensor samples = decode(s, z.slice_rows(from, to - from), Segments::single(to - from), g);
  return samples.slice_rows((begin - from) * hop_length_, (end - begin) * hop_length_);
}

Tensor Decoder::decode(Stream& s, const Tensor& z, const Segments& segments, const Tensor& g) const {
  Segments at = segments;
  Tensor x = s.conv1d(z, at, conv_pre_);  // [frames, U]
  s.add_in_place(x, s.linear(g, cond_));
  for (const Stage& stage : stages_) {
    x = s.conv_transpose1d(x, at, stage.up, kSlope);  // [rows · rate, channels / 2]
    at = at.scaled(stage.up.stride);
    Tensor sum = stage.blocks.front().forward(s, x, at);
    for (size_t j = 1; j < stage.blocks.size(); ++j) s.add_in_place(sum, stage.blocks[j].forward(s, x, at));
    s.scale_in_place(sum, 1.0F / static_cast<float>(stage.blocks.size()));
    x = sum;
  }
  Tensor samples = s.conv1d(x, at, conv_post_, {}, kLastSlope);  // [samples, 1]
  s.tanh_in_place(samples);
  return samples;
}

namespace {

constexpr int64_t kEndKernel = 7;
constexpr int64_t kFewChannels = 64;

// How far, in frames, the inputs of a sample lie from it: backwards through the network, layer by layer.
int64_t receptive_margin(const VoiceConfig& c) {
  const bool two_convs = c.resblock == "1";
  const size_t rounds = two_convs ? 3 : 2;
  int64_t reach = kEndKernel / 2;  // in samples of the layer at hand
  for (size_t i = c.upsample_rates.size(); i-- > 0;) {
    int64_t widest = 0;
    for (size_t j = 0; j < c.resblock_kernel_sizes.size(); ++j) {
      const int64_t half = c.resblock_kernel_sizes[j] / 2;
      int64_t block = 0;
      for (size_t n = 0; n < rounds; ++n) block += half * (c.resblock_dilation_sizes[j][n] + (two_convs ? 1 : 0));
      widest = std::max(widest, block);
    }
    // A sample of a transposed convolution comes from inputs within its kernel.
    const int64_t rate = c.upsample_rates[i];
    reach = (reach + widest + c.upsample_kernel_sizes[i] - 1 + rate - 1) / rate;
  }
  return reach + kEndKernel / 2;
}

}  // namespace

Decoder::Decoder(const Weights& w, const VoiceConfig& c)
    : margin_frames_(receptive_margin(c)), hop_length_(c.hop_length) {
  const bool two_convs = c.resblock == "1";
  const size_t rounds = two_convs ? 3 : 2;
  int64_t channels = c.upsample_initial_channel;
  conv_pre_ = w.conv1d("conv_pre", c.inter_channels, channels, kEndKernel);
  cond_ = w.linear("cond", c.gin_channels, channels);

  const size_t kernels = c.resblock_kernel_sizes.size();
  for (size_t i = 0; i < c.upsample_rates.size(); ++i) {
    const int64_t kernel = c.upsample_kernel_sizes[i];
    const int64_t rate = c.upsample_rates[i];
    Stage stage;
    stage.up = w.conv_transpose1d(fmt::format("ups.{}", i), channels, channels / 2, kernel, rate, (kernel - rate) / 2);
    channels /= 2;
    for (size_t j = 0; j < kernels; ++j) {
      // The last stages have few weights, and nothing after them evens out what rounding does to these.
      const Weights stored = w.at("resblocks", static_cast<int64_t>(i * kernels + j));
      const Weights block = channels > kFewChannels ? stored : stored.delicate();
      ResBlock b;
      for (size_t n = 0; n < rounds; ++n) {
        const int64_t k = c.resblock_kernel_sizes[j];
        const int64_t dilation = c.resblock_dilation_sizes[j][n];
        b.convs_1.push_back(block.conv1d(fmt::format("{}.{}", two_convs ? "convs1" : "convs", n), channels, channels, k,
                                         dilation, true));
        if (two_convs) b.convs_2.push_back(block.conv1d(fmt::format("convs2.{}", n), channels, channels, k, 1, true));
      }
      stage.blocks.push_back(std::move(b));
    }
    stages_.push_back(std::move(stage));
  }
  conv_post_ = w.conv1d("conv_post", channels, 1, kEndKernel);
}

}  // namespace hayakoe::model
