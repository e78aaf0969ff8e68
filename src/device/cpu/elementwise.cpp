// SPDX-License-Identifier: Apache-2.0
// Operations on single rows and elements.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <hayakoe/error.hpp>
#include <vector>

#include "device/cpu/cpu_device.hpp"
#include "device/cpu/kernels/vector_math.hpp"

namespace hayakoe::device {
namespace {

// Calls f(floats of x, those of y at the same places, how many) for all elements of two tensors of one shape. Where
// rows follow one another without gaps several are one piece: some tensors have many rows of a few channels.
template <typename F>
void for_pieces(ThreadPool& pool, const Tensor& x, const Tensor& y, const F& f) {
  if (!x.contiguous() || !y.contiguous()) {
    pool.for_each(x.rows(), x.cols(), [&](int64_t r) { f(row_of(x, r), row_of(y, r), x.cols()); });
    return;
  }
  constexpr int64_t kPiece = 4096;
  const int64_t all = x.rows() * x.cols();
  pool.for_each((all + kPiece - 1) / kPiece, kPiece, [&](int64_t i) {
    const int64_t at = i * kPiece;
    f(row_of(x, 0) + at, row_of(y, 0) + at, std::min(kPiece, all - at));
  });
}

}  // namespace

Tensor CpuStream::gather_rows(const Tensor& table, const Tensor& index) {
  Tensor y = allocate(index.rows(), table.cols());
  for_rows(y, [&](int64_t r) {
    std::memcpy(row_of(y, r), row_of(table, *row_of<int32_t>(index, r)), static_cast<size_t>(y.cols()) * sizeof(float));
  });
  return y;
}

void CpuStream::add_gathered_rows(Tensor& x, const Tensor& table, const Tensor& index) {
  for_rows(x,
           [&](int64_t r) { device::add_in_place(row_of(x, r), row_of(table, *row_of<int32_t>(index, r)), x.cols()); });
}

Tensor CpuStream::concat_rows(const Tensor& a, const Tensor& b) {
  Tensor y = allocate(a.rows() + b.rows(), a.cols());
  const auto bytes = static_cast<size_t>(y.cols()) * sizeof(float);
  for_rows(y,
           [&](int64_t r) { std::memcpy(row_of(y, r), r < a.rows() ? row_of(a, r) : row_of(b, r - a.rows()), bytes); });
  return y;
}

Tensor CpuStream::repeated_index(const Tensor& counts, int64_t total) {
  Tensor y = allocate(total, 1);
  int64_t at = 0;
  for (int64_t r = 0; r < counts.rows(); ++r) {
    const int64_t n = *row_of<int32_t>(counts, r);
    if (at + n > total) throw Error("repeated_index: the counts do not sum to the total");
    std::fill_n(row_of<int32_t>(y, at), n, static_cast<int32_t>(r));
    at += n;
  }
  if (at != total) throw Error("repeated_index: the counts do not sum to the total");
  return y;
}

Tensor CpuStream::layer_norm(const Tensor& x, const LayerNorm& norm, const Tensor* residual, Activation activation) {
  Tensor y = allocate(x.rows(), x.cols());
  const RowNorm row{.gamma = row_of(norm.gamma, 0),
                    .beta = row_of(norm.beta, 0),
                    .eps = norm.eps,
                    .n = x.cols(),
                    .gelu = activation == Activation::kGelu};
  for_rows(x, [&](int64_t r) {
    layer_norm_to(row_of(x, r), residual != nullptr ? row_of(*residual, r) : nullptr, row, row_of(y, r));
  });
  return y;
}

void CpuStream::copy(Tensor& to, const Tensor& from) {
  const auto bytes = static_cast<size_t>(to.cols()) * sizeof(float);
  for_rows(to, [&](int64_t r) { std::memcpy(row_of(to, r), row_of(from, r), bytes); });
}

void CpuStream::add_in_place(Tensor& x, const Tensor& y) {
  if (y.rows() == 1) {
    for_rows(x, [&](int64_t r) { device::add_in_place(row_of(x, r), row_of(y, 0), x.cols()); });
    return;
  }
  for_pieces(*pool_, x, y, [](float* to, const float* from, int64_t n) { device::add_in_place(to, from, n); });
}

void CpuStream::subtract_in_place(Tensor& x, const Tensor& y) {
  for_pieces(*pool_, x, y, [](float* to, const float* from, int64_t n) { device::subtract_in_place(to, from, n); });
}

void CpuStream::scale_in_place(Tensor& x, float factor) {
  for_pieces(*pool_, x, x, [=](float* to, const float*, int64_t n) { device::scale_in_place(to, factor, n); });
}

void CpuStream::tanh_in_place(Tensor& x) {
  for_pieces(*pool_, x, x, [](float* to, const float*, int64_t n) { device::tanh_in_place(to, n); });
}

Tensor CpuStream::reverse_channels(const Tensor& x) {
  Tensor y = allocate(x.rows(), x.cols());
  for_rows(x, [&](int64_t r) { std::reverse_copy(row_of(x, r), row_of(x, r) + x.cols(), row_of(y, r)); });
  return y;
}

void CpuStream::mix_row_in_place(Tensor& x, const Tensor& row, float weight) {
  const float* from = row_of(row, 0);
  for_rows(x, [&](int64_t r) {
    device::scale_in_place(row_of(x, r), 1.0F - weight, x.cols());
    add_scaled_in_place(row_of(x, r), from, weight, x.cols());
  });
}

Tensor CpuStream::mean_rows(const Tensor& x) {
  if (x.rows() == 0) throw Error("mean_rows: there are no rows");
  Tensor y = allocate(1, x.cols());
  float* out = row_of(y, 0);
  std::fill(out, out + x.cols(), 0.0F);
  for (int64_t r = 0; r < x.rows(); ++r) device::add_in_place(out, row_of(x, r), x.cols());
  for (int64_t c = 0; c < x.cols(); ++c) out[c] /= static_cast<float>(x.rows());
  return y;
}

void CpuStream::affine_inverse_in_place(Tensor& x, const Tensor& shift, const Tensor& log_scale) {
  std::vector<float> factor(static_cast<size_t>(x.cols()));
  for (int64_t c = 0; c < x.cols(); ++c) factor[static_cast<size_t>(c)] = std::exp(-row_of(log_scale, 0)[c]);
  for_rows(x, [&](int64_t r) {
    float* to = row_of(x, r);
    for (int64_t c = 0; c < x.cols(); ++c) to[c] = (to[c] - row_of(shift, 0)[c]) * factor[static_cast<size_t>(c)];
  });
}

Tensor CpuStream::durations(const Tensor& stochastic, const Tensor& deterministic, float ratio, float length_scale,
                            int32_t limit) {
  const int64_t rows = stochastic.empty() ? deterministic.rows() : stochastic.rows();
  Tensor y = allocate(rows, 1);
  for (int64_t r = 0; r < rows; ++r) {
    float log_frames = 0.0F;
    if (ratio != 0.0F) log_frames += ratio * *row_of(stochastic, r);
    if (ratio != 1.0F) log_frames += (1.0F - ratio) * *row_of(deterministic, r);
    const float frames = std::ceil(std::exp(log_frames) * length_scale);
    // The comparison is written so that a NaN (broken weights) gives one frame.
    *row_of<int32_t>(y, r) = frames >= 1.0F ? static_cast<int32_t>(std::min(frames, static_cast<float>(limit))) : 1;
  }
  return y;
}

Tensor CpuStream::sample_normal(const Tensor& mean, const Tensor& log_scale, const Tensor& noise, float noise_scale) {
  Tensor y = allocate(mean.rows(), mean.cols());
  for_rows(y, [&](int64_t r) {
    const float* m = row_of(mean, r);
    const float* n = row_of(noise, r);
    float* out = row_of(y, r);
    exp_to(row_of(log_scale, r), out, y.cols());
    for (int64_t c = 0; c < y.cols(); ++c) out[c] = m[c] + n[c] * out[c] * noise_scale;
  });
  return y;
}

}  // namespace hayakoe::device
