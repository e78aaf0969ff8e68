// SPDX-License-Identifier: Apache-2.0
#include "model/flow.hpp"

namespace hayakoe::model {

using device::Tensor;

Tensor Flow::reverse(device::Stream& s, const Tensor& z_p, const device::Segments& segments, const Tensor& g) const {
  Tensor x = z_p;
  for (const Coupling& c : couplings_) {
    x = s.reverse_channels(x);
    const Tensor x0 = x.slice_cols(0, half_);
    Tensor x1 = x.slice_cols(half_, half_);
    const Tensor h = c.encoder.forward(s, s.linear(x0, c.pre), segments, g);  // [frames, C]
    s.subtract_in_place(x1, s.linear(h, c.post));                             // mean only, no scale
  }
  return x;
}

Flow::Flow(const Weights& w, const VoiceConfig& c) : half_(c.inter_channels / 2) {
  constexpr int64_t kLayers = 6;  // these three are fixed in the format
  constexpr int64_t kKernel = 5;
  constexpr std::array<int64_t, 4> kOrder{6, 4, 2, 0};
  for (size_t i = 0; i < couplings_.size(); ++i) {
    const Weights at = w.at("flows", kOrder[i]);
    couplings_[i].pre = at.linear("pre", half_, c.hidden_channels);
    couplings_[i].encoder = Transformer(
        at.at("enc"), {c.hidden_channels, c.filter_channels, c.n_heads, kLayers, kKernel, c.gin_channels, true});
    couplings_[i].post = at.linear("post", c.hidden_channels, half_);
  }
}

}  // namespace hayakoe::model
