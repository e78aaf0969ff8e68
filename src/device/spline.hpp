// SPDX-License-Identifier: Apache-2.0
// Inverse of the monotonic rational-quadratic spline with linear tails (Durkan, Bekasov, Murray, Papamakarios: "Neural
// spline flows", 2019), as the stochastic duration predictor of VITS uses it.
#pragma once

#include <cmath>

#include "device/host_device.hpp"

namespace hayakoe::device {

inline constexpr double kSplineBound = 5.0;   // identity outside ±5
inline constexpr double kSplineLeast = 1e-3;  // least bin width, bin height and derivative

/// Walks the knots from −bound to bound; the bins' shares are a softmax with a floor.
class SplineKnots {
 public:
  HAYAKOE_HOST_DEVICE SplineKnots(const float* raw, int bins, double scale)
      : raw_(raw), bins_(bins), scale_(scale), top_(raw[0] * scale) {
    for (int k = 1; k < bins; ++k) top_ = raw[k] * scale > top_ ? raw[k] * scale : top_;
    for (int k = 0; k < bins; ++k) sum_ += std::exp(raw[k] * scale - top_);
    next();
  }
  HAYAKOE_HOST_DEVICE void next() {
    begin = end;
    total_ += kSplineLeast + (1.0 - kSplineLeast * bins_) * std::exp(raw_[++bin] * scale_ - top_) / sum_;
    end = bin == bins_ - 1 ? kSplineBound : -kSplineBound + 2.0 * kSplineBound * total_;
  }

  int bin = -1;
  double begin = -kSplineBound, end = -kSplineBound;  ///< of the bin

 private:
  const float* raw_;
  int bins_;
  double scale_, top_, sum_ = 0.0, total_ = 0.0;
};

/// spline⁻¹(y) for the `3·bins − 1` parameters of one value: widths, heights, inner derivatives, before softmax /
/// softplus; widths and heights are multiplied by `scale` first.
HAYAKOE_HOST_DEVICE inline double spline_inverse(double y, const float* params, int bins, double scale) {
  if (!(std::abs(y) <= kSplineBound)) return y;
  SplineKnots v(params + bins, bins, scale);
  while (v.bin < bins - 1 && v.end <= y) v.next();
  SplineKnots u(params, bins, scale);
  while (u.bin < v.bin) u.next();

  const auto derivative = [&](int k) {  // 1 at both ends, where the linear tails begin
    if (k == 0 || k == bins) return 1.0;
    const double raw = params[2 * bins + k - 1];
    return kSplineLeast + (raw > 30.0 ? raw : std::log1p(std::exp(raw)));
  };
  const double width = u.end - u.begin;
  const double height = v.end - v.begin;
  const double slope = height / width;
  const double d0 = derivative(v.bin);
  const double d1 = derivative(v.bin + 1);
  const double t = y - v.begin;
  const double q = d0 + d1 - 2.0 * slope;
  const double a = t * q + height * (slope - d0);
  const double b = height * d0 - t * q;
  const double c = -slope * t;
  const double discriminant = b * b - 4.0 * a * c;
  // This form of the root has no cancellation.
  const double root = 2.0 * c / (-b - std::sqrt(discriminant > 0.0 ? discriminant : 0.0));
  return root * width + u.begin;
}

}  // namespace hayakoe::device
