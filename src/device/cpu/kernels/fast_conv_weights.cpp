// SPDX-License-Identifier: Apache-2.0
// The transforms' sizes, and what they make of weights.
#include <array>
#include <cmath>
#include <numbers>

#include "device/cpu/kernels/fast_conv.hpp"

namespace hayakoe::device {

int64_t block_inputs(Transform t) {
  switch (t) {
    case Transform::kWinograd8:
      return 8;
    case Transform::kFourier16:
      return 16;
    case Transform::kFourier32:
      return 32;
    case Transform::kFourier64:
      return 64;
  }
  return 0;
}

int64_t block_outputs(Transform t, int64_t kernel) { return block_inputs(t) - kernel + 1; }

int64_t block_unit(Transform t) { return t == Transform::kWinograd8 ? 1 : 2; }

int64_t components(Transform t) { return t == Transform::kWinograd8 ? 8 : block_inputs(t) / 2 * 3 - 1; }

namespace {

// What each tap adds to each component of the weights: [component][tap].
std::vector<std::vector<double>> weight_transform(Transform t, int64_t kernel) {
  const auto taps = static_cast<size_t>(kernel);
  if (t == Transform::kWinograd8) {
    // aʲ / Π (a − b) over the other points b, for each point a; the last one, ∞, sees the last tap.
    std::vector<std::vector<double>> rows;
    const std::array<std::pair<double, double>, 7> points{{{0.0, 1.0},
                                                           {1.0, -2.0 / 9},
                                                           {-1.0, -2.0 / 9},
                                                           {2.0, 1.0 / 90},
                                                           {-2.0, 1.0 / 90},
                                                           {0.5, 32.0 / 45},
                                                           {-0.5, 32.0 / 45}}};
    for (const auto& [point, factor] : points) {
      std::vector<double> row(taps);
      double power = factor;
      for (double& value : row) {
        value = power;
        power *= point;
      }
      rows.push_back(row);
    }
    rows.emplace_back(taps, 0.0);
    rows.back().back() = 1.0;
    return rows;
  }
  // conj of the kernel's transform, for a correlation; 1/2 where forward() adds two halves. The inverse's 1/N comes
  // when outputs are stored: the weights keep a size that a half float likes.
  const int64_t n = block_inputs(t);
  std::vector<double> first(taps, 1.0);
  std::vector<double> middle(taps);
  for (size_t j = 0; j < taps; ++j) middle[j] = j % 2 == 0 ? 1.0 : -1.0;
  std::vector<std::vector<double>> rows{first, middle};
  for (int64_t f = 1; f < n / 2; ++f) {
    std::vector<double> with_re(taps);
    std::vector<double> with_im(taps);
    std::vector<double> with_sum(taps);
    for (size_t j = 0; j < taps; ++j) {
      const double angle =
          2.0 * std::numbers::pi * static_cast<double>(f) * static_cast<double>(j) / static_cast<double>(n);
      const double h_re = 0.5 * std::cos(angle);
      const double h_im = 0.5 * std::sin(angle);
      with_re[j] = h_im - h_re;
      with_im[j] = h_re + h_im;
      with_sum[j] = h_re;
    }
    rows.push_back(with_re);
    rows.push_back(with_im);
    rows.push_back(with_sum);
  }
  return rows;
}

}  // namespace

std::vector<float> transform_weights(Transform t, int64_t component, std::span<const float> weight, int64_t in,
                                     int64_t out, int64_t kernel) {
  const std::vector<double> row = weight_transform(t, kernel)[static_cast<size_t>(component)];
  std::vector<float> all(static_cast<size_t>(in * out));
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t i = 0; i < in; ++i) {
      const float* taps = weight.data() + (o * in + i) * kernel;
      double sum = 0.0;
      for (size_t j = 0; j < row.size(); ++j) sum += row[j] * static_cast<double>(taps[j]);
      all[static_cast<size_t>(i * out + o)] = static_cast<float>(sum);
    }
  }
  return all;
}

}  // namespace hayakoe::device
