// SPDX-License-Identifier: Apache-2.0
// One request's ordered work on a GPU. Its operations lie by kind in the .cu files of this folder, each beside its
// kernels. Nothing here waits for the GPU but download() and wait().
#pragma once

#include <cuda_runtime.h>

#include <deque>
#include <memory>
#include <utility>

#include "device/cuda/memory.hpp"
#include "device/device.hpp"

namespace hayakoe::device::cuda {

/// A tensor as a kernel sees it.
template <typename T>
struct View {
  T* data;
  int64_t stride;  ///< elements from row to row
  int32_t rows, cols;
};

template <typename T = float>
View<T> view(const Tensor& x) {
  if (x.empty()) return {nullptr, 0, 0, 0};
  return {x.data<T>(), x.stride(), static_cast<int32_t>(x.rows()), static_cast<int32_t>(x.cols())};
}

/// A ragged batch as a kernel sees it. The tables are those of the batch before it was scaled by `factor`.
struct Batch {
  const int32_t* offsets;  ///< [count + 1]: where the segments begin, and the end
  const int32_t* segment;  ///< [rows / factor]: of each row
  int32_t count;
  int32_t factor;
  int32_t rows;  ///< scaled

  /// First row and end of a segment.
  __device__ int2 bounds(int i) const { return make_int2(offsets[i] * factor, offsets[i + 1] * factor); }
  /// First row and end of the segment that `row` belongs to.
  __device__ int2 bounds_at(int row) const { return bounds(segment[row / factor]); }
};

struct Product;

class CudaStream final : public Stream {
 public:
  explicit CudaStream(std::shared_ptr<Gpu> gpu);
  ~CudaStream() override;
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  Tensor allocate(int64_t rows, int64_t cols) override;
  Tensor upload(std::span<const float> values, int64_t rows, int64_t cols) override;
  Tensor upload(std::span<const int32_t> values) override;
  void download(const Tensor& x, std::span<float> out) override;
  void download(const Tensor& x, std::span<int32_t> out) override;
  [[nodiscard]] Transfers transfers() const override { return transfers_; }
  void reset_transfers() override;
  [[nodiscard]] int64_t arena_bytes() const override { return core_->gpu->pooled_bytes(); }
  [[nodiscard]] int64_t peak_bytes() const override { return core_->peak; }
  void wait() override;

  Tensor gather_rows(const Tensor& table, const Tensor& index) override;
  void add_gathered_rows(Tensor& x, const Tensor& table, const Tensor& index) override;
  Tensor concat_rows(const Tensor& a, const Tensor& b) override;
  Tensor repeated_index(const Tensor& counts, int64_t total) override;
  Tensor linear(const Tensor& x, const Linear& w, const Epilogue& e) override;
  Tensor conv1d(const Tensor& x, const Segments& s, const Conv1d& w, const Epilogue& e, float input_slope) override;
  Tensor conv_transpose1d(const Tensor& x, const Segments& s, const ConvTranspose1d& w, float input_slope) override;
  Tensor depthwise_conv1d(const Tensor& x, const Segments& s, const DepthwiseConv1d& w) override;
  Tensor layer_norm(const Tensor& x, const LayerNorm& norm, const Tensor* residual, Activation activation) override;
  Tensor bert_attention(const Tensor& qkv, const Tensor& pos_k, const Tensor& pos_q, const Segments& s, int64_t heads,
                        const RelativeBuckets& buckets) override;
  Tensor windowed_attention(const Tensor& qkv, const Tensor& rel_k, const Tensor& rel_v, const Segments& s,
                            int64_t heads) override;
  void copy(Tensor& to, const Tensor& from) override;
  void add_in_place(Tensor& x, const Tensor& y) override;
  void subtract_in_place(Tensor& x, const Tensor& y) override;
  void scale_in_place(Tensor& x, float factor) override;
  void tanh_in_place(Tensor& x) override;
  Tensor reverse_channels(const Tensor& x) override;
  void mix_row_in_place(Tensor& x, const Tensor& row, float weight) override;
  Tensor mean_rows(const Tensor& x) override;
  void spline_inverse_in_place(Tensor& y, const Tensor& params, float scale) override;
  void affine_inverse_in_place(Tensor& x, const Tensor& shift, const Tensor& log_scale) override;
  Tensor durations(const Tensor& stochastic, const Tensor& deterministic, float ratio, float length_scale,
                   int32_t limit) override;
  Tensor sample_normal(const Tensor& mean, const Tensor& log_scale, const Tensor& noise, float noise_scale) override;
  Tensor normal(const Segments& s, int64_t cols, std::span<const uint64_t> keys) override;

 private:
  // Starts a kernel behind the work before it. Its arguments are converted to its parameters.
  template <typename... P, typename... A>
  void launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes, A&&... arguments) {
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = core_->stream;
    core_->gpu->use();
    check(cudaLaunchKernelEx(&config, kernel, P(std::forward<A>(arguments))...), "starting a kernel");
    ++transfers_.launches;
  }

  // Writes f(inputs…) to all of `out`, which may be an input. Defined in map.cuh, for the .cu files.
  template <typename F, typename... Inputs>
  void map(const Tensor& out, F f, Inputs... inputs);

  // The tables of a batch, made on the device when it is first seen.
  [[nodiscard]] Batch batch(const Segments& s);
  void multiply(const Product& product, WeightType type);
  Tensor upload_bytes(const void* values, size_t bytes, int64_t rows, int64_t cols);
  void download_bytes(const Tensor& x, void* out, size_t bytes);

  struct Tables {
    std::shared_ptr<const std::vector<int64_t>> base;
    Tensor offsets, segment;
  };

  std::shared_ptr<StreamCore> core_;
  Staging staging_;
  std::deque<Tables> tables_;  // of the batches seen last
  Transfers transfers_;
};

/// Blocks of `size` for `n` things.
inline unsigned blocks_of(int64_t n, int64_t size) { return static_cast<unsigned>((n + size - 1) / size); }

}  // namespace hayakoe::device::cuda
