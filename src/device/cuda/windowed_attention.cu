// SPDX-License-Identifier: Apache-2.0
// The attention of VITS. The relative keys and values are some more keys and values to each query: their products take
// the same way as all others.
#include <type_traits>

#include "device/cuda/attention.cuh"
#include "hayakoe/error.hpp"

namespace hayakoe::device::cuda {
namespace {

constexpr int kMostRelative = 16;  // half a tile of keys
constexpr int kDeepest = 128;

struct WindowedAttention {
  View<float> qkv, rel_k, rel_v, out;
  Batch batch;
  int depth;
  bool aligned;
};

template <int kDepth>
struct WindowedShared {
  SharedRows<kQueries, kDepth / 4> queries;
  SharedRows<kKeys, kDepth / 4> keys_or_values;
  SharedRows<kQueries, kKeys / 4> weights;
  // Of query i and the key i + r − window: first what the relative key adds to the score, then the score.
  float near[kQueries][kMostRelative + 1];
};
static_assert(sizeof(WindowedShared<kDeepest>) <= 48 * 1024);

// The products of the queries with the first 8·kGroups keys.
template <int kGroups, int kDepth>
__device__ void products(Scores& scores, const WindowedShared<kDepth>& shared, const Lane& lane) {
#pragma unroll 4
  for (int v = 0; v < kDepth / 4; ++v) {
    const float4 q[2] = {shared.queries[lane.row][v], shared.queries[lane.row + 16][v]};
#pragma unroll
    for (int b = 0; b < kGroups; ++b) {
      const float4 k = shared.keys_or_values[lane.column + 8 * b][v];
      for (int a = 0; a < 2; ++a) scores[a][b] = add_dot(scores[a][b], q[a], k);
    }
  }
}

// Where keys lie from the queries: the distance of a tile's first key from its first query, and the window.
struct Window {
  int window, distance;

  // Whether any pair of the tile is within the window.
  [[nodiscard]] __device__ bool meets_tile() const {
    return distance - (kQueries - 1) <= window && distance + kKeys - 1 >= -window;
  }
  // The row of rel_k and rel_v; within the window 0 to 2·window.
  [[nodiscard]] __device__ int relative(int query, int key) const { return distance + key - query + window; }
};

// Adds the relative keys' part to the scores and keeps the sums in its place.
template <int kDepth>
__device__ void add_near(Scores& scores, WindowedShared<kDepth>& shared, const Window& window, const Lane& lane) {
#pragma unroll
  for (int a = 0; a < 2; ++a) {
#pragma unroll
    for (int b = 0; b < 4; ++b) {
      const int r = window.relative(lane.row + 16 * a, lane.column + 8 * b);
      if (r < 0 || r > 2 * window.window) continue;
      float& near = shared.near[lane.row + 16 * a][r];
      near += scores[a][b];
      scores[a][b] = near;
    }
  }
}

// The weights of the relative values: those of the keys within the window.
template <int kDepth>
__device__ void weigh_near(WindowedShared<kDepth>& shared, const float (&top)[2], const QueryTile& tile, int window,
                           const Lane& lane) {
  for (int a = 0; a < 2; ++a) {
    const int row = lane.row + 16 * a;
    auto* weights = reinterpret_cast<float*>(shared.weights[row]);
    for (int r = lane.column; r < kMostRelative; r += 8) {
      const int key = tile.query + row + r - window;
      const bool is_key = r <= 2 * window && key >= 0 && key < tile.length;
      weights[r] = is_key ? expf(shared.near[row][r] - top[a]) : 0.0F;
    }
  }
  __syncwarp();
}

template <int kDepth>
__global__ void windowed_attention_kernel(WindowedAttention in) {
  auto& shared = shared_memory<WindowedShared<kDepth>>();
  const QueryTile tile = query_tile(in.batch, static_cast<int>(blockIdx.x));
  if (tile.queries <= 0) return;
  const int head = static_cast<int>(blockIdx.y);
  const int window = in.rel_k.rows / 2;
  const Lane lane(tile.queries);
  const auto part = [&](int i, int row) { return head_rows(in.qkv, tile, i, head, in.depth).from(row); };
  const auto relative = [&](const View<float>& x) {
    return TensorRows{x.data, static_cast<int>(x.stride), x.rows, in.depth};
  };

  Staged<kQueries, kDepth / 4> staged;
  staged.fetch(part(0, tile.query), in.aligned);
  staged.store(shared.queries);
  staged.fetch(relative(in.rel_k), in.aligned);
  staged.store(shared.keys_or_values);
  __syncthreads();
  staged.fetch(part(1, 0), in.aligned);
  if (lane.used) {
    Scores scores = {};
    products<kMostRelative / 8>(scores, shared, lane);
    for (int a = 0; a < 2; ++a) {
      for (int b = 0; b < kMostRelative / 8; ++b) shared.near[lane.row + 16 * a][lane.column + 8 * b] = scores[a][b];
    }
  }

  Attended<kDepth / 4> attended;
  for (int key = 0; key < tile.length; key += kKeys) {
    const int keys = min(kKeys, tile.length - key);
    __syncthreads();  // what is there has been used
    staged.store(shared.keys_or_values);
    __syncthreads();
    staged.fetch(part(2, key), in.aligned);
    if (lane.used) {
      Scores scores = {};
      if (keys > kKeys / 2) {
        products<4>(scores, shared, lane);
      } else {
        products<2>(scores, shared, lane);
      }
      const Window near{window, key - tile.query};
      if (near.meets_tile()) add_near(scores, shared, near, lane);
      for (int b = 0; b < 4; ++b) {
        if (lane.column + 8 * b >= keys) scores[0][b] = scores[1][b] = -INFINITY;
      }
      attended.weigh(scores, shared.weights, lane);
    }
    __syncthreads();
    staged.store(shared.keys_or_values);
    __syncthreads();
    staged.fetch(key + kKeys < tile.length ? part(1, key + kKeys) : relative(in.rel_v), in.aligned);
    if (lane.used) attended.add(shared.weights, shared.keys_or_values, keys, lane);
  }
  __syncthreads();
  staged.store(shared.keys_or_values);
  __syncthreads();
  if (!lane.used) return;
  weigh_near(shared, attended.top, tile, window, lane);
  attended.add(shared.weights, shared.keys_or_values, in.rel_v.rows, lane);
  float* to = in.out.data + (tile.first + tile.query) * in.out.stride + head * in.depth;
  attended.store(to, in.out.stride, tile.queries, in.depth, in.aligned, lane);
}

}  // namespace

Tensor CudaStream::windowed_attention(const Tensor& qkv, const Tensor& rel_k, const Tensor& rel_v, const Segments& s,
                                      int64_t heads) {
  const int64_t channels = qkv.cols() / 3;
  const int64_t depth = channels / heads;
  if (depth > kDeepest) {
    throw Error("cuda: windowed_attention: " + std::to_string(depth) + " columns a head; at most " +
                std::to_string(kDeepest) + " are possible");
  }
  if (rel_k.rows() > kMostRelative || rel_k.rows() % 2 == 0 || rel_v.rows() != rel_k.rows()) {
    throw Error("cuda: windowed_attention: " + std::to_string(rel_k.rows()) + " relative keys and " +
                std::to_string(rel_v.rows()) + " relative values; as many of each are possible, an odd number below " +
                std::to_string(kMostRelative));
  }
  Tensor out = allocate(qkv.rows(), channels);
  if (qkv.rows() == 0) return out;
  const auto aligned = [&](const Tensor& x) { return aligned_for(x, depth); };
  const WindowedAttention arguments{.qkv = view(qkv),
                                    .rel_k = view(rel_k),
                                    .rel_v = view(rel_v),
                                    .out = view(out),
                                    .batch = batch(s),
                                    .depth = static_cast<int>(depth),
                                    .aligned = aligned(qkv) && aligned(rel_k) && aligned(rel_v) && aligned(out)};
  const auto start = [&]<int kDepth>(std::integral_constant<int, kDepth>) {
    launch(windowed_attention_kernel<kDepth>, dim3(query_tiles(s), static_cast<unsigned>(heads)),
           dim3(kAttentionThreads), sizeof(WindowedShared<kDepth>), arguments);
  };
  if (depth <= 32) {
    start(std::integral_constant<int, 32>{});
  } else if (depth <= 96) {
    start(std::integral_constant<int, 96>{});
  } else {
    start(std::integral_constant<int, kDeepest>{});
  }
  return out;
}

}  // namespace hayakoe::device::cuda
