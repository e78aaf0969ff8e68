// SPDX-License-Identifier: Apache-2.0
#include "model/made/bert_tensors.hpp"

#include <cmath>

#include "model/made/module.hpp"

namespace hayakoe::model {
namespace {

constexpr double kGeluMeanSquare = 0.425;  // of gelu(x), x standard normal

// Query and key such that scores have a standard deviation of about 1.2: attention that prefers, but not one alone.
constexpr double kAttendGain = 1.1;
// Residual branches smaller than what they are added to, as in trained models; larger ones would make all characters
// of a text alike within 22 layers.
constexpr double kBranchGain = 0.45;

void norm(const MadeModule& m, std::string_view name, int64_t channels) {
  m.layer_norm(name, channels, "weight", "bias");
}

void layer(const MadeModule& m, const BertConfig& c) {
  const MadeModule self = m.at("attention.self");
  self.linear("query_proj", c.hidden, c.hidden, kAttendGain);
  self.linear("key_proj", c.hidden, c.hidden, kAttendGain);
  self.linear("value_proj", c.hidden, c.hidden, 1.0);
  m.linear("attention.output.dense", c.hidden, c.hidden, kBranchGain);
  norm(m, "attention.output.LayerNorm", c.hidden);
  m.linear("intermediate.dense", c.hidden, c.intermediate, 1.0);
  m.linear("output.dense", c.intermediate, c.hidden, kBranchGain / std::sqrt(kGeluMeanSquare), Pattern::kCentred);
  norm(m, "output.LayerNorm", c.hidden);
}

}  // namespace

std::vector<MadeTensor> bert_tensors(const BertConfig& c) {
  constexpr double kEmbeddingStd = 0.02;  // the initializer_range of the configuration; a layer norm follows
  std::vector<MadeTensor> list;
  const MadeModule root(list);
  const MadeModule bert = root.at("deberta");
  bert.values("embeddings.word_embeddings.weight", {c.vocab, c.hidden}, kEmbeddingStd);
  norm(bert, "embeddings.LayerNorm", c.hidden);

  const MadeModule encoder = bert.at("encoder");
  encoder.values("rel_embeddings.weight", {2 * c.position_buckets, c.hidden}, kEmbeddingStd);
  norm(encoder, "LayerNorm", c.hidden);
  if (c.conv_kernel > 0) {
    encoder.conv1d("conv.conv", c.hidden, c.hidden, c.conv_kernel, 1.0);
    norm(encoder, "conv.LayerNorm", c.hidden);
  }
  for (int64_t i = 0; i < c.layers; ++i) layer(encoder.at("layer", i), c);

  const MadeModule head = root.at("cls.predictions");
  head.linear("transform.dense", c.hidden, c.hidden, 1.0);
  norm(head, "transform.LayerNorm", c.hidden);
  head.values("bias", {c.vocab}, kEmbeddingStd);
  return list;
}

}  // namespace hayakoe::model
