// SPDX-License-Identifier: Apache-2.0
#include "model/transformer.hpp"

#include <fmt/format.h>

#include <cmath>

namespace hayakoe::model {

using device::Activation;
using device::Tensor;

Tensor Transformer::forward(device::Stream& s, Tensor x, const device::Segments& segments, const Tensor& g) const {
  constexpr size_t kSpeakerLayer = 2;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const TransformerLayer& l = layers_[i];
    if (i == kSpeakerLayer) s.add_in_place(x, s.linear(g, speaker_));
    const Tensor attended = s.windowed_attention(s.linear(x, l.qkv), l.rel_k, l.rel_v, segments, shape_.heads);
    x = s.layer_norm(s.linear(attended, l.out), l.norm_1, &x);
    const Tensor inner = s.conv1d(x, segments, l.ffn_1, {.activation = Activation::kRelu});  // [rows, F]
    x = s.layer_norm(s.conv1d(inner, segments, l.ffn_2), l.norm_2, &x);
  }
  return x;
}

namespace {

constexpr int64_t kWindow = 4;
constexpr float kEps = 1e-5F;

// One product makes query, key and value.
device::Linear stacked_qkv(const Weights& w, int64_t channels, int64_t heads) {
  return w.linear_of("qkv", channels, 3 * channels, [&] {
    Weights::Values all;
    const float query_scale = 1.0F / std::sqrt(static_cast<float>(channels / heads));
    for (const char* part : {"conv_q", "conv_k", "conv_v"}) {
      std::vector<float> m = w.read(fmt::format("{}.weight", part), {channels, channels});
      std::vector<float> b = w.read(fmt::format("{}.bias", part), {channels});
      if (all.weight.empty()) {
        for (float& v : m) v *= query_scale;
        for (float& v : b) v *= query_scale;
      }
      all.weight.insert(all.weight.end(), m.begin(), m.end());
      all.bias.insert(all.bias.end(), b.begin(), b.end());
    }
    return all;
  });
}

}  // namespace

Transformer::Transformer(const Weights& w, const TransformerShape& shape) : shape_(shape) {
  const int64_t c = shape.channels;
  speaker_ = w.linear("spk_emb_linear", shape.gin, c);
  for (int64_t i = 0; i < shape.layers; ++i) {
    const Weights attention = w.at("attn_layers", i);
    const Weights ffn = w.at("ffn_layers", i);
    TransformerLayer l;
    l.qkv = stacked_qkv(attention, c, shape.heads);
    l.rel_k = attention.matrix("emb_rel_k", 2 * kWindow + 1, c / shape.heads);
    l.rel_v = attention.matrix("emb_rel_v", 2 * kWindow + 1, c / shape.heads);
    l.out = attention.linear("conv_o", c, c);
    l.norm_1 = w.layer_norm(fmt::format("norm_layers_1.{}", i), c, kEps);
    l.ffn_1 = ffn.conv1d("conv_1", c, shape.filter, shape.kernel, 1, shape.many_rows);
    l.ffn_2 = ffn.conv1d("conv_2", shape.filter, c, shape.kernel, 1, shape.many_rows);
    l.norm_2 = w.layer_norm(fmt::format("norm_layers_2.{}", i), c, kEps);
    layers_.push_back(std::move(l));
  }
}

}  // namespace hayakoe::model
