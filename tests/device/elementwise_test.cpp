// SPDX-License-Identifier: Apache-2.0
// What is done to rows and elements, against plain loops: widths that are multiples of 4 and others, views of some rows
// and columns, one row, and none.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "support/device.hpp"
#include "support/golden.hpp"

namespace hayakoe::device {
namespace {

using test::Matrix;

// A tensor, and what is in it. Its surroundings must stay as they are.
struct Placed {
  Tensor whole;  // with `margin` columns and rows around the tensor
  Tensor tensor;
  Matrix around, values;
};

class RowsTest : public testing::Test {
 protected:
  Matrix noise(int64_t rows, int64_t cols) {
    std::normal_distribution<float> normal;
    Matrix m{std::vector<float>(static_cast<size_t>(rows * cols)), rows, cols};
    for (float& x : m.values) x = normal(random_);
    return m;
  }

  // A view inside of a larger tensor: its rows are not aligned and do not follow one another.
  Placed view(int64_t rows, int64_t cols, int64_t margin = 3) {
    Placed p;
    p.around = noise(rows + 2 * margin, cols + 2 * margin);
    p.whole = test::upload(s_, p.around);
    p.tensor = p.whole.slice_rows(margin, rows).slice_cols(margin, cols);
    p.values = {{}, rows, cols};
    for (int64_t r = 0; r < rows; ++r) {
      const auto row = p.around.values.begin() + (r + margin) * p.around.cols + margin;
      p.values.values.insert(p.values.values.end(), row, row + cols);
    }
    return p;
  }

  void expect_values(const Tensor& got, const Matrix& want, const std::function<double(int64_t, int64_t)>& element,
                     double tolerance, const char* what) {
    Matrix expected{{}, want.rows, want.cols};
    for (int64_t r = 0; r < want.rows; ++r) {
      for (int64_t c = 0; c < want.cols; ++c) expected.values.push_back(static_cast<float>(element(r, c)));
    }
    test::expect_close(s_, got, expected, what, tolerance);
  }

  // That nothing around the view has been written to.
  void expect_untouched_around(const Placed& p) {
    Matrix now = test::download(s_, p.whole);
    const int64_t margin = (p.around.cols - p.values.cols) / 2;
    for (int64_t r = 0; r < p.values.rows; ++r) {
      for (int64_t c = 0; c < p.values.cols; ++c) {
        const auto at = static_cast<size_t>((r + margin) * now.cols + c + margin);
        now.values[at] = p.around.values[at];
      }
    }
    EXPECT_EQ(now.values, p.around.values);
  }

  static double at(const Matrix& m, int64_t r, int64_t c) {
    return m.values[static_cast<size_t>((m.rows == 1 ? 0 : r) * m.cols + c)];
  }

  std::mt19937 random_{20260713};
  std::shared_ptr<Device> device_ = test::open_device(2);
  std::unique_ptr<Stream> stream_ = device_->stream();
  Stream& s_ = *stream_;
};

// With GetParam() columns.
class ElementwiseTest : public RowsTest, public testing::WithParamInterface<int64_t> {
 protected:
  // Views and a tensor of its own.
  std::vector<Placed> operands(int64_t rows) {
    return {view(rows, GetParam()), view(rows, GetParam(), 0), view(rows, GetParam(), 4)};
  }
};

INSTANTIATE_TEST_SUITE_P(Columns, ElementwiseTest, testing::Values(1, 2, 7, 32, 100, 192));

constexpr double kExact = 0.0;
constexpr double kRounding = 1e-6;
const std::vector<int64_t> kRows{1, 5, 37, 300};

TEST_P(ElementwiseTest, SumsDifferencesProducts) {
  for (const int64_t rows : kRows) {
    for (const Placed& y : operands(rows)) {
      for (Placed& x : operands(rows)) {
        s_.add_in_place(x.tensor, y.tensor);
        expect_values(
            x.tensor, x.values, [&](auto r, auto c) { return at(x.values, r, c) + at(y.values, r, c); }, kRounding,
            "add");
        expect_untouched_around(x);
      }
      Placed x = view(rows, GetParam());
      s_.subtract_in_place(x.tensor, y.tensor);
      expect_values(
          x.tensor, x.values, [&](auto r, auto c) { return at(x.values, r, c) - at(y.values, r, c); }, kRounding,
          "subtract");
      expect_untouched_around(x);
    }
    for (Placed& x : operands(rows)) {
      s_.scale_in_place(x.tensor, 0.37F);
      expect_values(
          x.tensor, x.values, [&](auto r, auto c) { return 0.37F * at(x.values, r, c); }, kRounding, "scale");
      expect_untouched_around(x);
    }
    for (Placed& x : operands(rows)) {
      s_.tanh_in_place(x.tensor);
      expect_values(
          x.tensor, x.values, [&](auto r, auto c) { return std::tanh(at(x.values, r, c)); }, kRounding, "tanh");
      expect_untouched_around(x);
    }
  }
}

TEST_P(ElementwiseTest, OneRowForAll) {
  for (const int64_t rows : kRows) {
    for (const Placed& row : operands(1)) {
      Placed x = view(rows, GetParam());
      s_.add_in_place(x.tensor, row.tensor);
      expect_values(
          x.tensor, x.values, [&](auto r, auto c) { return at(x.values, r, c) + at(row.values, r, c); }, kRounding,
          "add a row");
      x = view(rows, GetParam(), 0);
      s_.mix_row_in_place(x.tensor, row.tensor, 0.3F);
      expect_values(
          x.tensor, x.values, [&](auto r, auto c) { return 0.7 * at(x.values, r, c) + 0.3 * at(row.values, r, c); },
          kRounding, "mix");
      const Placed log_scale = view(1, GetParam());
      x = view(rows, GetParam());
      s_.affine_inverse_in_place(x.tensor, row.tensor, log_scale.tensor);
      expect_values(
          x.tensor, x.values,
          [&](auto r, auto c) {
            return (at(x.values, r, c) - at(row.values, r, c)) * std::exp(-at(log_scale.values, r, c));
          },
          kRounding, "affine");
      expect_untouched_around(x);
    }
  }
}

TEST_P(ElementwiseTest, CopiesAndRowsElsewhere) {
  for (const int64_t rows : kRows) {
    for (const Placed& x : operands(rows)) {
      Placed to = view(rows, GetParam());
      s_.copy(to.tensor, x.tensor);
      test::expect_close(s_, to.tensor, x.values, "copy", kExact);
      expect_untouched_around(to);
      expect_values(
          s_.reverse_channels(x.tensor), x.values, [&](auto r, auto c) { return at(x.values, r, GetParam() - 1 - c); },
          kExact, "reverse");
      const Placed below = view(3, GetParam());
      Matrix both = x.values;
      both.rows += 3;
      both.values.insert(both.values.end(), below.values.values.begin(), below.values.values.end());
      test::expect_close(s_, s_.concat_rows(x.tensor, below.tensor), both, "concat", kExact);
      test::expect_close(s_, s_.concat_rows(x.tensor, below.tensor.slice_rows(0, 0)), x.values, "concat none", kExact);
    }
  }
}

TEST_P(ElementwiseTest, RowsOfATable) {
  const std::vector<int32_t> index{4, 0, 4, 2, 1, 3, 3};
  const Tensor rows = s_.upload(std::span<const int32_t>(index));
  const auto count = static_cast<int64_t>(index.size());
  for (const Placed& table : operands(5)) {
    const auto gathered = [&](int64_t r, int64_t c) { return at(table.values, index[static_cast<size_t>(r)], c); };
    expect_values(s_.gather_rows(table.tensor, rows), {{}, count, GetParam()}, gathered, kExact, "gather");
    Placed x = view(count, GetParam());
    s_.add_gathered_rows(x.tensor, table.tensor, rows);
    expect_values(
        x.tensor, x.values, [&](auto r, auto c) { return at(x.values, r, c) + gathered(r, c); }, kRounding,
        "add gathered");
    expect_untouched_around(x);
  }
}

TEST_P(ElementwiseTest, MeanAndSample) {
  for (const int64_t rows : kRows) {
    for (const Placed& x : operands(rows)) {
      const auto mean = [&](int64_t, int64_t c) {
        double sum = 0.0;
        for (int64_t r = 0; r < rows; ++r) sum += at(x.values, r, c);
        return sum / static_cast<double>(rows);
      };
      expect_values(s_.mean_rows(x.tensor), {{}, 1, GetParam()}, mean, 1e-5, "mean");
      const Placed log_scale = view(rows, GetParam());
      const Placed random = view(rows, GetParam(), 0);
      expect_values(
          s_.sample_normal(x.tensor, log_scale.tensor, random.tensor, 0.6F), x.values,
          [&](auto r, auto c) {
            return at(x.values, r, c) + at(random.values, r, c) * std::exp(at(log_scale.values, r, c)) * 0.6F;
          },
          kRounding, "sample");
    }
  }
}

TEST_P(ElementwiseTest, LayerNorm) {
  const int64_t cols = GetParam();
  const Placed gamma = view(1, cols);
  const Placed beta = view(1, cols, 0);
  const LayerNorm norm{gamma.tensor, beta.tensor, 1e-5F};
  for (const int64_t rows : kRows) {
    for (const Placed& x : operands(rows)) {
      const Placed residual = view(rows, cols);
      for (const bool with_residual : {false, true}) {
        for (const Activation activation : {Activation::kNone, Activation::kGelu}) {
          const auto in = [&](int64_t r, int64_t c) {
            return at(x.values, r, c) + (with_residual ? at(residual.values, r, c) : 0.0);
          };
          const auto element = [&](int64_t r, int64_t c) {
            double mean = 0.0;
            double variance = 0.0;
            for (int64_t i = 0; i < cols; ++i) mean += in(r, i) / static_cast<double>(cols);
            for (int64_t i = 0; i < cols; ++i) variance += std::pow(in(r, i) - mean, 2) / static_cast<double>(cols);
            const double y =
                (in(r, c) - mean) / std::sqrt(variance + 1e-5) * at(gamma.values, 0, c) + at(beta.values, 0, c);
            return activation == Activation::kGelu ? 0.5 * y * std::erfc(-y / std::sqrt(2.0)) : y;
          };
          expect_values(s_.layer_norm(x.tensor, norm, with_residual ? &residual.tensor : nullptr, activation), x.values,
                        element, 1e-4, "layer norm");  // a row of two equal values is all rounding
        }
      }
    }
  }
}

TEST_P(ElementwiseTest, DepthwiseConvolution) {
  const int64_t cols = GetParam();
  const std::vector<int64_t> lengths{1, 20, 0, 7, 33};
  const Segments segments = Segments::of_lengths(lengths);
  for (const int64_t dilation : {1, 3, 9}) {
    const Placed x = view(segments.rows(), cols);
    const Placed weight = view(3, cols, 0);
    const Placed bias = view(1, cols, 0);
    Matrix want{{}, segments.rows(), cols};
    for (int64_t i = 0; i < segments.count(); ++i) {
      for (int64_t t = 0; t < segments.length(i); ++t) {
        for (int64_t c = 0; c < cols; ++c) {
          double sum = at(bias.values, 0, c);
          for (int64_t k = 0; k < 3; ++k) {
            const int64_t from = t + (k - 1) * dilation;
            if (from >= 0 && from < segments.length(i))
              sum += at(weight.values, k, c) * at(x.values, segments.begin(i) + from, c);
          }
          want.values.push_back(static_cast<float>(sum));
        }
      }
    }
    test::expect_close(s_, s_.depthwise_conv1d(x.tensor, segments, {weight.tensor, bias.tensor, dilation}), want,
                       "depthwise", kRounding);
  }
}

class IntegersTest : public RowsTest {
 protected:
  std::vector<int32_t> integers(const Tensor& t) {
    std::vector<int32_t> v(static_cast<size_t>(t.rows()));
    s_.download(t, std::span<int32_t>(v));
    return v;
  }
};

TEST_F(RowsTest, ASplineTakesAColumnOfATensor) {
  const Placed params = view(50, 29);
  Placed y = view(50, 1);
  Tensor alone = test::upload(s_, y.values);
  s_.spline_inverse_in_place(y.tensor, params.tensor, 0.2F);
  s_.spline_inverse_in_place(alone, test::upload(s_, params.values), 0.2F);
  const Matrix got = test::download(s_, y.tensor);
  EXPECT_EQ(got.values, test::download(s_, alone).values);
  EXPECT_NE(got.values, y.values.values);
  expect_untouched_around(y);
}

TEST_F(IntegersTest, AnIndexRepeatsEachRow) {
  // More rows than a block has threads, with zeros at the ends and in the middle.
  std::vector<int32_t> counts{0, 3, 0, 0, 1};
  for (int32_t i = 0; i < 3000; ++i) counts.push_back(i % 7 == 0 ? 0 : i % 5);
  counts.insert(counts.end(), {4096, 0, 0});
  std::vector<int32_t> want;
  for (size_t i = 0; i < counts.size(); ++i)
    want.insert(want.end(), static_cast<size_t>(counts[i]), static_cast<int32_t>(i));
  const Tensor index =
      s_.repeated_index(s_.upload(std::span<const int32_t>(counts)), static_cast<int64_t>(want.size()));
  EXPECT_EQ(integers(index), want);
}

TEST_F(IntegersTest, DurationsAreWholeFrames) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  // Logarithms whose frames are far from the next whole number, too many, too few, and none.
  const std::vector<float> stochastic{0.1F, 2.3F, 30.0F, -9.0F, kNaN, 1.75F};
  const std::vector<float> deterministic{0.7F, 1.9F, 30.0F, -9.0F, 0.0F, 2.6F};
  const auto rows = static_cast<int64_t>(stochastic.size());
  const Tensor a = s_.upload(stochastic, rows, 1);
  const Tensor b = s_.upload(deterministic, rows, 1);
  for (const float ratio : {0.0F, 0.2F, 1.0F}) {
    std::vector<int32_t> want;
    for (size_t i = 0; i < stochastic.size(); ++i) {
      double log_frames = 0.0;
      if (ratio != 0.0F) log_frames += double{ratio} * stochastic[i];
      if (ratio != 1.0F) log_frames += (1.0 - double{ratio}) * deterministic[i];
      const double frames = std::ceil(std::exp(log_frames) * 1.3);
      want.push_back(frames >= 1.0 ? static_cast<int32_t>(std::min(frames, 4096.0)) : 1);
    }
    EXPECT_EQ(integers(s_.durations(a, b, ratio, 1.3F, 4096)), want) << ratio;
  }
  // What has no share need not be there.
  EXPECT_EQ(integers(s_.durations({}, b, 0.0F, 1.0F, 4096))[1], 7);
  EXPECT_EQ(integers(s_.durations(a, {}, 1.0F, 1.0F, 4096))[1], 10);
}

}  // namespace
}  // namespace hayakoe::device
