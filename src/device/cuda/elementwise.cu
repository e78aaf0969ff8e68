// SPDX-License-Identifier: Apache-2.0
// Operations on single elements, and on a few around them.
#include <cuda_runtime.h>

#include <hayakoe/error.hpp>

#include "device/cuda/cuda_stream.hpp"
#include "device/cuda/map.cuh"
#include "device/cuda/ptx.cuh"

namespace hayakoe::device::cuda {
namespace {

struct Subtract {
  __device__ float operator()(float x, float y) const { return x - y; }
};
struct Scale {
  float factor;
  __device__ float operator()(float x) const { return x * factor; }
};
struct Tanh {
  __device__ float operator()(float x) const { return tanhf(x); }
};
struct Mix {
  float weight;
  __device__ float operator()(float x, float y) const { return (1.0F - weight) * x + weight * y; }
};
struct AffineInverse {
  __device__ float operator()(float x, float shift, float log_scale) const { return (x - shift) * expf(-log_scale); }
};
struct SampleNormal {
  float noise_scale;
  __device__ float operator()(float mean, float log_scale, float noise) const {
    return mean + noise * expf(log_scale) * noise_scale;
  }
};

// Convolution of each channel on its own, zeros around each segment.
struct DepthwiseRows {
  View<float> x, weight, bias;
  Batch batch;
  int dilation;
  [[nodiscard]] bool wide() const { return is_wide(x) && is_wide(weight) && is_wide(bias); }
  template <int kWidth>
  __device__ Values<kWidth> at(int row, int column) const {
    const int2 segment = batch.bounds_at(row);
    const int first = row - (weight.rows - 1) / 2 * dilation;
    Values<kWidth> sum = load<kWidth>(bias.data + column);
    for (int k = 0; k < weight.rows; ++k) {
      const int from = first + k * dilation;
      if (from < segment.x || from >= segment.y) continue;
      const Values<kWidth> in = load<kWidth>(row_of(x, from) + column);
      const Values<kWidth> tap = load<kWidth>(row_of(weight, k) + column);
      for (int i = 0; i < kWidth; ++i) sum.v[i] += tap.v[i] * in.v[i];
    }
    return sum;
  }
};

constexpr int kMeanColumns = 32, kMeanRows = 16;
struct MeanShared {
  float part[kMeanRows][kMeanColumns];
};

__global__ void mean_rows_kernel(View<float> x, float* mean) {
  auto& shared = shared_memory<MeanShared>();
  const int column = static_cast<int>(blockIdx.x * kMeanColumns + threadIdx.x);
  const int part = static_cast<int>(threadIdx.y);
  float sum = 0.0F;
  if (column < x.cols) {
    for (int row = part; row < x.rows; row += kMeanRows) sum += row_of(x, row)[column];
  }
  shared.part[part][threadIdx.x] = sum;
  __syncthreads();
  if (part != 0 || column >= x.cols) return;
  for (int i = 1; i < kMeanRows; ++i) sum += shared.part[i][threadIdx.x];
  mean[column] = sum / static_cast<float>(x.rows);
}

struct DurationRule {
  float ratio, length_scale;
  int32_t limit;

  // The host rounds each product and sum to a float, and its exp nearly always to the nearest one. A product of floats
  // is exact in double, and cannot be fused with the sum: a last bit that differs may be a frame.
  static __device__ float product(float x, float y) { return static_cast<float>(double{x} * double{y}); }
  __device__ int32_t frames(const float* stochastic, const float* deterministic) const {
    float log_frames = 0.0F;
    if (ratio != 0.0F) log_frames += product(ratio, *stochastic);
    if (ratio != 1.0F) log_frames += product(1.0F - ratio, *deterministic);
    const float wanted = ceilf(product(static_cast<float>(exp(double{log_frames})), length_scale));
    // The comparison is written so that a NaN (broken weights) gives one frame.
    return wanted >= 1.0F ? static_cast<int32_t>(fminf(wanted, static_cast<float>(limit))) : 1;
  }
};

__global__ void durations_kernel(View<int32_t> y, View<float> stochastic, View<float> deterministic,
                                 DurationRule rule) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row < y.rows) *row_of(y, row) = rule.frames(row_of(stochastic, row), row_of(deterministic, row));
}

}  // namespace

void CudaStream::add_in_place(Tensor& x, const Tensor& y) {
  if (y.rows() == 1) {
    map(x, Add{}, Rows(x), OneRow(y));
  } else {
    map(x, Add{}, Rows(x), Rows(y));
  }
}

void CudaStream::subtract_in_place(Tensor& x, const Tensor& y) { map(x, Subtract{}, Rows(x), Rows(y)); }

void CudaStream::scale_in_place(Tensor& x, float factor) { map(x, Scale{factor}, Rows(x)); }

void CudaStream::tanh_in_place(Tensor& x) { map(x, Tanh{}, Rows(x)); }

void CudaStream::mix_row_in_place(Tensor& x, const Tensor& row, float weight) {
  map(x, Mix{weight}, Rows(x), OneRow(row));
}

void CudaStream::affine_inverse_in_place(Tensor& x, const Tensor& shift, const Tensor& log_scale) {
  map(x, AffineInverse{}, Rows(x), OneRow(shift), OneRow(log_scale));
}

Tensor CudaStream::sample_normal(const Tensor& mean, const Tensor& log_scale, const Tensor& noise, float noise_scale) {
  Tensor y = allocate(mean.rows(), mean.cols());
  map(y, SampleNormal{noise_scale}, Rows(mean), Rows(log_scale), Rows(noise));
  return y;
}

Tensor CudaStream::depthwise_conv1d(const Tensor& x, const Segments& s, const DepthwiseConv1d& w) {
  Tensor y = allocate(x.rows(), x.cols());
  if (x.rows() == 0) return y;
  const DepthwiseRows rows{view(x), view(w.weight), view(w.bias), batch(s), static_cast<int>(w.dilation)};
  map(y, Same{}, rows);
  return y;
}

Tensor CudaStream::mean_rows(const Tensor& x) {
  if (x.rows() == 0) throw Error("mean_rows: there are no rows");
  Tensor y = allocate(1, x.cols());
  launch(mean_rows_kernel, blocks_of(x.cols(), kMeanColumns), dim3(kMeanColumns, kMeanRows), sizeof(MeanShared),
         view(x), y.data<float>());
  return y;
}

Tensor CudaStream::durations(const Tensor& stochastic, const Tensor& deterministic, float ratio, float length_scale,
                             int32_t limit) {
  const int64_t rows = stochastic.empty() ? deterministic.rows() : stochastic.rows();
  Tensor y = allocate(rows, 1);
  constexpr int kThreads = 256;
  launch(durations_kernel, blocks_of(rows, kThreads), kThreads, 0, view<int32_t>(y), view(stochastic),
         view(deterministic), DurationRule{ratio, length_scale, limit});
  return y;
}

}  // namespace hayakoe::device::cuda
