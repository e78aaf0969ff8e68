// SPDX-License-Identifier: Apache-2.0
#include "model/flops.hpp"

#include <algorithm>
#include <cstdlib>

namespace hayakoe::model {

using tensor::Segments;

namespace {

// A multiplication and an addition for each weight and row.
int64_t product(int64_t rows, int64_t in, int64_t out) { return 2 * rows * in * out; }
int64_t convolution(int64_t rows, int64_t kernel, int64_t in, int64_t out) { return kernel * product(rows, in, out); }

// Pairs of a query and a key: every row of a segment sees every row of it.
int64_t pairs(const Segments& s) {
  int64_t n = 0;
  for (int64_t i = 0; i < s.count(); ++i) n += s.length(i) * s.length(i);
  return n;
}

// The pairs whose rows are at most `window` apart.
int64_t near_pairs(const Segments& s, int64_t window) {
  int64_t n = 0;
  for (int64_t i = 0; i < s.count(); ++i) {
    for (int64_t offset = -window; offset <= window; ++offset) {
      n += std::max<int64_t>(0, s.length(i) - std::abs(offset));
    }
  }
  return n;
}

// Transformer of VITS, of the text encoder and of the couplings (model/transformer.hpp).
int64_t transformer(const VoiceConfig& c, const Segments& s, int64_t layers, int64_t kernel) {
  constexpr int64_t kWindow = 4;  // of the relative positions; fixed in the format
  const int64_t channels = c.hidden_channels;
  const int64_t projections = product(s.rows(), channels, 4 * channels);  // query, key, value, output
  const int64_t attention = 2 * 2 * pairs(s) * channels;                  // q·k, p·v
  const int64_t relative = 2 * 2 * near_pairs(s, kWindow) * channels;     // q·Ek, p·Ev
  const int64_t feed_forward = convolution(s.rows(), kernel, channels, c.filter_channels) +
                               convolution(s.rows(), kernel, c.filter_channels, channels);
  return layers * (projections + attention + relative + feed_forward);
}

// Three rounds of a depthwise convolution of 3 taps and a pointwise one (model/duration.hpp).
int64_t depth_separable(int64_t rows, int64_t channels) {
  constexpr int64_t kRounds = 3;
  constexpr int64_t kKernel = 3;
  return kRounds * (convolution(rows, kKernel, 1, channels) + product(rows, channels, channels));
}

int64_t deterministic(const VoiceConfig& c, int64_t rows) {
  constexpr int64_t kFilter = 256;  // fixed in the format, as the kernel is
  constexpr int64_t kKernel = 3;
  return convolution(rows, kKernel, c.hidden_channels, kFilter) + convolution(rows, kKernel, kFilter, kFilter) +
         product(rows, kFilter, 1);
}

// In the generating direction.
int64_t stochastic(const VoiceConfig& c, int64_t rows) {
  constexpr int64_t kFlows = 3;       // that take part in it
  constexpr int64_t kSplineRow = 29;  // widths, heights and inner derivatives of 10 bins
  const int64_t channels = c.hidden_channels;
  const int64_t condition = 2 * product(rows, channels, channels) + depth_separable(rows, channels);  // pre, proj
  const int64_t flow =
      product(rows, 1, channels) + depth_separable(rows, channels) + product(rows, channels, kSplineRow);
  return condition + kFlows * flow;
}

}  // namespace

int64_t bert_flops(const BertConfig& c, const Segments& tokens) {
  const int64_t rows = tokens.rows();
  const int64_t projections = product(rows, c.hidden, 4 * c.hidden);  // query, key, value, output
  // Q·K, Q·PK, K·PQ and p·V; PK and PQ themselves are made once, at load.
  const int64_t attention = 4 * 2 * pairs(tokens) * c.hidden;
  const int64_t feed_forward = product(rows, c.hidden, c.intermediate) + product(rows, c.intermediate, c.hidden);
  const int64_t used_layers = c.layers - 2;  // hidden_states[-3]
  return used_layers * (projections + attention + feed_forward) +
         convolution(rows, c.conv_kernel, c.hidden, c.hidden);  // the branch beside the first layer
}

int64_t text_encoder_flops(const VoiceConfig& c, const Segments& phones, int64_t bert_rows, int64_t bert_width) {
  return product(bert_rows, bert_width, c.hidden_channels) + transformer(c, phones, c.n_layers, c.kernel_size) +
         product(phones.rows(), c.hidden_channels, 2 * c.inter_channels);
}

int64_t duration_flops(const VoiceConfig& c, int64_t rows, const DurationOptions& o) {
  return (o.sdp_ratio != 1.0F ? deterministic(c, rows) : 0) + (o.sdp_ratio != 0.0F ? stochastic(c, rows) : 0);
}

int64_t flow_flops(const VoiceConfig& c, const Segments& frames) {
  constexpr int64_t kCouplings = 4;  // these three are fixed in the format
  constexpr int64_t kLayers = 6;
  constexpr int64_t kKernel = 5;
  const int64_t half = c.inter_channels / 2;
  const int64_t ends =
      product(frames.rows(), half, c.hidden_channels) + product(frames.rows(), c.hidden_channels, half);
  return kCouplings * (ends + transformer(c, frames, kLayers, kKernel));
}

int64_t decoder_flops(const VoiceConfig& c, int64_t frames) {
  constexpr int64_t kEndKernel = 7;  // of the first and the last convolution
  const int64_t rounds = c.resblock == "1" ? 3 : 2;
  const int64_t convolutions = c.resblock == "1" ? 2 : 1;  // a round
  int64_t taps = 0;                                        // of all residual blocks of a stage
  for (const int64_t kernel : c.resblock_kernel_sizes) taps += rounds * convolutions * kernel;

  int64_t rows = frames;
  int64_t channels = c.upsample_initial_channel;
  int64_t sum = convolution(rows, kEndKernel, c.inter_channels, channels);
  for (size_t i = 0; i < c.upsample_rates.size(); ++i) {
    sum += convolution(rows, c.upsample_kernel_sizes[i], channels, channels / 2);  // each row in meets every tap
    rows *= c.upsample_rates[i];
    channels /= 2;
    sum += convolution(rows, taps, channels, channels);
  }
  return sum + convolution(rows, kEndKernel, channels, 1);
}

}  // namespace hayakoe::model
