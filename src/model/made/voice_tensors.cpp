// SPDX-License-Identifier: Apache-2.0
#include "model/made/voice_tensors.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/made/module.hpp"

namespace hayakoe::model {
namespace {

constexpr int64_t kPredictorKernel = 3;

// What a constant input of the whole sentence (speaker, style) adds to activations of unit variance.
constexpr double kConditionGain = 0.3;
// What a residual branch adds.
constexpr double kBranchGain = 0.45;

void norm(const MadeModule& m, std::string_view name, int64_t channels) {
  m.layer_norm(name, channels, "gamma", "beta");
}

struct EncoderShape {
  int64_t channels, filter, heads, layers, kernel, gin;
};

void transformer(const MadeModule& m, const EncoderShape& s) {
  constexpr int64_t kOffsets = 9;            // four positions to each side
  constexpr double kReluMeanSquare = 0.5;    // of relu(x), x standard normal
  constexpr double kOffsetPreference = 0.3;  // what the offset adds to scores of unit variance
  for (int64_t i = 0; i < s.layers; ++i) {
    const MadeModule attention = m.at("attn_layers", i);
    for (const char* part : {"conv_q", "conv_k", "conv_v"}) attention.conv1d(part, s.channels, s.channels, 1, 1.0);
    attention.conv1d("conv_o", s.channels, s.channels, 1, kBranchGain);
    attention.values("emb_rel_k", {1, kOffsets, s.channels / s.heads}, kOffsetPreference);
    attention.values("emb_rel_v", {1, kOffsets, s.channels / s.heads}, kOffsetPreference);
    norm(m, fmt::format("norm_layers_1.{}", i), s.channels);
    const MadeModule ffn = m.at("ffn_layers", i);
    ffn.conv1d("conv_1", s.channels, s.filter, s.kernel, 1.0);
    ffn.conv1d("conv_2", s.filter, s.channels, s.kernel, kBranchGain / std::sqrt(kReluMeanSquare), Pattern::kCentred);
    norm(m, fmt::format("norm_layers_2.{}", i), s.channels);
  }
  m.linear("spk_emb_linear", s.gin, s.channels, kConditionGain);
}

void text_encoder(const MadeModule& m, const VoiceConfig& c, int64_t bert_width) {
  constexpr int64_t kSymbols = 112;
  constexpr int64_t kTones = 12;
  constexpr int64_t kLanguages = 3;
  // Parts of the sum that the first layer reads; the forward pass multiplies it by √C.
  constexpr double kToneStd = 0.4;
  constexpr double kLanguageStd = 0.2;
  constexpr double kBertStd = 0.2;
  const int64_t channels = c.hidden_channels;
  const double unit = 1.0 / std::sqrt(static_cast<double>(channels));
  m.values("emb.weight", {kSymbols, channels}, unit);
  m.values("tone_emb.weight", {kTones, channels}, kToneStd * unit);
  m.values("language_emb.weight", {kLanguages, channels}, kLanguageStd * unit);
  m.values("bert_proj.weight", {channels, bert_width, 1}, kBertStd * unit / std::sqrt(static_cast<double>(bert_width)));
  m.values("bert_proj.bias", {channels}, 0.0);
  m.values("style_proj.weight", {channels, kStyleChannels},
           kConditionGain * unit / (kStyleStd * std::sqrt(static_cast<double>(kStyleChannels))));
  m.values("style_proj.bias", {channels}, 0.0);
  transformer(m.at("encoder"), {channels, c.filter_channels, c.n_heads, c.n_layers, c.kernel_size, c.gin_channels});
  constexpr double kStatsStd = 0.6;  // of means and log scales
  m.conv1d("proj", channels, 2 * c.inter_channels, 1, kStatsStd);
}

// Durations have this mean of their logarithms, in frames: a phone and its blank then take 7 frames, with what rounding
// up adds. At 44.1 kHz and a hop of 512 that is 12 phones a second, the tempo of speech.
constexpr double kLogFrames = 0.97;
constexpr double kLogFramesStd = 0.7;

void duration_predictor(const MadeModule& m, const VoiceConfig& c) {
  constexpr int64_t kFilter = 256;
  m.conv1d("cond", c.gin_channels, c.hidden_channels, 1, kConditionGain);
  m.conv1d("conv_1", c.hidden_channels, kFilter, kPredictorKernel, 1.0);
  norm(m, "norm_1", kFilter);
  // What is the same in the whole sentence or alternates with the blanks drops out. The tempo is therefore within a
  // tenth of that of kLogFrames for every seed, style and speaker, and only the rhythm differs.
  m.conv1d("conv_2", kFilter, kFilter, kPredictorKernel, 1.0, Pattern::kDifference);
  norm(m, "norm_2", kFilter);
  m.values("proj.weight", {1, kFilter, 1}, kLogFramesStd / std::sqrt(static_cast<double>(kFilter)));
  m.values("proj.bias", {1}, 0.0, kLogFrames);
}

void depth_separable(const MadeModule& m, int64_t channels) {
  constexpr int64_t kLayers = 3;
  for (int64_t i = 0; i < kLayers; ++i) {
    m.conv1d(fmt::format("convs_sep.{}", i), 1, channels, kPredictorKernel, 1.0);
    norm(m, fmt::format("norms_1.{}", i), channels);
    m.conv1d(fmt::format("convs_1x1.{}", i), channels, channels, 1, 1.0);
    norm(m, fmt::format("norms_2.{}", i), channels);
  }
}

// An affine map at index 0, log frames = (z − m)·e^−logs, and four spline flows of which the first only trains.
void duration_flows(const MadeModule& m, int64_t channels) {
  constexpr double kSpread = 1.6;                    // of the noise over that of the log durations
  constexpr double kLogSpread = 0.4700036292457356;  // ln 1.6
  constexpr int64_t kSplineParameters = 29;
  constexpr double kBend = 0.06;  // of the logarithm of a bin's width, which is divided by √C
  m.values("0.logs", {2, 1}, 0.0, kLogSpread);
  m.values("0.m", {2, 1}, 0.0, -kLogFrames * kSpread);
  constexpr double kInputGain = 0.5;
  for (const int64_t i : {1, 3, 5, 7}) {
    const MadeModule flow = m.at(std::to_string(i));
    flow.conv1d("pre", 1, channels, 1, kInputGain);
    depth_separable(flow.at("convs"), channels);
    flow.conv1d("proj", channels, kSplineParameters, 1, kBend * std::sqrt(static_cast<double>(channels)),
                Pattern::kCentred);
  }
}

void stochastic_duration_predictor(const MadeModule& m, const VoiceConfig& c) {
  const int64_t channels = c.hidden_channels;
  m.conv1d("pre", channels, channels, 1, 1.0);
  m.conv1d("cond", c.gin_channels, channels, 1, kConditionGain);
  depth_separable(m.at("convs"), channels);
  m.conv1d("proj", channels, channels, 1, 1.0, Pattern::kCentred);
  duration_flows(m.at("flows"), channels);

  // Training only, but stored.
  m.conv1d("post_pre", 1, channels, 1, 1.0);
  depth_separable(m.at("post_convs"), channels);
  m.conv1d("post_proj", channels, channels, 1, 1.0, Pattern::kCentred);
  duration_flows(m.at("post_flows"), channels);
}

void flow(const MadeModule& m, const VoiceConfig& c) {
  constexpr int64_t kLayers = 6;
  constexpr int64_t kKernel = 5;
  constexpr double kShift = 0.4;
  const int64_t half = c.inter_channels / 2;
  for (const int64_t i : {0, 2, 4, 6}) {
    const MadeModule coupling = m.at("flows", i);
    coupling.conv1d("pre", half, c.hidden_channels, 1, 1.0);
    transformer(coupling.at("enc"),
                {c.hidden_channels, c.filter_channels, c.n_heads, kLayers, kKernel, c.gin_channels});
    coupling.conv1d("post", c.hidden_channels, half, 1, kShift);
  }
}

// Of leaky ReLU, slope 0.1, of a standard normal; its mean does not get through centred weights.
constexpr double kLeakyVariance = 0.376;

void residual_block(const MadeModule& m, const VoiceConfig& c, int64_t channels, int64_t kernel) {
  const double after_leaky = 1.0 / std::sqrt(kLeakyVariance);
  const bool two_convs = c.resblock == "1";
  const int64_t rounds = two_convs ? 3 : 2;
  for (int64_t n = 0; n < rounds; ++n) {
    const char* first = two_convs ? "convs1" : "convs";
    m.normed_conv1d(fmt::format("{}.{}", first, n), channels, channels, kernel,
                    after_leaky * (two_convs ? 1.0 : kBranchGain));
    if (two_convs) {
      m.normed_conv1d(fmt::format("convs2.{}", n), channels, channels, kernel, after_leaky * kBranchGain);
    }
  }
}

void decoder(const MadeModule& m, const VoiceConfig& c) {
  constexpr int64_t kEndKernel = 7;
  constexpr double kLevel = 0.15;          // of the waveform, root mean square; tanh is still nearly linear
  constexpr double kBlocksVariance = 1.2;  // of the mean of three residual blocks in parallel
  const double up_gain = 1.0 / std::sqrt(kLeakyVariance * kBlocksVariance);
  int64_t channels = c.upsample_initial_channel;
  m.conv1d("conv_pre", c.inter_channels, channels, kEndKernel, 1.0);
  m.conv1d("cond", c.gin_channels, channels, 1, kConditionGain);
  const size_t kernels = c.resblock_kernel_sizes.size();
  for (size_t i = 0; i < c.upsample_rates.size(); ++i) {
    m.normed_conv_transpose1d(fmt::format("ups.{}", i), channels, channels / 2, c.upsample_kernel_sizes[i],
                              c.upsample_rates[i], up_gain);
    channels /= 2;
    for (size_t j = 0; j < kernels; ++j) {
      residual_block(m.at("resblocks", static_cast<int64_t>(i * kernels + j)), c, channels, c.resblock_kernel_sizes[j]);
    }
  }
  m.values("conv_post.weight", {1, channels, kEndKernel},
           kLevel / std::sqrt(0.5 * static_cast<double>(channels * kEndKernel)), 0.0, Pattern::kCentred);
}

}  // namespace

std::vector<MadeTensor> voice_tensors(const VoiceConfig& c, int64_t bert_width) {
  std::vector<MadeTensor> list;
  const MadeModule root(list);
  root.values("emb_g.weight", {c.n_speakers, c.gin_channels}, 1.0);
  text_encoder(root.at("enc_p"), c, bert_width);
  duration_predictor(root.at("dp"), c);
  stochastic_duration_predictor(root.at("sdp"), c);
  flow(root.at("flow"), c);
  decoder(root.at("dec"), c);
  return list;
}

}  // namespace hayakoe::model
