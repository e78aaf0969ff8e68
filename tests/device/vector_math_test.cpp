// SPDX-License-Identifier: Apache-2.0
// Functions of rows against the standard library in double precision, with every instruction set of this machine.
#include "device/cpu/kernels/vector_math.hpp"

#include <gtest/gtest.h>

#include <hwy/targets.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace hayakoe::device {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargest = std::numeric_limits<float>::max();

class VectorMathTest : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

INSTANTIATE_TEST_SUITE_P(Targets, VectorMathTest, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const auto& info) { return std::string(hwy::TargetName(info.param)); });

using Row = std::vector<float>;

int64_t size(const Row& x) { return static_cast<int64_t>(x.size()); }

// All magnitudes that a float has, denormal ones among them, both signs, and a fine grid where the functions bend.
const Row& wide() {
  static const Row values = [] {
    Row v{0.0F, -0.0F};
    for (float m = std::numeric_limits<float>::denorm_min(); m < kLargest / 1.01F; m *= 1.01F) {
      // Below 50 units of the last place a step of 1 % would stand still.
      if (m * 1.01F == m) m = std::nextafter(m, 1.0F);
      v.push_back(m);
      v.push_back(-m);
    }
    for (int i = -110'000; i <= 110'000; ++i) v.push_back(static_cast<float>(i) * 1e-3F);
    return v;
  }();
  return values;
}

Row random_row(int64_t n, float spread) {
  std::mt19937 random(static_cast<uint32_t>(n));
  std::normal_distribution<float> normal(0.0F, spread);
  Row v(static_cast<size_t>(n));
  for (float& x : v) x = normal(random);
  return v;
}

// Every row length around multiples of the vector lengths, and rows of the models.
Row prefix(const Row& x, int64_t n) { return {x.begin(), x.begin() + n}; }
const std::vector<int64_t> kLengths{1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 31, 32, 33, 47, 100, 192, 1000, 1024};

using InPlace = std::function<void(Row&)>;

Row result(const InPlace& f, Row x) {
  f(x);
  return x;
}

void gelu(Row& x) { gelu_in_place(x.data(), size(x)); }
void tanh(Row& x) { tanh_in_place(x.data(), size(x)); }
void exp(Row& x) { exp_to(x.data(), x.data(), size(x)); }
void leaky(Row& x) { leaky_relu_to(x.data(), x.data(), size(x), 0.1F); }
void softmax(Row& x) { softmax_in_place(x.data(), size(x)); }

// The largest of |got − want| / allowed(x, want), which should be at most 1.
void expect_within(const InPlace& f, const std::function<double(double)>& exact,
                   const std::function<double(double, double)>& allowed) {
  const Row got = result(f, wide());
  for (size_t i = 0; i < got.size(); ++i) {
    const double x = wide()[i];
    const double want = exact(x);
    if (std::abs(want) > kLargest) {
      EXPECT_EQ(got[i], want > 0 ? kInfinity : -kInfinity) << "x = " << x;
    } else {
      ASSERT_LE(std::abs(got[i] - want), allowed(x, want)) << "x = " << x << ", f(x) = " << want;
    }
  }
}

double unit_in_last_place(double value) {
  const double normal = std::max(std::abs(value), double{std::numeric_limits<float>::min()});
  return std::exp2(std::floor(std::log2(normal)) - 23);
}

TEST_P(VectorMathTest, GeluIsTheExactOne) {
  const auto exact = [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); };
  expect_within(gelu, exact, [](double x, double) { return 1e-7 + 1e-7 * std::abs(x); });
  // Not at all a part of the value for small ones.
  for (const float x : {1e-30F, -1e-30F, 1e-4F, -1e-4F}) EXPECT_NEAR(result(gelu, {x})[0] / exact(x), 1.0, 1e-6);
}

TEST_P(VectorMathTest, Tanh) {
  expect_within(
      tanh, [](double x) { return std::tanh(x); }, [](double, double y) { return 4 * unit_in_last_place(y); });
}

TEST_P(VectorMathTest, Exp) {
  expect_within(
      exp, [](double x) { return std::exp(x); }, [](double, double y) { return 2 * unit_in_last_place(y); });
}

TEST_P(VectorMathTest, LeakyRelu) {
  const Row got = result(leaky, wide());
  for (size_t i = 0; i < got.size(); ++i) {
    const float x = wide()[i];
    ASSERT_EQ(got[i], x >= 0 ? x : x * 0.1F) << "x = " << x;
  }
  // Not in place, and the rest untouched.
  const Row x{-1, 2, -3, 4, -5};
  Row y(6, 7.0F);
  leaky_relu_to(x.data(), y.data(), 5, 0.5F);
  EXPECT_EQ(y, (Row{-0.5F, 2, -1.5F, 4, -2.5F, 7}));
}

TEST_P(VectorMathTest, LimitsAndNaN) {
  EXPECT_EQ(result(gelu, {kInfinity, kLargest})[0], kInfinity);
  EXPECT_EQ(result(gelu, {kLargest})[0], kLargest);
  EXPECT_NEAR(result(gelu, {-kInfinity})[0], 0.0, 1e-12);
  EXPECT_EQ(result(tanh, {kInfinity, -kInfinity}), (Row{1, -1}));
  EXPECT_EQ(result(exp, {kInfinity, -kInfinity, 0}), (Row{kInfinity, 0, 1}));
  EXPECT_EQ(result(leaky, {kInfinity, -kInfinity}), (Row{kInfinity, -kInfinity}));
  for (const auto f : {gelu, tanh, exp, leaky}) {
    for (const size_t at : {size_t{2}, size_t{16}}) {  // in a whole vector and in the rest
      Row x(17, 0.5F);
      x[at] = kNaN;
      f(x);
      for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(std::isnan(x[i]), i == at);
    }
  }
}

TEST_P(VectorMathTest, AnElementsPlaceDoesNotMatter) {
  const Row x = random_row(1024, 3.0F);
  for (const auto f : {gelu, tanh, exp, leaky}) {
    const Row whole = result(f, x);
    for (const int64_t n : kLengths) EXPECT_EQ(result(f, prefix(x, n)), prefix(whole, n));
  }
}

TEST_P(VectorMathTest, NoElementIsNone) {
  Row guard{3.0F};
  gelu_in_place(guard.data(), 0);
  softmax_in_place(guard.data(), 0);
  scale_in_place(guard.data(), 2.0F, 0);
  EXPECT_EQ(guard[0], 3.0F);
}

TEST_P(VectorMathTest, Softmax) {
  for (const int64_t n : kLengths) {
    for (const float spread : {0.01F, 1.0F, 30.0F, 1e30F}) {
      for (const float scale : {1.0F, 0.0721F}) {
        const Row x = random_row(n, spread);
        const double top = *std::max_element(x.begin(), x.end());
        double sum = 0.0;
        for (const float v : x) sum += std::exp((v - top) * scale);
        Row got = x;
        softmax_in_place(got.data(), n, scale);
        for (size_t i = 0; i < got.size(); ++i) {
          const double want = std::exp((x[i] - top) * scale) / sum;
          // The distance to the greatest is rounded to a float before it is exponentiated.
          const double rounding = 6e-8 * std::min(1e3, (top - x[i]) * scale);
          ASSERT_NEAR(got[i], want, (1e-6 + 2 * rounding) * want + 2.4e-38) << n << " " << spread << " " << i;
        }
      }
    }
  }
}

TEST_P(VectorMathTest, SoftmaxOfUnusualRows) {
  EXPECT_EQ(result(softmax, {-kInfinity, 1.0F, 1.0F}), (Row{0.0F, 0.5F, 0.5F}));
  EXPECT_EQ(result(softmax, {kLargest, -kLargest}), (Row{1.0F, 0.0F}));
  for (const size_t at : {size_t{0}, size_t{5}, size_t{16}}) {
    Row x(17, 0.5F);
    x[at] = kNaN;
    softmax(x);
    EXPECT_TRUE(std::all_of(x.begin(), x.end(), [](float v) { return std::isnan(v); }));
  }
}

TEST_P(VectorMathTest, LayerNorm) {
  for (const int64_t n : kLengths) {
    const auto at = [](const Row& v, int64_t i) { return double{v[static_cast<size_t>(i)]}; };
    Row x = random_row(n, 1.0F);
    for (float& v : x) v += 10.0F;  // a mean that would cancel in a single pass
    const Row residual = random_row(n + 1, 1.0F);
    const Row gamma = random_row(n + 2, 1.0F);
    const Row beta = random_row(n + 3, 1.0F);
    for (const bool with_residual : {false, true}) {
      for (const bool with_gelu : {false, true}) {
        const auto v = [&](int64_t i) { return at(x, i) + (with_residual ? at(residual, i) : 0.0); };
        double mean = 0.0;
        for (int64_t i = 0; i < n; ++i) mean += v(i) / static_cast<double>(n);
        double variance = 0.0;
        for (int64_t i = 0; i < n; ++i) variance += (v(i) - mean) * (v(i) - mean) / static_cast<double>(n);
        Row got(x.size());
        const RowNorm norm{gamma.data(), beta.data(), 1e-5F, n, with_gelu};
        layer_norm_to(x.data(), with_residual ? residual.data() : nullptr, norm, got.data());
        for (int64_t i = 0; i < n; ++i) {
          double want = (v(i) - mean) / std::sqrt(variance + 1e-5) * at(gamma, i) + at(beta, i);
          if (with_gelu) want = 0.5 * want * std::erfc(-want / std::sqrt(2.0));
          // Inputs near 10 carry 1e-6 each. One alone has no variance: its distance from the mean is all rounding.
          const double tolerance = n == 1 ? 1e-6 / std::sqrt(1e-5) * 3 : 1e-4;
          ASSERT_NEAR(at(got, i), want, tolerance) << n << " " << i;
        }
        // In place.
        Row y = x;
        layer_norm_to(y.data(), with_residual ? residual.data() : nullptr, norm, y.data());
        EXPECT_EQ(y, got);
      }
    }
  }
}

TEST_P(VectorMathTest, LayerNormOfNaN) {
  const Row ones(17, 1.0F);
  for (const size_t at : {size_t{0}, size_t{16}}) {
    Row x(17, 0.5F);
    x[at] = kNaN;
    layer_norm_to(x.data(), nullptr, {ones.data(), ones.data(), 1e-5F, 17, true}, x.data());
    EXPECT_TRUE(std::all_of(x.begin(), x.end(), [](float v) { return std::isnan(v); }));
  }
}

TEST_P(VectorMathTest, Sums) {
  for (const int64_t n : kLengths) {
    const Row x = random_row(n, 1.0F);
    const Row y = random_row(n + 1, 1.0F);
    Row sum = x;
    Row difference = x;
    Row scaled = x;
    Row with_scaled = x;
    add_in_place(sum.data(), y.data(), n);
    subtract_in_place(difference.data(), y.data(), n);
    scale_in_place(scaled.data(), 0.3F, n);
    add_scaled_in_place(with_scaled.data(), y.data(), 0.3F, n);
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(sum[i], x[i] + y[i]);
      EXPECT_EQ(difference[i], x[i] - y[i]);
      EXPECT_EQ(scaled[i], x[i] * 0.3F);
      EXPECT_NEAR(with_scaled[i], double{x[i]} + double{y[i]} * 0.3F, 1e-6);
    }
  }
}

}  // namespace
}  // namespace hayakoe::device
