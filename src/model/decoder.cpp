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
constexpr int64_t kEndKernel = 7;    // of the first and the last convolution
constexpr int64_t kFewChannels = 64;

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
    const int64_t windows = (segment.rows() + window_frames - 1) / window_frames;
    for (int64_t n = 0; n < windows; ++n) {
      const int64_t begin = segment.rows() * n / windows;
      const int64_t end = segment.rows() * (n + 1) / windows;
      Tensor wanted = samples.slice_rows((segments.begin(i) + begin) * hop_length_, (end - begin) * hop_length_);
      s.copy(wanted, window(s, segment, begin, end, g));
    }
  }
  return samples;
}

namespace {

// A window of one segment on its way through the layers, in rows of the layer at hand.
class Window {
 public:
  Window(int64_t begin, int64_t end, int64_t length) : begin_(begin), end_(end), length_(length) {}

  // Of `x`, whose first row is row first_ of the segment, the wanted rows and `margin` more on either side.
  Tensor narrowed(const Tensor& x, int64_t margin) {
    const int64_t from = std::max<int64_t>(0, begin_ - margin);
    const int64_t to = std::min(end_ + margin, length_);
    const int64_t skipped = from - first_;
    first_ = from;
    return x.slice_rows(skipped, to - from);
  }
  void scale(int64_t rate) {
    for (int64_t* rows : {&begin_, &end_, &length_, &first_}) *rows *= rate;
  }

 private:
  int64_t begin_, end_;  // wanted
  int64_t length_;       // of the segment
  int64_t first_ = 0;
};

}  // namespace

Tensor Decoder::window(Stream& s, const Tensor& z, int64_t begin, int64_t end, const Tensor& g) const {
  // Each layer computes only what the layers after it read: most of the work is in the last ones, whose margins are a
  // small part of a frame.
  Window w(begin, end, z.rows());
  Tensor x = w.narrowed(z, margin_frames_);
  x = input(s, x, Segments::single(x.rows()), g);
  for (const Stage& stage : stages_) {
    x = w.narrowed(x, stage.input_margin);
    x = s.conv_transpose1d(x, Segments::single(x.rows()), stage.up, kSlope);
    w.scale(stage.up.stride);
    x = w.narrowed(x, stage.block_margin);
    x = stage.average(s, x, Segments::single(x.rows()));
  }
  x = w.narrowed(x, kEndKernel / 2);
  return w.narrowed(output(s, x, Segments::single(x.rows())), 0);
}

Tensor Decoder::decode(Stream& s, const Tensor& z, const Segments& segments, const Tensor& g) const {
  Segments at = segments;
  Tensor x = input(s, z, at, g);
  for (const Stage& stage : stages_) {
    x = s.conv_transpose1d(x, at, stage.up, kSlope);  // [rows · rate, channels / 2]
    at = at.scaled(stage.up.stride);
    x = stage.average(s, x, at);
  }
  return output(s, x, at);
}

Tensor Decoder::input(Stream& s, const Tensor& z, const Segments& segments, const Tensor& g) const {
  Tensor x = s.conv1d(z, segments, conv_pre_);  // [frames, U]
  s.add_in_place(x, s.linear(g, cond_));
  return x;
}

Tensor Decoder::Stage::average(Stream& s, const Tensor& x, const Segments& segments) const {
  Tensor sum = blocks.front().forward(s, x, segments);
  for (size_t j = 1; j < blocks.size(); ++j) s.add_in_place(sum, blocks[j].forward(s, x, segments));
  s.scale_in_place(sum, 1.0F / static_cast<float>(blocks.size()));
  return sum;
}

Tensor Decoder::output(Stream& s, const Tensor& x, const Segments& segments) const {
  Tensor samples = s.conv1d(x, segments, conv_post_, {}, kLastSlope);  // [samples, 1]
  s.tanh_in_place(samples);
  return samples;
}

// How far the inputs of a sample lie from it: backwards through the network, layer by layer, in rows of each.
void Decoder::find_margins(const VoiceConfig& c) {
  const bool two_convs = c.resblock == "1";
  const size_t rounds = two_convs ? 3 : 2;
  int64_t margin = kEndKernel / 2;
  for (size_t i = stages_.size(); i-- > 0;) {
    int64_t widest = 0;
    for (size_t j = 0; j < c.resblock_kernel_sizes.size(); ++j) {
      const int64_t half = c.resblock_kernel_sizes[j] / 2;
      int64_t block = 0;
      for (size_t n = 0; n < rounds; ++n) block += half * (c.resblock_dilation_sizes[j][n] + (two_convs ? 1 : 0));
      widest = std::max(widest, block);
    }
    Stage& stage = stages_[i];
    stage.block_margin = margin + widest;
    // A row of a transposed convolution comes from inputs within its kernel.
    margin = (stage.block_margin + stage.up.kernel - 1 + stage.up.stride - 1) / stage.up.stride;
    stage.input_margin = margin;
  }
  margin_frames_ = margin + kEndKernel / 2;
}

Decoder::Decoder(const Weights& w, const VoiceConfig& c) : hop_length_(c.hop_length) {
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
  find_margins(c);
}

}  // namespace hayakoe::model
