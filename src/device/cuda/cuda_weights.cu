// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include <algorithm>
#include <hayakoe/error.hpp>
#include <vector>

#include "device/cuda/cuda_stream.hpp"
#include "device/cuda/cuda_weights.hpp"
#include "device/cuda/ptx.cuh"

namespace hayakoe::device::cuda {
namespace {

// Where a checkpoint has the weights of a product, and how many words a row of ours has.
struct Layout {
  int64_t in, out, kernel, stride, taps, row_words;
  bool transposed;

  // The weight of value `n` of a row, the inputs of one tap after another; 0 where the row or the phase has no such.
  __device__ float at(const float* weight, int64_t matrix, int64_t row, int64_t n) const {
    const int64_t tap = n / in;
    if (tap >= taps) return 0.0F;
    const int64_t input = n % in;
    if (!transposed) return weight[(row * in + input) * kernel + tap];
    const int64_t k = matrix + tap * stride;
    return k < kernel ? weight[(input * out + row) * kernel + k] : 0.0F;
  }
};

template <WeightType kType, typename At>
__device__ uint32_t word_of(int64_t n, const At& at) {
  if constexpr (kType == WeightType::kF16) return pack_f16(at(2 * n), at(2 * n + 1));
  if constexpr (kType == WeightType::kBF16) return pack_bf16(at(2 * n), at(2 * n + 1));
  if constexpr (kType == WeightType::kTF32) return round_tf32(at(n));
  return __float_as_uint(at(n));
}

template <WeightType kType>
__global__ void pack_kernel(const float* weight, Layout l, uint32_t* words, int64_t count) {
  const int64_t threads = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads) {
    const int64_t row = i / l.row_words;
    words[i] = word_of<kType>(i % l.row_words, [&](int64_t n) { return l.at(weight, row / l.out, row % l.out, n); });
  }
}

using PackKernel = void (*)(const float*, Layout, uint32_t*, int64_t);

PackKernel kernel_of(WeightType type) {
  switch (type) {
    case WeightType::kF16:
      return pack_kernel<WeightType::kF16>;
    case WeightType::kBF16:
      return pack_kernel<WeightType::kBF16>;
    case WeightType::kTF32:
      return pack_kernel<WeightType::kTF32>;
    default:
      return pack_kernel<WeightType::kF32>;
  }
}

bool is_short(WeightType type) { return type == WeightType::kF16 || type == WeightType::kBF16; }

// A thread takes several words: there are more of them than a GPU runs threads.
void pack(const float* weight, const Layout& l, WeightType type, uint32_t* words, int64_t count) {
  constexpr int kThreads = 256;
  constexpr int kMostBlocks = 1024;
  cudaLaunchConfig_t config{};
  config.gridDim = std::min<unsigned>(kMostBlocks, blocks_of(count, kThreads));
  config.blockDim = kThreads;
  check(cudaLaunchKernelEx(&config, kernel_of(type), weight, l, words, count), "packing weights");
  // Requests' streams do not wait for the one that this ran on.
  check(cudaStreamSynchronize(nullptr), "packing weights");
}

}  // namespace

CudaWeights::CudaWeights(const std::shared_ptr<Gpu>& gpu, const WeightShape& s, std::span<const float> weight,
                         std::span<const float> bias, WeightType type)
    : type_(type) {
  const bool transposed = s.kind == WeightShape::Kind::kConvTranspose1d;
  const int64_t matrices = transposed ? s.stride : 1;
  const int64_t taps = transposed ? (s.kernel + s.stride - 1) / s.stride : s.kernel;
  const int64_t used = is_short(type) ? (taps * s.in + 1) / 2 : taps * s.in;
  row_words_ = (used + kTileWords - 1) / kTileWords * kTileWords;
  matrix_words_ = s.out * row_words_;
  const int64_t words = matrices * matrix_words_;
  words_ = reserve_on(gpu, static_cast<size_t>(words) * sizeof(uint32_t));
  // As the checkpoint has them, while they are packed.
  const auto stored = keep_on(gpu, weight.data(), weight.size_bytes());
  if (words > 0) {
    pack(reinterpret_cast<const float*>(stored->address()),
         {s.in, s.out, s.kernel, s.stride, taps, row_words_, transposed}, type,
         reinterpret_cast<uint32_t*>(words_->address()), words);
  }
  std::vector<float> all(bias.begin(), bias.end());
  all.resize(static_cast<size_t>(s.out), 0.0F);
  bias_ = keep_on(gpu, all.data(), all.size() * sizeof(float));
}

PackedParts CudaWeights::parts() const { throw Error("cuda: weights on a GPU cannot be written to a file"); }

}  // namespace hayakoe::device::cuda
