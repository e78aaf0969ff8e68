// SPDX-License-Identifier: Apache-2.0
// BERT's attention: three products for each pair of query and key, of which two are with rows of the position tables
// that depend on how far apart the two are. Of a tile's 32·32 pairs only 63 differ in that, so a thread has use for
// each row more than once.
#include <type_traits>

#include "device/cuda/attention.cuh"
#include "hayakoe/error.hpp"

namespace hayakoe::device::cuda {
namespace {

// Scores are summed over this many columns at a time, so that the tables' rows fit into shared memory.
constexpr int kColumns = 32;
constexpr int kVectors = kColumns / 4;
constexpr int kDistances = kQueries + kKeys;  // one more than there are
constexpr int kDeepest = 128;

struct BertAttention {
  View<float> qkv, pos_k, pos_q, out;
  Batch batch;
  const int32_t* buckets;  // of distance 0
  int limit;               // the largest distance, in either direction, that has a bucket of its own
  int depth;
  float scale;
  bool aligned;
};

struct PositionRows {
  SharedRows<kDistances, kVectors> keys, queries;  // pos_k, pos_q
};

template <int kDepth>
struct BertShared {
  SharedRows<kQueries, kVectors> queries;
  SharedRows<kKeys, kVectors> keys;
  SharedRows<kQueries, kKeys / 4> weights;
  union {  // scores are made before values are needed
    PositionRows positions;
    SharedRows<kKeys, kDepth / 4> values;
  };
};
static_assert(sizeof(BertShared<kDeepest>) <= 48 * 1024);

// What scores need of a tile of keys in kColumns columns.
struct ScoreInputs {
  Staged<kQueries, kVectors> queries;
  Staged<kKeys, kVectors> keys;
  Staged<kDistances, kVectors> pos_k, pos_q;

  __device__ void fetch(const BertAttention& in, const QueryTile& tile, int head, int key, int column) {
    const auto part = [&](int i, int row) {
      return head_rows(in.qkv, tile, i, head, in.depth).from(row).from_column(column);
    };
    queries.fetch(part(0, tile.query), in.aligned);
    keys.fetch(part(1, key), in.aligned);
    const int first = tile.query - key - (kKeys - 1);  // distance of the tile's first query and last key
    const int columns = in.depth - column;
    const auto rows = [&](const View<float>& table) {
      const float* data = table.data + head * in.depth + column;
      const int stride = static_cast<int>(table.stride);
      return [=](int i) { return data + in.buckets[max(-in.limit, min(in.limit, first + i))] * stride; };
    };
    pos_k.fetch(rows(in.pos_k), columns, in.aligned);
    pos_q.fetch(rows(in.pos_q), columns, in.aligned);
  }
  template <int kDepth>
  __device__ void store(BertShared<kDepth>& shared) const {
    queries.store(shared.queries);
    keys.store(shared.keys);
    pos_k.store(shared.positions.keys);
    pos_q.store(shared.positions.queries);
  }
};

// scores += Qᵢ·Kⱼ + Qᵢ·PKδ + Kⱼ·PQδ over the columns that are in shared memory, for the first 8·kGroups keys.
template <int kGroups, int kDepth>
__device__ void add_products(Scores& scores, const BertShared<kDepth>& shared, const Lane& lane) {
#pragma unroll 1
  for (int v = 0; v < kVectors; ++v) {
    float4 q[2];
    float4 k[kGroups];
#pragma unroll
    for (int a = 0; a < 2; ++a) q[a] = shared.queries[lane.row + 16 * a][v];
#pragma unroll
    for (int b = 0; b < kGroups; ++b) {
      k[b] = shared.keys[lane.column + 8 * b][v];
      for (int a = 0; a < 2; ++a) scores[a][b] = add_dot(scores[a][b], q[a], k[b]);
    }
    // The distance is lane.row − lane.column + 8·(2a − b): the pairs of the same 2a − b share the rows.
#pragma unroll
    for (int apart = 1 - kGroups; apart <= 2; ++apart) {
      const int distance = lane.row - lane.column + 8 * apart + kKeys - 1;
      const float4 pos_k = shared.positions.keys[distance][v];
      const float4 pos_q = shared.positions.queries[distance][v];
#pragma unroll
      for (int a = 0; a < 2; ++a) {
        const int b = 2 * a - apart;
        if (b < 0 || b >= kGroups) continue;
        scores[a][b] = add_dot(scores[a][b], q[a], pos_k);
        scores[a][b] = add_dot(scores[a][b], k[b], pos_q);
      }
    }
  }
}

template <int kDepth>
__global__ void bert_attention_kernel(BertAttention in) {
  auto& shared = shared_memory<BertShared<kDepth>>();
  const QueryTile tile = query_tile(in.batch, static_cast<int>(blockIdx.x));
  if (tile.queries <= 0) return;
  const int head = static_cast<int>(blockIdx.y);
  const Lane lane(tile.queries);
  const TensorRows all_values = head_rows(in.qkv, tile, 2, head, in.depth);

  Attended<kDepth / 4> attended;
  ScoreInputs inputs;
  Staged<kKeys, kDepth / 4> values;
  inputs.fetch(in, tile, head, 0, 0);
  for (int key = 0; key < tile.length; key += kKeys) {
    const int keys = min(kKeys, tile.length - key);
    Scores scores = {};
    for (int column = 0; column < in.depth; column += kColumns) {
      __syncthreads();  // what is there has been used
      inputs.store(shared);
      __syncthreads();
      if (column + kColumns < in.depth) inputs.fetch(in, tile, head, key, column + kColumns);
      if (lane.used && keys > kKeys / 2) add_products<4>(scores, shared, lane);
      if (lane.used && keys <= kKeys / 2) add_products<2>(scores, shared, lane);
    }
    values.fetch(all_values.from(key), in.aligned);
    if (lane.used) {
      for (int b = 0; b < 4; ++b) {
        const bool is_key = lane.column + 8 * b < keys;
        for (int a = 0; a < 2; ++a) scores[a][b] = is_key ? scores[a][b] * in.scale : -INFINITY;
      }
      attended.weigh(scores, shared.weights, lane);
    }
    __syncthreads();
    values.store(shared.values);
    __syncthreads();
    if (key + kKeys < tile.length) inputs.fetch(in, tile, head, key + kKeys, 0);
    if (lane.used) attended.add(shared.weights, shared.values, keys, lane);
  }
  if (!lane.used) return;
  float* to = in.out.data + (tile.first + tile.query) * in.out.stride + head * in.depth;
  attended.store(to, in.out.stride, tile.queries, in.depth, in.aligned, lane);
}

}  // namespace

Tensor CudaStream::bert_attention(const Tensor& qkv, const Tensor& pos_k, const Tensor& pos_q, const Segments& s,
                                  int64_t heads, const RelativeBuckets& buckets) {
  const int64_t hidden = qkv.cols() / 3;
  const int64_t depth = hidden / heads;
  if (depth > kDeepest) {
    throw Error("cuda: bert_attention: " + std::to_string(depth) + " columns a head; at most " +
                std::to_string(kDeepest) + " are possible");
  }
  if (buckets.on_device.rows() != 2 * buckets.limit + 1) {
    throw Error("cuda: bert_attention: the buckets have no table of 2·limit + 1 rows on the device");
  }
  Tensor out = allocate(qkv.rows(), hidden);
  if (qkv.rows() == 0) return out;
  const auto aligned = [&](const Tensor& x) { return aligned_for(x, depth); };
  const BertAttention arguments{.qkv = view(qkv),
                                .pos_k = view(pos_k),
                                .pos_q = view(pos_q),
                                .out = view(out),
                                .batch = batch(s),
                                .buckets = buckets.on_device.data<int32_t>() + buckets.limit,
                                .limit = static_cast<int>(buckets.limit),
                                .depth = static_cast<int>(depth),
                                .scale = 1.0F / std::sqrt(3.0F * static_cast<float>(depth)),
                                .aligned = aligned(qkv) && aligned(pos_k) && aligned(pos_q) && aligned(out)};
  const auto start = [&]<int kDepth>(std::integral_constant<int, kDepth>) {
    launch(bert_attention_kernel<kDepth>, dim3(query_tiles(s), static_cast<unsigned>(heads)), dim3(kAttentionThreads),
           sizeof(BertShared<kDepth>), arguments);
  };
  if (depth <= 32) {
    start(std::integral_constant<int, 32>{});
  } else if (depth <= 64) {
    start(std::integral_constant<int, 64>{});
  } else {
    start(std::integral_constant<int, kDeepest>{});
  }
  return out;
}

}  // namespace hayakoe::device::cuda
