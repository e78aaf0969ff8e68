// SPDX-License-Identifier: Apache-2.0
// The transformer encoder of VITS (Kim, Kong, Son 2021), post-norm, with windowed relative positions and a
// convolutional feed-forward part. The text encoder and every coupling of the flow have one.
#pragma once

#include <vector>

#include "model/weights.hpp"

namespace hayakoe::model {

struct TransformerLayer {
  device::Linear qkv;           ///< [3·C, C]; the query part carries 1/√d
  device::Tensor rel_k, rel_v;  ///< [2·window + 1, d], shared by the heads
  device::Linear out;           ///< [C, C]
  device::LayerNorm norm_1;
  device::Conv1d ffn_1, ffn_2;  ///< C → F → C
  device::LayerNorm norm_2;
};

struct TransformerShape {
  int64_t channels;  // C
  int64_t filter;    // F
  int64_t heads;
  int64_t layers;
  int64_t kernel;          ///< of the feed-forward convolutions
  int64_t gin;             // G
  bool many_rows = false;  ///< it runs over frames, not phones
};

class Transformer {
 public:
  Transformer() = default;
  Transformer(const Weights& w, const TransformerShape& shape);

  /// x `[rows, C]` → `[rows, C]`; g `[1, G]` is the speaker, added before the third layer.
  [[nodiscard]] device::Tensor forward(device::Stream& s, device::Tensor x, const device::Segments& segments,
                                       const device::Tensor& g) const;

 private:
  TransformerShape shape_{};
  device::Linear speaker_;  // [C, G]
  std::vector<TransformerLayer> layers_;
};

}  // namespace hayakoe::model
