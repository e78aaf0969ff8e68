// SPDX-License-Identifier: Apache-2.0
// The two attentions. Both work on one (segment, head, block of queries) at a time, so that the scores of a block stay
// in the cache and a long sentence needs no [T, T] matrix in memory.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "device/cpu/cpu_device.hpp"
#include "device/cpu/primitives.hpp"

namespace hayakoe::device {
namespace {

// 64 queries: 64 × 1,000 keys of scores are 256 KB, half of a usual L2.
constexpr int64_t kQueryBlock = 64;

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

// Where the queries of a block, and the keys and values of its segment, begin in `[rows, 3·channels]`.
struct Heads {
  const float *q, *k, *v;
  int64_t length;  // rows of the segment
  int64_t lead;    // floats from row to row
};

Heads heads_of(const Tensor& qkv, const Segments& s, const Block& b, int64_t d) {
  const int64_t channels = qkv.cols() / 3;
  const float* first = row_of(qkv, s.begin(b.segment)) + b.head * d;
  return {first + b.query * qkv.stride(), first + channels, first + 2 * channels, s.length(b.segment), qkv.stride()};
}

void softmax(float* row, int64_t n) {
  float top = row[0];
  for (int64_t j = 1; j < n; ++j) top = std::max(top, row[j]);
  float sum = 0.0F;
  for (int64_t j = 0; j < n; ++j) {
    row[j] = std::exp(row[j] - top);
    sum += row[j];
  }
  const float inverse = 1.0F / sum;
  for (int64_t j = 0; j < n; ++j) row[j] *= inverse;
}

// Scratch of one thread, kept between calls.
std::vector<float>& scratch(int which) {
  thread_local std::vector<float> buffers[3];
  return buffers[which];
}

float* scratch(int which, int64_t floats) {
  auto& b = scratch(which);
  if (b.size() < static_cast<size_t>(floats)) b.resize(static_cast<size_t>(floats));
  return b.data();
}

}  // namespace

Tensor CpuStream::bert_attention(const Tensor& qkv, const Tensor& pos_k, const Tensor& pos_q, const Segments& s,
                                 int64_t heads, const RelativeBuckets& buckets) {
  const OneThreadEach scope;
  const int64_t hidden = qkv.cols() / 3;
  const int64_t d = hidden / heads;
  const float scale = 1.0F / std::sqrt(3.0F * static_cast<float>(d));
  Tensor context = allocate(qkv.rows(), hidden);
  const auto blocks = blocks_of(s, heads);
  const int64_t longest = s.max_length();

  pool_->for_each(static_cast<int64_t>(blocks.size()), kQueryBlock * longest * d, [&](int64_t b) {
    const auto [segment, head, query, queries] = blocks[static_cast<size_t>(b)];
    const auto [q, k, v, length, lead] = heads_of(qkv, s, blocks[static_cast<size_t>(b)], d);

    // content → content: Qᵢ·Kⱼ
    float* scores = scratch(0, queries * length);
    sgemm(true, queries, length, d, scale, q, lead, k, lead, 0.0F, scores, length);

    // Only the table rows that distances inside this block can reach: δ grows with i − j, so they are one range.
    const int64_t low = buckets.at(query - (length - 1));
    const int64_t high = buckets.at(query + queries - 1);
    const int64_t range = high - low + 1;
    // content → position: Qᵢ·PKδ, position → content: Kⱼ·PQδ
    float* c2p = scratch(1, queries * range);
    float* p2c = scratch(2, length * range);
    sgemm(true, queries, range, d, scale, q, lead, row_of(pos_k, low) + head * d, pos_k.stride(), 0.0F, c2p, range);
    sgemm(true, length, range, d, scale, k, lead, row_of(pos_q, low) + head * d, pos_q.stride(), 0.0F, p2c, range);

    for (int64_t i = 0; i < queries; ++i) {
      float* row = scores + i * length;
      for (int64_t j = 0; j < length; ++j) {
        const int64_t delta = buckets.at(query + i - j) - low;
        row[j] += c2p[i * range + delta] + p2c[j * range + delta];
      }
      softmax(row, length);
    }
    sgemm(false, queries, d, length, 1.0F, scores, length, v, lead, 0.0F,
          row_of(context, s.begin(segment) + query) + head * d, context.stride());
  });
  return context;
}

Tensor CpuStream::windowed_attention(const Tensor& qkv, const Tensor& rel_k, const Tensor& rel_v, const Segments& s,
                                     int64_t heads) {
  const OneThreadEach scope;
  const int64_t channels = qkv.cols() / 3;
  const int64_t d = channels / heads;
  const int64_t window = rel_k.rows() / 2;
  Tensor y = allocate(qkv.rows(), channels);
  const auto blocks = blocks_of(s, heads);
  const int64_t longest = s.max_length();

  pool_->for_each(static_cast<int64_t>(blocks.size()), kQueryBlock * longest * d, [&](int64_t b) {
    const auto [segment, head, query, queries] = blocks[static_cast<size_t>(b)];
    const auto [q, k, v, length, lead] = heads_of(qkv, s, blocks[static_cast<size_t>(b)], d);
    float* out = row_of(y, s.begin(segment) + query) + head * d;

    // score(i, j) = qᵢ·kⱼ + [|j − i| ≤ w] qᵢ·Ek[j − i + w]
    float* scores = scratch(0, queries * length);
    sgemm(true, queries, length, d, 1.0F, q, lead, k, lead, 0.0F, scores, length);
    for (int64_t i = 0; i < queries; ++i) {
      const int64_t position = query + i;
      const int64_t first = std::max<int64_t>(0, position - window);
      const int64_t last = std::min(length - 1, position + window);
      for (int64_t j = first; j <= last; ++j) {
        const float* e = row_of(rel_k, j - position + window);
        float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
        for (int64_t c = 0; c < d; ++c) sum += q[i * lead + c] * e[c];
        scores[i * length + j] += sum;
      }
      softmax(scores + i * length, length);
    }
    // outᵢ = Σⱼ p(i, j)·vⱼ + Σ_{|j − i| ≤ w} p(i, j)·Ev[j − i + w]
    sgemm(false, queries, d, length, 1.0F, scores, length, v, lead, 0.0F, out, y.stride());
    for (int64_t i = 0; i < queries; ++i) {
      const int64_t position = query + i;
      const int64_t first = std::max<int64_t>(0, position - window);
      const int64_t last = std::min(length - 1, position + window);
      for (int64_t j = first; j <= last; ++j) {
        const float* e = row_of(rel_v, j - position + window);
        const float p = scores[i * length + j];
#pragma omp simd
        for (int64_t c = 0; c < d; ++c) out[i * y.stride() + c] += p * e[c];
      }
    }
  });
  return y;
}

}  // namespace hayakoe::device
