// SPDX-License-Identifier: Apache-2.0
// What the two attentions share: a block attends with 32 queries of one segment and head to 32 keys at a time, so that
// no score leaves the block ("flash attention", Dao et al. 2022).
//
// A thread has the scores of queries lane.row + 16a and keys lane.column + 8b of a tile, and later the columns of those
// same queries' results: only its own warp needs the softmax of its rows.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

#include "device/cuda/cuda_stream.hpp"
#include "device/cuda/ptx.cuh"

namespace hayakoe::device::cuda {

constexpr int kQueries = 32;
constexpr int kKeys = 32;
constexpr int kAttentionThreads = 128;
constexpr unsigned kAllLanes = 0xffffffffU;

/// TensorRows of up to 4·kVectors floats in shared memory. The gap behind each row puts 8 rows' vectors of the same
/// number into different banks.
template <int kRows, int kVectors>
using SharedRows = float4[kRows][kVectors + 1];

using Scores = float[2][4];

/// A thread's place in a tile. Neighbouring lanes share keys, and lanes 2 apart share queries: so the hardware serves
/// each half of a warp with one pass over the banks.
struct Lane {
  int row, column;  ///< below 16, below 8
  bool used;        ///< the warp has queries; the same for all its lanes

  __device__ explicit Lane(int queries) {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    row = 4 * warp + (lane & 1) + 2 * (lane >> 4);
    column = (lane >> 1) & 7;
    used = 4 * warp < queries;
  }
};

/// Over the lanes of the same row.
__device__ inline float row_maximum(float x) {
  for (int step = 2; step <= 8; step *= 2) x = fmaxf(x, __shfl_xor_sync(kAllLanes, x, step));
  return x;
}
__device__ inline float row_sum(float x) {
  for (int step = 2; step <= 8; step *= 2) x += __shfl_xor_sync(kAllLanes, x, step);
  return x;
}

/// The queries of a block: those from `query` on of a segment, kQueries of them or what is left.
struct QueryTile {
  int first, length;  ///< of the segment
  int query, queries;
};

/// Blocks that attention needs at most: segment i has those from offset / kQueries + i on, which is a table that
/// needs no memory and never too few.
inline unsigned query_tiles(const Segments& s) { return static_cast<unsigned>(s.rows() / kQueries + s.count()); }

/// The tile of a block; it has no queries if the block is one too many.
__device__ inline QueryTile query_tile(const Batch& batch, int block) {
  int segment = 0;
  for (int end = batch.count; end - segment > 1;) {
    const int middle = (segment + end) / 2;
    (batch.bounds(middle).x / kQueries + middle <= block ? segment : end) = middle;
  }
  const int2 bounds = batch.bounds(segment);
  const int query = kQueries * (block - bounds.x / kQueries - segment);
  return {bounds.x, bounds.y - bounds.x, query, min(kQueries, bounds.y - bounds.x - query)};
}

/// Some rows of a tensor. A block fetches rows close to the first one: 32 bits are enough for how far away they lie,
/// and save registers.
struct TensorRows {
  const float* data;
  int stride, count, columns;

  [[nodiscard]] __device__ const float* at(int row) const { return row < count ? data + row * stride : nullptr; }
  [[nodiscard]] __device__ TensorRows from(int row) const {
    return {data + int64_t{row} * stride, stride, count - row, columns};
  }
  [[nodiscard]] __device__ TensorRows from_column(int column) const {
    return {data + column, stride, count, columns - column};
  }
};

/// `part` 0, 1, 2: the queries, keys, values of a segment's head in `[rows, 3·channels]`.
__device__ inline TensorRows head_rows(const View<float>& qkv, const QueryTile& tile, int part, int head, int depth) {
  const float* data = qkv.data + tile.first * qkv.stride + part * (qkv.cols / 3) + head * depth;
  return {data, static_cast<int>(qkv.stride), tile.length, depth};
}

/// Values on their way from global to shared memory, in registers so that they can be fetched while others are used.
template <int kRows, int kVectors>
struct Staged {
  static constexpr int kParts = kRows * kVectors / kAttentionThreads;
  static_assert(kParts * kAttentionThreads == kRows * kVectors);
  float4 parts[kParts];

  /// `row_at(i)` points at row i, or is null where there is none; zeros are kept there and beyond the columns.
  /// `aligned`: rows begin and end on 16 bytes.
  template <typename RowAt>
  __device__ void fetch(const RowAt& row_at, int columns, bool aligned) {
    if (aligned) {
#pragma unroll
      for (int p = 0; p < kParts; ++p) {
        const float* row = row_at(row_of(p));
        const bool inside = row != nullptr && 4 * vector_of(p) < columns;
        parts[p] = inside ? reinterpret_cast<const float4*>(row)[vector_of(p)] : make_float4(0.0F, 0.0F, 0.0F, 0.0F);
      }
    } else {
#pragma unroll
      for (int p = 0; p < kParts; ++p) {
        const float* row = row_at(row_of(p));
        const int column = 4 * vector_of(p);
        const int inside = row != nullptr ? columns - column : 0;
        parts[p] = make_float4(inside > 0 ? row[column] : 0.0F, inside > 1 ? row[column + 1] : 0.0F,
                               inside > 2 ? row[column + 2] : 0.0F, inside > 3 ? row[column + 3] : 0.0F);
      }
    }
  }
  __device__ void fetch(const TensorRows& rows, bool aligned) {
    fetch([&](int row) { return rows.at(row); }, rows.columns, aligned);
  }
  __device__ void store(SharedRows<kRows, kVectors>& to) const {
#pragma unroll
    for (int p = 0; p < kParts; ++p) to[row_of(p)][vector_of(p)] = parts[p];
  }

 private:
  static __device__ int row_of(int part) {
    return (static_cast<int>(threadIdx.x) + part * kAttentionThreads) / kVectors;
  }
  static __device__ int vector_of(int part) {
    return (static_cast<int>(threadIdx.x) + part * kAttentionThreads) % kVectors;
  }
};

/// sum + a·b
__device__ inline float add_dot(float sum, const float4& a, const float4& b) {
  return fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, sum))));
}

/// sum += factor · x
__device__ inline void add_scaled(float4& sum, float factor, const float4& x) {
  sum.x = fmaf(factor, x.x, sum.x);
  sum.y = fmaf(factor, x.y, sum.y);
  sum.z = fmaf(factor, x.z, sum.z);
  sum.w = fmaf(factor, x.w, sum.w);
}

/// A thread's part of softmax(scores)·values, tile after tile: weights and results are relative to the largest score
/// so far.
template <int kVectors>
struct Attended {
  float top[2] = {-INFINITY, -INFINITY};
  float sum[2] = {0.0F, 0.0F};  ///< of the thread's own keys
  float4 result[2][kVectors / 8] = {};

  /// Takes the scores of a tile, −∞ for what is no key, and leaves exp(score − top) in the warp's rows of `weights`.
  __device__ void weigh(const Scores& scores, SharedRows<kQueries, kKeys / 4>& weights, const Lane& lane) {
#pragma unroll
    for (int a = 0; a < 2; ++a) {
      const float* s = scores[a];
      const float before = top[a];
      top[a] = fmaxf(before, row_maximum(fmaxf(fmaxf(s[0], s[1]), fmaxf(s[2], s[3]))));
      const float shrink = expf(before - top[a]);
      sum[a] *= shrink;
      auto* row = reinterpret_cast<float*>(weights[lane.row + 16 * a]);
#pragma unroll
      for (int b = 0; b < 4; ++b) {
        const float weight = expf(s[b] - top[a]);
        row[lane.column + 8 * b] = weight;
        sum[a] += weight;
      }
#pragma unroll
      for (int c = 0; c < kVectors / 8; ++c) {
        float4& r = result[a][c];
        r = make_float4(r.x * shrink, r.y * shrink, r.z * shrink, r.w * shrink);
      }
    }
    __syncwarp();
  }

  /// result += weights · values over the first `keys`, of which there are zeros up to the next multiple of 4.
  template <int kRows>
  __device__ void add(const SharedRows<kQueries, kKeys / 4>& weights, const float4 (&values)[kRows][kVectors + 1],
                      int keys, const Lane& lane) {
#pragma unroll 1
    for (int four = 0; 4 * four < keys; ++four) {
      const float4 w0 = weights[lane.row][four];
      const float4 w1 = weights[lane.row + 16][four];
      const float at[2][4] = {{w0.x, w0.y, w0.z, w0.w}, {w1.x, w1.y, w1.z, w1.w}};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int c = 0; c < kVectors / 8; ++c) {
          const float4 value = values[4 * four + j][lane.column + 8 * c];
          add_scaled(result[0][c], at[0][j], value);
          add_scaled(result[1][c], at[1][j], value);
        }
      }
    }
  }

  /// Writes the finished rows. `to`: row of the tile's first query, the head's first column. All lanes of the warp.
  __device__ void store(float* to, int64_t stride, int queries, int columns, bool aligned, const Lane& lane) const {
#pragma unroll
    for (int a = 0; a < 2; ++a) {
      const float scale = 1.0F / row_sum(sum[a]);
      const int row = lane.row + 16 * a;
      if (row >= queries) continue;
#pragma unroll
      for (int c = 0; c < kVectors / 8; ++c) {
        const float4& r = result[a][c];
        const float4 y = make_float4(r.x * scale, r.y * scale, r.z * scale, r.w * scale);
        const int column = 4 * (lane.column + 8 * c);
        float* at = to + row * stride + column;
        if (aligned) {
          if (column < columns) *reinterpret_cast<float4*>(at) = y;
        } else {
          if (column < columns) at[0] = y.x;
          if (column + 1 < columns) at[1] = y.y;
          if (column + 2 < columns) at[2] = y.z;
          if (column + 3 < columns) at[3] = y.w;
        }
      }
    }
  }
};

/// Whether rows of `depth` columns from multiples of `depth` on begin and end on 16 bytes.
inline bool aligned_for(const Tensor& x, int64_t depth) {
  return depth % 4 == 0 && x.stride() % 4 == 0 && reinterpret_cast<uintptr_t>(x.data<float>()) % 16 == 0;
}

}  // namespace hayakoe::device::cuda
