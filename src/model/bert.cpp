// SPDX-License-Identifier: Apache-2.0
#include "model/bert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <hayakoe/error.hpp>

namespace hayakoe::model {

using device::Activation;
using device::Segments;
using device::Stream;
using device::Tensor;

Tensor Bert::forward(Stream& s, const Tensor& ids, const Segments& segments) const {
  const Tensor e = s.layer_norm(s.gather_rows(embeddings_, ids), embedding_norm_);  // [rows, hidden]
  Tensor x = e;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const BertLayer& l = layers_[i];
    const Tensor qkv = s.linear(x, l.qkv);  // [rows, 3·hidden]
    const Tensor context = s.bert_attention(qkv, l.pos_k, l.pos_q, segments, config_.heads, buckets_);
    const Tensor y = s.layer_norm(s.linear(context, l.attention_out), l.attention_norm, &x);
    const Tensor inner = s.linear(y, l.up, {.activation = Activation::kGelu});  // [rows, intermediate]
    x = s.layer_norm(s.linear(inner, l.down), l.norm, &y);
    if (i == 0 && has_conv_) {
      // The convolution branch reads the embeddings and joins after the first layer.
      const Tensor c = s.conv1d(e, segments, conv_, {.activation = Activation::kGelu});
      x = s.layer_norm(c, conv_norm_, &x);
    }
  }
  return x;
}

device::RelativeBuckets relative_buckets(int64_t position_buckets, int64_t max_positions) {
  const int64_t half = position_buckets / 2;
  const auto mid = static_cast<double>(half);
  const double log_range = std::log(static_cast<double>(max_positions - 1) / mid);
  const auto bucket = [&](int64_t r) -> int64_t {
    const auto distance = static_cast<double>(std::abs(r));
    if (distance <= mid) return r;
    const double log_bucket = std::ceil(std::log(distance / mid) / log_range * (mid - 1)) + mid;
    return r < 0 ? -static_cast<int64_t>(log_bucket) : static_cast<int64_t>(log_bucket);
  };
  device::RelativeBuckets b;
  // From here on every distance is clamped to the first or last row.
  b.limit = max_positions;
  while (bucket(b.limit) < position_buckets) b.limit *= 2;
  for (int64_t r = -b.limit; r <= b.limit; ++r) {
    b.row.push_back(
        static_cast<int32_t>(std::clamp<int64_t>(bucket(r) + position_buckets, 0, 2 * position_buckets - 1)));
  }
  return b;
}

namespace {

std::filesystem::path weight_file(const std::filesystem::path& folder) {
  auto file = folder / "model.safetensors";
  if (std::filesystem::exists(file)) return file;
  if (std::filesystem::exists(folder / "pytorch_model.bin")) {
    throw Error(folder.string() + ": holds pytorch_model.bin but no model.safetensors; save the model as safetensors");
  }
  throw Error(folder.string() +
              ": there is no model.safetensors; a BERT folder holds config.json, vocab.txt and model.safetensors");
}

// Three matrices below one another: one product makes query, key and value.
std::vector<float> stacked(const Weights& w, const char* leaf, const std::vector<int64_t>& shape) {
  std::vector<float> all;
  for (const char* part : {"query_proj", "key_proj", "value_proj"}) {
    const std::vector<float> one = w.read(fmt::format("{}.{}", part, leaf), shape);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

// The relative table R, normed: what every layer projects.
class RelativeTable {
 public:
  RelativeTable(const Weights& encoder, const BertConfig& c) : encoder_(encoder), config_(c) {}

  // proj(R): depends on weights only. [2S, hidden]
  [[nodiscard]] Tensor projected(const Weights& attention, const char* name, const char* projection) {
    const int64_t rows = 2 * config_.position_buckets;
    return attention.matrix_of(name, rows, config_.hidden, [&] {
      if (!stream_) {
        stream_ = encoder_.device()->stream();
        table_ = stream_->layer_norm(encoder_.matrix("rel_embeddings.weight", rows, config_.hidden),
                                     encoder_.layer_norm("LayerNorm", config_.hidden, config_.layer_norm_eps));
      }
      const std::string weight = fmt::format("{}.weight", projection);
      const std::string bias = fmt::format("{}.bias", projection);
      const device::Linear linear =
          encoder_.device()->pack_linear(attention.read(weight, {config_.hidden, config_.hidden}),
                                         attention.read(bias, {config_.hidden}), config_.hidden, config_.hidden);
      const Tensor y = stream_->linear(table_, linear);
      std::vector<float> values(static_cast<size_t>(y.rows() * y.cols()));
      stream_->download(y, std::span<float>(values));
      return values;
    });
  }

 private:
  const Weights& encoder_;
  const BertConfig& config_;
  std::unique_ptr<Stream> stream_;
  Tensor table_;
};

}  // namespace

Bert::Bert(const std::filesystem::path& folder, const std::shared_ptr<device::Device>& device, device::WeightType type,
           WeightSink* sink)
    : config_(BertConfig::parse(read_text_file(folder / "config.json"), (folder / "config.json").string())),
      buckets_(relative_buckets(config_.position_buckets, config_.max_positions)) {
  const int64_t hidden = config_.hidden;
  const float eps = config_.layer_norm_eps;
  const auto file = tensor::SafeTensors::open(weight_file(folder));
  const bool prefixed = file.has("deberta.embeddings.word_embeddings.weight");
  const Weights root = Weights(file, device, prefixed ? "deberta." : "", sink).stored_as(type);
  const Weights encoder = root.at("encoder");

  buckets_.on_device = device->constant(std::span<const int32_t>(buckets_.row));
  embeddings_ = root.matrix("embeddings.word_embeddings.weight", config_.vocab, hidden);
  embedding_norm_ = root.layer_norm("embeddings.LayerNorm", hidden, eps);
  has_conv_ = config_.conv_kernel > 0;
  if (has_conv_) {
    conv_ = encoder.conv1d("conv.conv", hidden, hidden, config_.conv_kernel);
    conv_norm_ = encoder.layer_norm("conv.LayerNorm", hidden, eps);
  }

  RelativeTable relative(encoder, config_);
  const int64_t needed = config_.layers - 2;  // hidden_states[-3]
  for (int64_t i = 0; i < needed; ++i) {
    const Weights w = encoder.at("layer", i);
    const Weights self = w.at("attention.self");
    BertLayer l;
    l.qkv = self.linear_of("qkv", hidden, 3 * hidden, [&] {
      return Weights::Values{stacked(self, "weight", {hidden, hidden}), stacked(self, "bias", {hidden})};
    });
    l.pos_k = relative.projected(self, "pos_k", "key_proj");
    l.pos_q = relative.projected(self, "pos_q", "query_proj");
    l.attention_out = w.linear("attention.output.dense", hidden, hidden);
    l.attention_norm = w.layer_norm("attention.output.LayerNorm", hidden, eps);
    l.up = w.linear("intermediate.dense", hidden, config_.intermediate);
    l.down = w.linear("output.dense", config_.intermediate, hidden);
    l.norm = w.layer_norm("output.LayerNorm", hidden, eps);
    layers_.push_back(std::move(l));
  }
}

}  // namespace hayakoe::model
