// SPDX-License-Identifier: Apache-2.0
// The CPU: operations cut into tasks for the threads; what a task does is in kernels/.
#pragma once

#include <memory>
#include <string>

#include "device/cpu/arena.hpp"
#include "device/cpu/thread_pool.hpp"
#include "device/cpu/threads.hpp"
#include "device/device.hpp"

namespace hayakoe::device {

class CpuDevice final : public Device {
 public:
  /// `threads` 0: available_threads().
  explicit CpuDevice(int threads);

  [[nodiscard]] std::string name() const override { return "cpu"; }
  [[nodiscard]] std::string details() const override;
  [[nodiscard]] Precision precision(const std::string& name) const override;
  [[nodiscard]] int64_t weight_bytes() const override { return 0; }
  Tensor constant(std::span<const float> values, int64_t rows, int64_t cols) override;
  Tensor constant(std::span<const int32_t> values) override;
  Tensor constant_view(std::span<const float> values, int64_t rows, int64_t cols,
                       std::shared_ptr<const void> owner) override;
  std::shared_ptr<const Packed> pack(const WeightShape& shape, std::span<const float> weight,
                                     std::span<const float> bias, WeightType type) override;
  std::shared_ptr<const Packed> adopt(const WeightShape& shape, const PackedParts& parts) override;
  std::unique_ptr<Stream> stream() override;
  // About 2 s: enough to fill the cores. More at once only costs memory, 300 KB a frame; less costs margins.
  [[nodiscard]] int64_t decode_frames() const override { return 192; }

 private:
  std::shared_ptr<ThreadPool> pool_;
};

class CpuStream final : public Stream {
 public:
  explicit CpuStream(std::shared_ptr<ThreadPool> pool) : pool_(std::move(pool)), arena_(Arena::create()) {}

  Tensor allocate(int64_t rows, int64_t cols) override;
  Tensor upload(std::span<const float> values, int64_t rows, int64_t cols) override;
  Tensor upload(std::span<const int32_t> values) override;
  void download(const Tensor& x, std::span<float> out) override;
  void download(const Tensor& x, std::span<int32_t> out) override;
  [[nodiscard]] Transfers transfers() const override { return transfers_; }
  void reset_transfers() override;
  [[nodiscard]] int64_t arena_bytes() const override { return arena_->bytes(); }
  [[nodiscard]] int64_t peak_bytes() const override { return arena_->peak_bytes(); }
  void wait() override {}  // every operation returns when it is done

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
  // Calls f(row) for every row, shared out among the threads.
  template <typename F>
  void for_rows(const Tensor& x, const F& f) const {
    pool_->for_each(x.rows(), x.cols(), f);
  }

  void fast_conv1d(const Tensor& x, const Segments& s, const Conv1d& w, const Epilogue& e, float input_slope,
                   Tensor& y) const;
  void direct_conv1d(const Tensor& x, const Segments& s, const Conv1d& w, const Epilogue& e, float input_slope,
                     Tensor& y) const;

  std::shared_ptr<ThreadPool> pool_;
  std::shared_ptr<Arena> arena_;
  Transfers transfers_;
};

/// Pointer to a row; T is float or int32_t.
template <typename T = float>
T* row_of(const Tensor& x, int64_t row) {
  return x.data<T>() + row * x.stride();
}

}  // namespace hayakoe::device
