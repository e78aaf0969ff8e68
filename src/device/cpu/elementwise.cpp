// SPDX-License-Identifier: Apache-2.0
// Operations on single rows and elements.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <hayakoe/error.hpp>

#include "device/cpu/cpu_device.hpp"

namespace hayakoe::device {

Tensor CpuStream::gather_rows(const Tensor& table, const Tensor& index) {
  Tensor y = allocate(index.rows(), table.cols());
  for_rows(y, [&](int64_t r) {
    std::memcpy(row_of(y, r), row_of(table, *row_of<int32_t>(index, r)), static_cast<size_t>(y.cols()) * sizeof(float));
  });
  return y;
}

void CpuStream::add_gathered_rows(Tensor& x, const Tensor& table, const Tensor& index) {
  for_rows(x, [&](int64_t r) {
    float* to = row_of(x, r);
    const float* from = row_of(table, *row_of<int32_t>(index, r));
    for (int64_t c = 0; c < x.cols(); ++c) to[c] += from[c];
  });
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
  const int64_t n = x.cols();
  const float* gamma = row_of(norm.gamma, 0);
  const float* beta = row_of(norm.beta, 0);
  for_rows(x, [&](int64_t r) {
    float* out = row_of(y, r);
    std::memcpy(out, row_of(x, r), static_cast<size_t>(n) * sizeof(float));
    if (residual != nullptr) {
      const float* add = row_of(*residual, r);
      for (int64_t c = 0; c < n; ++c) out[c] += add[c];
    }
    float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
    for (int64_t c = 0; c < n; ++c) sum += out[c];
    const float mean = sum / static_cast<float>(n);
    float squares = 0.0F;
#pragma omp simd reduction(+ : squares)
    for (int64_t c = 0; c < n; ++c) squares += (out[c] - mean) * (out[c] - mean);
    const float inverse = 1.0F / std::sqrt(squares / static_cast<float>(n) + norm.eps);
    for (int64_t c = 0; c < n; ++c) out[c] = (out[c] - mean) * inverse * gamma[c] + beta[c];
    if (activation == Activation::kGelu) {
      for (int64_t c = 0; c < n; ++c) out[c] = gelu(out[c]);
    }
  });
  return y;
}

void CpuStream::copy(Tensor& to, const Tensor& from) {
  const auto bytes = static_cast<size_t>(to.cols()) * sizeof(float);
  for_rows(to, [&](int64_t r) { std::memcpy(row_of(to, r), row_of(from, r), bytes); });
}

void CpuStream::add_in_place(Tensor& x, const Tensor& y) {
  const bool one_row = y.rows() == 1;
  for_rows(x, [&](int64_t r) {
    float* to = row_of(x, r);
    const float* from = row_of(y, one_row ? 0 : r);
    for (int64_t c = 0; c < x.cols(); ++c) to[c] += from[c];
  });
}

void CpuStream::subtract_in_place(Tensor& x, const Tensor& y) {
  for_rows(x, [&](int64_t r) {
    float* to = row_of(x, r);
    const float* from = row_of(y, r);
    for (int64_t c = 0; c < x.cols(); ++c) to[c] -= from[c];
  });
}

void CpuStream::scale_in_place(Tensor& x, float factor) {
  for_rows(x, [&](int64_t r) {
    float* to = row_of(x, r);
    for (int64_t c = 0; c < x.cols(); ++c) to[c] *= factor;
  });
}

void CpuStream::tanh_in_place(Tensor& x) {
  for_rows(x, [&](int64_t r) {
    float* to = row_of(x, r);
    for (int64_t c = 0; c < x.cols(); ++c) to[c] = std::tanh(to[c]);
  });
}

Tensor CpuStream::leaky_relu(const Tensor& x, float slope) {
  Tensor y = allocate(x.rows(), x.cols());
  for_rows(x, [&](int64_t r) {
    const float* from = row_of(x, r);
    float* to = row_of(y, r);
    for (int64_t c = 0; c < x.cols(); ++c) to[c] = from[c] >= 0.0F ? from[c] : from[c] * slope;
  });
  return y;
}

Tensor CpuStream::reverse_channels(const Tensor& x) {
  Tensor y = allocate(x.rows(), x.cols());
  for_rows(x, [&](int64_t r) { std::reverse_copy(row_of(x, r), row_of(x, r) + x.cols(), row_of(y, r)); });
  return y;
}

void CpuStream::mix_row_in_place(Tensor& x, const Tensor& row, float weight) {
  const float* from = row_of(row, 0);
  for_rows(x, [&](int64_t r) {
    float* to = row_of(x, r);
    for (int64_t c = 0; c < x.cols(); ++c) to[c] = (1.0F - weight) * to[c] + weight * from[c];
  });
}

Tensor CpuStream::mean_rows(const Tensor& x) {
  if (x.rows() == 0) throw Error("mean_rows: there are no rows");
  Tensor y = allocate(1, x.cols());
  float* out = row_of(y, 0);
  std::fill(out, out + x.cols(), 0.0F);
  for (int64_t r = 0; r < x.rows(); ++r) {
    for (int64_t c = 0; c < x.cols(); ++c) out[c] += row_of(x, r)[c];
  }
  for (int64_t c = 0; c < x.cols(); ++c) out[c] /= static_cast<float>(x.rows());
  return y;
}

void CpuStream::affine_inverse_in_place(Tensor& x, const Tensor& shift, const Tensor& log_scale) {
  for_rows(x, [&](int64_t r) {
    float* to = row_of(x, r);
    for (int64_t c = 0; c < x.cols(); ++c) to[c] = (to[c] - row_of(shift, 0)[c]) * std::exp(-row_of(log_scale, 0)[c]);
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
    const float* l = row_of(log_scale, r);
    const float* n = row_of(noise, r);
    float* out = row_of(y, r);
    for (int64_t c = 0; c < y.cols(); ++c) out[c] = m[c] + n[c] * std::exp(l[c]) * noise_scale;
  });
  return y;
}

}  // namespace hayakoe::device
