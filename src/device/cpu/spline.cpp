// SPDX-License-Identifier: Apache-2.0
// Inverse of the monotonic rational-quadratic spline with linear tails (Durkan, Bekasov, Murray, Papamakarios: "Neural
// spline flows", 2019), as the stochastic duration predictor of VITS uses it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "device/cpu/cpu_device.hpp"

namespace hayakoe::device {
namespace {

constexpr double kBound = 5.0;           // identity outside ±5
constexpr double kLeast = 1e-3;          // least bin width, bin height and derivative
constexpr double kEdgeTolerance = 1e-6;  // the last knot belongs to the last bin

// Knots from −bound to bound; the bins' shares are a softmax with a floor.
void knots(const float* raw, int64_t bins, double scale, std::vector<double>& out) {
  double top = raw[0] * scale;
  for (int64_t k = 1; k < bins; ++k) top = std::max(top, raw[k] * scale);
  double sum = 0.0;
  for (int64_t k = 0; k < bins; ++k) sum += std::exp(raw[k] * scale - top);
  out.assign(static_cast<size_t>(bins) + 1, -kBound);
  double total = 0.0;
  for (int64_t k = 0; k < bins; ++k) {
    total += kLeast + (1.0 - kLeast * static_cast<double>(bins)) * std::exp(raw[k] * scale - top) / sum;
    out[static_cast<size_t>(k) + 1] = -kBound + 2.0 * kBound * total;
  }
  out.back() = kBound;
}

double softplus(double x) { return x > 30.0 ? x : std::log1p(std::exp(x)); }

}  // namespace

void CpuStream::spline_inverse_in_place(Tensor& y, const Tensor& params, float scale) {
  const int64_t bins = (params.cols() + 1) / 3;
  std::vector<double> x_knots;
  std::vector<double> y_knots;
  for (int64_t r = 0; r < y.rows(); ++r) {
    float& value = *row_of(y, r);
    const double v = value;
    if (!(std::abs(v) <= kBound)) continue;
    const float* p = row_of(params, r);
    knots(p, bins, scale, x_knots);
    knots(p + bins, bins, scale, y_knots);
    const auto derivative = [&](int64_t k) {  // 1 at both ends, where the linear tails begin
      return k == 0 || k == bins ? 1.0 : kLeast + softplus(p[2 * bins + k - 1]);
    };

    y_knots.back() += kEdgeTolerance;
    const int64_t k =
        std::clamp<int64_t>(std::upper_bound(y_knots.begin(), y_knots.end(), v) - y_knots.begin() - 1, 0, bins - 1);
    y_knots.back() -= kEdgeTolerance;
    const auto at = static_cast<size_t>(k);
    const double width = x_knots[at + 1] - x_knots[at];
    const double height = y_knots[at + 1] - y_knots[at];
    const double slope = height / width;
    const double d0 = derivative(k);
    const double d1 = derivative(k + 1);
    const double t = v - y_knots[at];
    const double q = d0 + d1 - 2.0 * slope;
    const double a = t * q + height * (slope - d0);
    const double b = height * d0 - t * q;
    const double c = -slope * t;
    // This form of the root has no cancellation.
    const double root = 2.0 * c / (-b - std::sqrt(std::max(0.0, b * b - 4.0 * a * c)));
    value = static_cast<float>(root * width + x_knots[at]);
  }
}

}  // namespace hayakoe::device
