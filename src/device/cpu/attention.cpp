// SPDX-License-Identifier: Apache-2.0
// The two attentions. The keys and values of each (segment, head) are packed once; then the queries go through a block
// at a time, so that the scores of a block stay in the cache and a long sentence needs no [T, T] matrix in memory.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "device/cpu/cpu_device.hpp"
#include "device/cpu/kernels/gemm.hpp"
#include "device/cpu/kernels/transpose.hpp"
#include "device/cpu/kernels/vector_math.hpp"
#include "device/cpu/scratch.hpp"

namespace hayakoe::device {
namespace {

// Queries of a block: whole tiles of gemm(), whole panels, and the scores for 1,000 keys are 190 KB, within a usual L2.
constexpr int64_t kQueryBlock = 48;

constexpr int64_t whole_panels(int64_t columns) { return (columns + kPanel - 1) / kPanel * kPanel; }

struct Block {
  int64_t segment, head, query, queries;
};

std::vector<Block> blocks_of(const Segments& s, int64_t heads) {
  std::vector<Block> blocks;
  for (int64_t i = 0; i < s.count(); ++i) {
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t q = 0; q < s.length(i); q += kQueryBlock) {
        blocks.push_back({i, h, q, std::min(kQueryBlock, s.length(i) - q)});
      }
    }
  }
  return blocks;
}

// The queries, keys and values of one segment and head in `[rows, 3·channels]`.
struct Head {
  const float *q, *k, *v;
  int64_t length;  // rows
  int64_t lead;    // floats from row to row
};

Head head_of(const Tensor& qkv, const Segments& s, int64_t segment, int64_t head, int64_t d) {
  const int64_t channels = qkv.cols() / 3;
  const float* q = row_of(qkv, s.begin(segment)) + head * d;
  return {q, q + channels, q + 2 * channels, s.length(segment), qkv.stride()};
}

// Panels of each segment and head behind one another in one tensor.
struct HeadPanels {
  Tensor data;
  std::vector<int64_t> begin;  // of the segments' first heads
  std::vector<int64_t> size;   // of one head

  template <typename Size>
  HeadPanels(Stream& stream, const Segments& s, int64_t heads, const Size& size_of_length) {
    int64_t total = 0;
    for (int64_t i = 0; i < s.count(); ++i) {
      begin.push_back(total);
      size.push_back(size_of_length(s.length(i)));
      total += heads * size.back();
    }
    data = stream.allocate(1, total);
  }
  [[nodiscard]] float* at(int64_t segment, int64_t head) const {
    const auto i = static_cast<size_t>(segment);
    return row_of(data, 0) + begin[i] + head * size[i];
  }
};

// Packs the rows that `row(j)` points at, null for none, as columns of panels.
template <typename Row>
void pack_as_columns(int64_t columns, int64_t depth, float* to, const Row& row) {
  for (int64_t first = 0; first < columns; first += kPanel, to += depth * kPanel) {
    const float* rows[kPanel];
    for (int64_t j = 0; j < kPanel; ++j) rows[j] = first + j < columns ? row(first + j) : nullptr;
    pack_rows(rows, depth, to);
  }
}

// Packs the `depth` rows that `row(i)` points at, `columns` of each, as rows of panels.
template <typename Row>
void pack_as_rows(int64_t depth, int64_t columns, float* to, const Row& row) {
  for (int64_t first = 0; first < columns; first += kPanel) {
    const int64_t valid = std::min(kPanel, columns - first);
    for (int64_t i = 0; i < depth; ++i, to += kPanel) {
      if (valid == kPanel) {
        std::memcpy(to, row(i) + first, kPanel * sizeof(float));
      } else {
        std::fill(std::copy_n(row(i) + first, valid, to), to + kPanel, 0.0F);
      }
    }
  }
}

// The keys of each segment and head as columns, the values as rows. Rows of `more_k` and `more_v`, the same for all
// heads, come after them.
struct PackedHeads {
  HeadPanels keys, values;
};

PackedHeads pack_heads(Stream& stream, ThreadPool& pool, const Tensor& qkv, const Segments& s, int64_t heads,
                       const Tensor& more_k = {}, const Tensor& more_v = {}) {
  const int64_t d = qkv.cols() / 3 / heads;
  const int64_t more = more_k.empty() ? 0 : more_k.rows();
  const auto keys_size = [&](int64_t length) { return panel_floats(d, length + more); };
  const auto values_size = [&](int64_t length) { return panel_floats(length + more, d); };
  PackedHeads packed{{stream, s, heads, keys_size}, {stream, s, heads, values_size}};
  pool.for_each(s.count() * heads, 2 * s.max_length() * d, [&](int64_t t) {
    const int64_t segment = t / heads;
    const int64_t head = t % heads;
    const Head h = head_of(qkv, s, segment, head, d);
    pack_as_columns(h.length + more, d, packed.keys.at(segment, head),
                    [&](int64_t j) { return j < h.length ? h.k + j * h.lead : row_of(more_k, j - h.length); });
    pack_as_rows(h.length + more, d, packed.values.at(segment, head),
                 [&](int64_t i) { return i < h.length ? h.v + i * h.lead : row_of(more_v, i - h.length); });
  });
  return packed;
}

// softmax(scale·scores) of the first `length` columns. Whole panels are written, zeros beyond the length: so no row
// ends in a part of a vector.
void softmax_of_panels(float* row, int64_t length, float scale) {
  const int64_t padded = whole_panels(length);
  std::fill(row + length, row + padded, -std::numeric_limits<float>::infinity());
  softmax_in_place(row, padded, scale);
}

// The position tables of DeBERTa as columns by distance, so that a product has the terms of neighbours side by side:
// for content → position by key − query, for position → content by query − key. Column c is distance c + 1 − reach,
// `reach` being the longest segment in whole panels. Where many distances share a bucket its row is there as often.
class PositionPanels {
 public:
  PositionPanels(Stream& stream, ThreadPool& pool, const Tensor& pos_k, const Tensor& pos_q, const Segments& s,
                 int64_t heads, const RelativeBuckets& buckets)
      : d_(pos_k.cols() / heads), reach_(whole_panels(s.max_length())) {
    c2p_ = stream.allocate(heads, 2 * reach_ * d_);
    p2c_ = stream.allocate(heads, 2 * reach_ * d_);
    pool.for_each(heads, 4 * reach_ * d_, [&](int64_t h) {
      const auto distance = [&](int64_t column) { return column + 1 - reach_; };
      pack_as_columns(2 * reach_, d_, row_of(c2p_, h),
                      [&](int64_t c) { return row_of(pos_k, buckets.at(-distance(c))) + h * d_; });
      pack_as_columns(2 * reach_, d_, row_of(p2c_, h),
                      [&](int64_t c) { return row_of(pos_q, buckets.at(distance(c))) + h * d_; });
    });
  }

  // Panels from a distance on that is 1 more than a multiple of kPanel.
  [[nodiscard]] const float* content_to_position(int64_t head, int64_t distance) const {
    return row_of(c2p_, head) + (distance + reach_ - 1) * d_;
  }
  [[nodiscard]] const float* position_to_content(int64_t head, int64_t distance) const {
    return row_of(p2c_, head) + (distance + reach_ - 1) * d_;
  }

 private:
  int64_t d_, reach_;
  Tensor c2p_, p2c_;
};

// out(r, r + c − kPanel + 1) = (rows · panels)(r, c) for up to kPanel rows: where column c is a distance, the result
// stands by place. Writes from kPanel − 1 columns before out to `columns` behind it.
void skewed_product(int64_t rows, int64_t columns, const GemmInput& in, const float* panels, float* out,
                    int64_t row_stride) {
  gemm(rows, columns, in, {.panels = panels}, {.data = out - (kPanel - 1), .row_stride = row_stride + 1});
}

}  // namespace

Tensor CpuStream::bert_attention(const Tensor& qkv, const Tensor& pos_k, const Tensor& pos_q, const Segments& s,
                                 int64_t heads, const RelativeBuckets& buckets) {
  const int64_t hidden = qkv.cols() / 3;
  const int64_t d = hidden / heads;
  const float scale = 1.0F / std::sqrt(3.0F * static_cast<float>(d));
  Tensor context = allocate(qkv.rows(), hidden);
  const auto packed = pack_heads(*this, *pool_, qkv, s, heads);
  const PositionPanels positions(*this, *pool_, pos_k, pos_q, s, heads, buckets);
  const auto blocks = blocks_of(s, heads);

  pool_->for_each(static_cast<int64_t>(blocks.size()), kQueryBlock * s.max_length() * d, [&](int64_t t) {
    const Block& b = blocks[static_cast<size_t>(t)];
    const Head h = head_of(qkv, s, b.segment, b.head, d);
    const auto rows = [&](const float* first, int64_t at) {
      return GemmInput{.data = first + at * h.lead, .row_stride = h.lead, .depth = d};
    };
    // Room for the skewed products on both sides of each row.
    const int64_t by_key = whole_panels(h.length) + 3 * kPanel;
    const int64_t by_query = whole_panels(b.queries) + 3 * kPanel;
    float* scores = thread_scratch(0, b.queries * by_key) + kPanel;
    float* transposed = thread_scratch(1, h.length * by_query) + kPanel;

    // content → position: Qᵢ·PKδ, kPanel queries at a time, so that few distances out of reach are computed.
    for (int64_t i = 0; i < b.queries; i += kPanel) {
      const int64_t first = -(b.query + i + kPanel - 1);  // key − query of the first key and the last query
      skewed_product(std::min(kPanel, b.queries - i), whole_panels(h.length + kPanel - 1), rows(h.q, b.query + i),
                     positions.content_to_position(b.head, first), scores + i * by_key, by_key);
    }
    // + content → content: Qᵢ·Kⱼ
    gemm(b.queries, whole_panels(h.length), rows(h.q, b.query), {.panels = packed.keys.at(b.segment, b.head)},
         {.data = scores, .row_stride = by_key, .residual = scores, .residual_stride = by_key});
    // + position → content: Kⱼ·PQδ, a row for each key
    for (int64_t j = 0; j < h.length; j += kPanel) {
      const int64_t first = b.query - (j + kPanel - 1);  // query − key of the first query and the last key
      skewed_product(std::min(kPanel, h.length - j), whole_panels(b.queries + kPanel - 1), rows(h.k, j),
                     positions.position_to_content(b.head, first), transposed + j * by_query, by_query);
    }
    add_transposed(b.queries, h.length, transposed, by_query, scores, by_key);

    for (int64_t i = 0; i < b.queries; ++i) softmax_of_panels(scores + i * by_key, h.length, scale);
    gemm(b.queries, d, {.data = scores, .row_stride = by_key, .depth = h.length},
         {.panels = packed.values.at(b.segment, b.head)},
         {.data = row_of(context, s.begin(b.segment) + b.query) + b.head * d, .row_stride = context.stride()});
  });
  return context;
}

Tensor CpuStream::windowed_attention(const Tensor& qkv, const Tensor& rel_k, const Tensor& rel_v, const Segments& s,
                                     int64_t heads) {
  const int64_t channels = qkv.cols() / 3;
  const int64_t d = channels / heads;
  const int64_t span = rel_k.rows();
  const int64_t window = span / 2;
  Tensor y = allocate(qkv.rows(), channels);
  // The relative keys and values are some more keys and values: no products of their own.
  const auto packed = pack_heads(*this, *pool_, qkv, s, heads, rel_k, rel_v);
  const auto blocks = blocks_of(s, heads);

  pool_->for_each(static_cast<int64_t>(blocks.size()), kQueryBlock * s.max_length() * d, [&](int64_t t) {
    const Block& b = blocks[static_cast<size_t>(t)];
    const Head h = head_of(qkv, s, b.segment, b.head, d);
    const int64_t columns = whole_panels(h.length + span);
    float* scores = thread_scratch(0, b.queries * columns);

    // qᵢ·kⱼ, and qᵢ·Ek[r] behind them
    gemm(b.queries, columns, {.data = h.q + b.query * h.lead, .row_stride = h.lead, .depth = d},
         {.panels = packed.keys.at(b.segment, b.head)}, {.data = scores, .row_stride = columns});
    for (int64_t i = 0; i < b.queries; ++i) {
      const int64_t position = b.query + i;
      const int64_t first = std::max<int64_t>(0, position - window);
      const int64_t near = std::min(h.length, position + window + 1) - first;  // keys within the window
      float* row = scores + i * columns;
      float* relative = row + h.length + first - position + window;
      // score(i, j) = qᵢ·kⱼ + [|j − i| ≤ w] qᵢ·Ek[j − i + w]
      for (int64_t j = 0; j < near; ++j) row[first + j] += relative[j];
      softmax_of_panels(row, h.length, 1.0F);
      // outᵢ = Σⱼ p(i, j)·vⱼ + Σ_{|j − i| ≤ w} p(i, j)·Ev[j − i + w]
      std::fill_n(row + h.length, span, 0.0F);
      std::copy_n(row + first, near, relative);
    }
    gemm(b.queries, d, {.data = scores, .row_stride = columns, .depth = h.length + span},
         {.panels = packed.values.at(b.segment, b.head)},
         {.data = row_of(y, s.begin(b.segment) + b.query) + b.head * d, .row_stride = y.stride()});
  });
  return y;
}

}  // namespace hayakoe::device
