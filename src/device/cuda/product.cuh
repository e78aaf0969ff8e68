// SPDX-License-Identifier: Apache-2.0
// The product of product.hpp. A block computes a tile of rows × outputs. It walks along the depth (taps × inputs) 16
// words at a time; while one piece is multiplied out of shared memory the next `Ahead` are on their way to registers:
// few blocks with little to multiply need several, or they would wait for memory most of the time.
//
//        depth →              a tile of x, gathered: row r, tap, inputs → words      [TileRows][16]
//        ┌──┬──┬──┬─           a tile of the weights: output n, the same words        [TileColumns][16]
//   rows │  │  │  │
//        └──┴──┴──┴─
#pragma once

#include "device/cuda/activation.cuh"
#include "device/cuda/product.hpp"
#include "device/cuda/ptx.cuh"

namespace hayakoe::device::cuda {

// 20 words from row to row: eight rows then begin in eight different groups of four banks, so that neither the loads of
// four words nor the fragments of the tensor cores meet in a bank.
constexpr int kRowWords = kTileWords + 4;
constexpr int kChunkWords = 4;  // a thread moves 16 bytes of a row at a time
constexpr int kChunks = kTileWords / kChunkWords;

template <Format F>
constexpr bool kIsShort = F == Format::kF16 || F == Format::kBF16;

template <int TileRows, int TileColumns>
struct ProductShared {
  uint32_t left[2][TileRows][kRowWords];
  uint32_t right[2][TileColumns][kRowWords];
};

template <Format F>
__device__ inline uint32_t word_of(float low, float high) {
  if constexpr (F == Format::kF16) return pack_f16(low, high);
  if constexpr (F == Format::kBF16) return pack_bf16(low, high);
  if constexpr (F == Format::kTF32) return round_tf32(low);
  return __float_as_uint(low);
}

// The tile of x. Thread t moves chunk t mod 4 of the rows t / 4, t / 4 + Threads / 4, …
template <Format F, int TileRows, int Threads, int Ahead>
class LeftTile {
 public:
  __device__ explicit LeftTile(const Product& p, int first_row) : p_(p) {
    const int z = static_cast<int>(blockIdx.z);
    const int shift = p.first + (z + p.padding) / p.stride;
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const int row = first_row + row_of(i);
      int2 bounds = make_int2(0, 0);  // beyond the last row there is nothing
      if (row < p.rows) bounds = p.batch.offsets != nullptr ? p.batch.bounds_at(row) : make_int2(0, p.rows);
      source_[i] = row + shift;
      begin_[i] = bounds.x;
      end_[i] = bounds.y;
    }
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      depth_[g] = chunk() * kValues + g * 4;
      tap_[g] = depth_[g] / p.in;
      input_[g] = depth_[g] - tap_[g] * p.in;
    }
  }

  // Reads the next piece of the depth into place `to`, a constant: registers have no index.
  __device__ void load(int to) {
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        if (p_.by_four) {
          load_four(value_[to][i][g], i, g);
        } else {
          load_singly(value_[to][i][g], i, g);
        }
      }
      depth_[g] += kChunks * kValues;
      input_[g] += kChunks * kValues;
      while (input_[g] >= p_.in) {
        input_[g] -= p_.in;
        ++tap_[g];
      }
    }
  }

  __device__ void store(int from, uint32_t (&to)[TileRows][kRowWords]) const {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      if (row_of(i) >= TileRows) continue;
      const auto& value = value_[from][i];
      uint4 words;
      if constexpr (kIsShort<F>) {
        words.x = word_of<F>(value[0][0], value[0][1]);
        words.y = word_of<F>(value[0][2], value[0][3]);
        words.z = word_of<F>(value[kGroups - 1][0], value[kGroups - 1][1]);
        words.w = word_of<F>(value[kGroups - 1][2], value[kGroups - 1][3]);
      } else {
        words.x = word_of<F>(value[0][0], 0.0F);
        words.y = word_of<F>(value[0][1], 0.0F);
        words.z = word_of<F>(value[0][2], 0.0F);
        words.w = word_of<F>(value[0][3], 0.0F);
      }
      *reinterpret_cast<uint4*>(&to[row_of(i)][chunk() * kChunkWords]) = words;
    }
  }

 private:
  static constexpr int kValues = kIsShort<F> ? 8 : 4;  // of a chunk
  static constexpr int kGroups = kValues / 4;          // read together; may lie in two taps
  static constexpr int kRows = (TileRows * kChunks + Threads - 1) / Threads;

  __device__ static int chunk() { return static_cast<int>(threadIdx.x) % kChunks; }
  __device__ static int row_of(int i) { return static_cast<int>(threadIdx.x) / kChunks + i * (Threads / kChunks); }

  [[nodiscard]] __device__ bool inside(int i, int row, int tap) const {
    return tap < p_.taps && row >= begin_[i] && row < end_[i];
  }
  [[nodiscard]] __device__ float leaky(float v) const { return v > 0.0F ? v : v * p_.input_slope; }

  // `in` is a multiple of 4, so the four are of one tap.
  __device__ void load_four(float (&to)[4], int i, int g) const {
    const int row = source_[i] + tap_[g] * p_.step;
    float4 v = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    if (inside(i, row, tap_[g])) v = *reinterpret_cast<const float4*>(p_.x + row * p_.x_stride + input_[g]);
    to[0] = leaky(v.x);
    to[1] = leaky(v.y);
    to[2] = leaky(v.z);
    to[3] = leaky(v.w);
  }

  __device__ void load_singly(float (&to)[4], int i, int g) const {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int tap = (depth_[g] + e) / p_.in;
      const int row = source_[i] + tap * p_.step;
      const int input = depth_[g] + e - tap * p_.in;
      to[e] = inside(i, row, tap) ? leaky(p_.x[row * p_.x_stride + input]) : 0.0F;
    }
  }

  const Product& p_;
  int source_[kRows], begin_[kRows], end_[kRows];
  int depth_[kGroups], tap_[kGroups], input_[kGroups];
  float value_[Ahead][kRows][kGroups][4];
};

// The tile of the weights, moved likewise. Outputs beyond the last are zeros.
template <int TileColumns, int Threads, int Ahead>
class RightTile {
 public:
  __device__ RightTile(const Product& p, int first_column) {
    const int matrix = (static_cast<int>(blockIdx.z) + p.padding) % p.stride;
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const int column = first_column + row_of(i);
      const bool exists = row_of(i) < TileColumns && column < p.out;
      from_[i] = exists ? p.words + matrix * p.matrix_words + column * p.row_words + chunk() * kChunkWords : nullptr;
    }
  }

  __device__ void load(int to) {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      words_[to][i] = make_uint4(0, 0, 0, 0);
      if (from_[i] == nullptr) continue;
      words_[to][i] = *reinterpret_cast<const uint4*>(from_[i]);
      from_[i] += kTileWords;
    }
  }

  __device__ void store(int from, uint32_t (&to)[TileColumns][kRowWords]) const {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      if (row_of(i) < TileColumns) *reinterpret_cast<uint4*>(&to[row_of(i)][chunk() * kChunkWords]) = words_[from][i];
    }
  }

 private:
  static constexpr int kRows = (TileColumns * kChunks + Threads - 1) / Threads;
  __device__ static int chunk() { return static_cast<int>(threadIdx.x) % kChunks; }
  __device__ static int row_of(int i) { return static_cast<int>(threadIdx.x) / kChunks + i * (Threads / kChunks); }

  const uint32_t* from_[kRows];
  uint4 words_[Ahead][kRows];
};

// What becomes of a sum.
__device__ inline float finished(const Product& p, float sum, int row, int column) {
  float v = sum + p.bias[column];
  if (p.activation == Activation::kRelu) v = fmaxf(v, 0.0F);
  if (p.activation == Activation::kLeakyRelu) v = v > 0.0F ? v : v * p.slope;
  if (p.activation == Activation::kGelu) v = gelu(v);
  if (p.residual != nullptr) v += p.residual[row * p.residual_stride + column];
  return v;
}

__device__ inline void finish(const Product& p, float sum, int row, int column) {
  if (row >= p.rows || column >= p.out) return;
  const int64_t to = int64_t{row} * p.stride + blockIdx.z;
  p.y[to * p.y_stride + column] = finished(p, sum, row, column);
}

// The sums of a tile in the registers of the tensor cores: a warp has Rows × Columns of it, in fragments of 16 × 8.
template <Format F, int TileRows, int TileColumns, int WarpsDown, int WarpsAcross>
class TensorSums {
 public:
  static constexpr int kThreads = 32 * WarpsDown * WarpsAcross;
  static constexpr int kSums = TileRows * TileColumns / kThreads;

  __device__ void add(const uint32_t (&left)[TileRows][kRowWords], const uint32_t (&right)[TileColumns][kRowWords]) {
    constexpr int kStepWords = 8;
#pragma unroll
    for (int word = 0; word < kTileWords; word += kStepWords) {
      uint32_t a[kDown][4];
      uint32_t b[kAcross][2];
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
        const int row = warp_row() + 16 * i + group();
        a[i][0] = left[row][word + in_group()];
        a[i][1] = left[row + 8][word + in_group()];
        a[i][2] = left[row][word + in_group() + 4];
        a[i][3] = left[row + 8][word + in_group() + 4];
      }
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
        const int column = warp_column() + 8 * j + group();
        b[j][0] = right[column][word + in_group()];
        b[j][1] = right[column][word + in_group() + 4];
      }
      if constexpr (F == Format::kF16) mma_f16(sum_, a, b);
      if constexpr (F == Format::kBF16) mma_bf16(sum_, a, b);
      if constexpr (F == Format::kTF32) mma_tf32(sum_, a, b);
    }
  }

  __device__ void write(const Product& p, int first_row, int first_column) const {
#pragma unroll
    for (int i = 0; i < kDown; ++i) {
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
        const int row = first_row + warp_row() + 16 * i + group();
        const int column = first_column + warp_column() + 8 * j + 2 * in_group();
        finish(p, sum_[i][j][0], row, column);
        finish(p, sum_[i][j][1], row, column + 1);
        finish(p, sum_[i][j][2], row + 8, column);
        finish(p, sum_[i][j][3], row + 8, column + 1);
      }
    }
  }

 private:
  static constexpr int kDown = TileRows / WarpsDown / 16;
  static constexpr int kAcross = TileColumns / WarpsAcross / 8;
  static_assert(kDown * 16 * WarpsDown == TileRows && kAcross * 8 * WarpsAcross == TileColumns);

  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
  __device__ static int group() { return static_cast<int>(threadIdx.x) % 32 / 4; }
  __device__ static int in_group() { return static_cast<int>(threadIdx.x) % 4; }
  __device__ static int warp_row() { return warp() % WarpsDown * kDown * 16; }
  __device__ static int warp_column() { return warp() / WarpsDown * kAcross * 8; }

  float sum_[kDown][kAcross][4] = {};
};

// The same by the ordinary units: a thread has Down × Across sums, their rows and columns as far apart as there are
// threads in that direction.
template <int TileRows, int TileColumns, int Down, int Across>
class PlainSums {
 public:
  static constexpr int kThreads = TileRows / Down * (TileColumns / Across);
  static constexpr int kSums = Down * Across;

  __device__ void add(const uint32_t (&left)[TileRows][kRowWords], const uint32_t (&right)[TileColumns][kRowWords]) {
#pragma unroll
    for (int word = 0; word < kTileWords; word += 4) {
      float4 a[Down];
      float4 b[Across];
#pragma unroll
      for (int i = 0; i < Down; ++i) a[i] = floats(&left[row(i)][word]);
#pragma unroll
      for (int j = 0; j < Across; ++j) b[j] = floats(&right[column(j)][word]);
#pragma unroll
      for (int i = 0; i < Down; ++i) {
#pragma unroll
        for (int j = 0; j < Across; ++j) {
          sum_[i][j] = fmaf(a[i].x, b[j].x, sum_[i][j]);
          sum_[i][j] = fmaf(a[i].y, b[j].y, sum_[i][j]);
          sum_[i][j] = fmaf(a[i].z, b[j].z, sum_[i][j]);
          sum_[i][j] = fmaf(a[i].w, b[j].w, sum_[i][j]);
        }
      }
    }
  }

  __device__ void write(const Product& p, int first_row, int first_column) const {
#pragma unroll
    for (int i = 0; i < Down; ++i) {
#pragma unroll
      for (int j = 0; j < Across; ++j) finish(p, sum_[i][j], first_row + row(i), first_column + column(j));
    }
  }

 private:
  static constexpr int kAcrossThreads = TileColumns / Across;
  __device__ static float4 floats(const uint32_t* words) {
    const uint4 w = *reinterpret_cast<const uint4*>(words);
    return make_float4(__uint_as_float(w.x), __uint_as_float(w.y), __uint_as_float(w.z), __uint_as_float(w.w));
  }
  __device__ static int row(int i) { return static_cast<int>(threadIdx.x) / kAcrossThreads + i * (TileRows / Down); }
  __device__ static int column(int j) { return static_cast<int>(threadIdx.x) % kAcrossThreads + j * kAcrossThreads; }

  float sum_[Down][Across] = {};
};

// Registers for 16 warps on a multiprocessor, so that some work while others wait for memory; for 8 where each has so
// many sums that it has work enough while it waits.
template <typename Sums>
constexpr int kBlocksAtOnce = (Sums::kSums < 64 ? 512 : 256) / Sums::kThreads;

template <Format F, int TileRows, int TileColumns, int Ahead, typename Sums>
__global__ void __launch_bounds__(Sums::kThreads, kBlocksAtOnce<Sums>)
    product_kernel(const __grid_constant__ Product p) {
  auto& shared = shared_memory<ProductShared<TileRows, TileColumns>>();
  const int first_row = static_cast<int>(blockIdx.x) * TileRows;
  const int first_column = static_cast<int>(blockIdx.y) * TileColumns;
  LeftTile<F, TileRows, Sums::kThreads, Ahead> left(p, first_row);
  RightTile<TileColumns, Sums::kThreads, Ahead> right(p, first_column);
  Sums sums;

  const int pieces = static_cast<int>(p.row_words / kTileWords);
#pragma unroll
  for (int i = 0; i < Ahead; ++i) {
    if (i >= pieces) break;
    left.load(i);
    right.load(i);
  }
  for (int first = 0; first < pieces; first += Ahead) {
#pragma unroll
    for (int i = 0; i < Ahead; ++i) {
      const int piece = first + i;
      if (piece >= pieces) break;
      // The buffer was read two pieces ago, before the last barrier.
      left.store(i, shared.left[piece % 2]);
      right.store(i, shared.right[piece % 2]);
      __syncthreads();
      if (piece + Ahead < pieces) {
        left.load(i);
        right.load(i);
      }
      sums.add(shared.left[piece % 2], shared.right[piece % 2]);
    }
  }
  sums.write(p, first_row, first_column);
}

template <Format F, int TileRows, int TileColumns, int Ahead, typename Sums>
ProductKernel product_kernel_of() {
  return {product_kernel<F, TileRows, TileColumns, Ahead, Sums>, TileRows, TileColumns, Sums::kThreads,
          sizeof(ProductShared<TileRows, TileColumns>)};
}

template <Format F, int TileRows, int TileColumns, int WarpsDown, int WarpsAcross, int Ahead>
ProductKernel tensor_kernel() {
  return product_kernel_of<F, TileRows, TileColumns, Ahead,
                           TensorSums<F, TileRows, TileColumns, WarpsDown, WarpsAcross>>();
}

template <Format F>
ProductKernels tensor_kernels() {
  return {.large = tensor_kernel<F, 128, 128, 2, 4, 1>(),
          .medium = tensor_kernel<F, 128, 64, 4, 2, 1>(),
          .small = tensor_kernel<F, 32, 64, 1, 4, 4>(),
          .narrow = tensor_kernel<F, 128, 32, 4, 1, 1>(),
          .thin = tensor_kernel<F, 128, 16, 4, 1, 1>()};
}

}  // namespace hayakoe::device::cuda
