// SPDX-License-Identifier: Apache-2.0
// DeBERTa-v2 (He, Liu, Gao, Chen: "DeBERTa: decoding-enhanced BERT with disentangled attention", 2021), as the feature
// extractor of Style-Bert-VITS2: the output of the third layer from the end, no language-model head.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "model/config.hpp"
#include "model/weights.hpp"

namespace hayakoe::model {

struct BertLayer {
  device::Linear qkv;            ///< [3·hidden, hidden]: query, key, value
  device::Tensor pos_k, pos_q;   ///< [2S, hidden]: key and query projections of the relative table; fixed, made at load
  device::Linear attention_out;  ///< [hidden, hidden]
  device::LayerNorm attention_norm;
  device::Linear up, down;  ///< hidden → intermediate → hidden
  device::LayerNorm norm;
};

class Bert {
 public:
  /// Reads `config.json` and the weights of a folder in Hugging Face's layout; `type` is for the layers' matrices
  /// unless the folder is converted. @throws Error
  Bert(const std::filesystem::path& folder, const std::shared_ptr<device::Device>& device,
       device::WeightType type = device::WeightType::kF32, WeightSink* sink = nullptr);

  /// Features `[rows, hidden]` of a ragged batch of token ids, int32 `[rows, 1]`, each segment [CLS] … [SEP].
  [[nodiscard]] device::Tensor forward(device::Stream& s, const device::Tensor& ids,
                                       const device::Segments& segments) const;

  [[nodiscard]] const BertConfig& config() const { return config_; }

 private:
  BertConfig config_;
  device::RelativeBuckets buckets_;
  device::Tensor embeddings_;  // [vocab, hidden]
  device::LayerNorm embedding_norm_;
  std::vector<BertLayer> layers_;
  bool has_conv_ = false;
  device::Conv1d conv_;
  device::LayerNorm conv_norm_;
};

/// Row of the relative tables for each distance r = query − key: the distance itself up to S/2, logarithmic buckets
/// from there to `max_positions`, shifted by S and clamped to [0, 2S − 1].
device::RelativeBuckets relative_buckets(int64_t position_buckets, int64_t max_positions);

}  // namespace hayakoe::model
