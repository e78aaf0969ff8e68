// SPDX-License-Identifier: Apache-2.0
// Linear layers, convolutions and transposed convolutions with every kind of weights, at sizes around those of the
// tiles that devices compute them in: against plain loops in double precision over the numbers that are really
// multiplied.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <hayakoe/error.hpp>
#include <random>

#include "device/half.hpp"
#include "support/device.hpp"
#include "support/golden.hpp"

namespace hayakoe::device {
namespace {

using test::Matrix;

double from_f16(uint16_t h) {
  const int exponent = (h >> 10) & 31;
  const int mantissa = h & 1023;
  const double size = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (h & 0x8000) != 0 ? -size : size;
}

double from_bf16(uint16_t h) { return std::bit_cast<float>(static_cast<uint32_t>(h) << 16U); }

// To 11 bits, ties away from zero.
double rounded_to_tf32(float x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::round(std::ldexp(fraction, 11)), exponent - 11);
}

double rounded(float x, WeightType type) {
  switch (type) {
    case WeightType::kF16:
      return from_f16(to_f16(x));
    case WeightType::kBF16:
      return from_bf16(to_bf16(x));
    case WeightType::kTF32:
      return rounded_to_tf32(x);
    default:
      return x;
  }
}

struct Case {
  std::vector<int64_t> lengths;
  int64_t in, out, kernel, dilation;  // or stride, of transposed ones
};

class ProductTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    try {
      type_ = device_->precision(GetParam()).bert;
    } catch (const Error& e) {
      GTEST_SKIP() << e.what();
    }
  }

  Matrix noise(int64_t rows, int64_t cols) {
    std::normal_distribution<float> normal;
    Matrix m{std::vector<float>(static_cast<size_t>(rows * cols)), rows, cols};
    for (float& v : m.values) v = normal(random_);
    return m;
  }

  // What the device multiplies: the CPU expands its weights and leaves the other side as it is.
  [[nodiscard]] double multiplied(float x) const { return test::on_cpu() ? x : rounded(x, type_); }

  // Σ over the taps that `source(t, k)` gives (a row of the segment, or −1), of every segment.
  template <typename Source>
  Matrix plain(const Case& c, const Matrix& x, const Matrix& w, const Matrix& bias, int64_t rows_out,
               const Source& source) const {
    // The CPU keeps a single output as it is given.
    const WeightType type = test::on_cpu() && c.out == 1 ? WeightType::kF32 : type_;
    Matrix y{{}, 0, c.out};
    int64_t begin = 0;
    for (const int64_t length : c.lengths) {
      for (int64_t t = 0; t < length * rows_out; ++t) {
        for (int64_t o = 0; o < c.out; ++o) {
          double sum = bias.values[static_cast<size_t>(o)];
          for (int64_t k = 0; k < c.kernel; ++k) {
            const int64_t from = source(t, k);
            if (from < 0 || from >= length) continue;
            for (int64_t i = 0; i < c.in; ++i) {
              sum += rounded(w.values[static_cast<size_t>((o * c.in + i) * c.kernel + k)], type) *
                     multiplied(x.values[static_cast<size_t>((begin + from) * c.in + i)]);
            }
          }
          y.values.push_back(static_cast<float>(sum));
        }
      }
      begin += length;
    }
    y.rows = begin * rows_out;
    return y;
  }

  // Rows [begin, begin + count) of a matrix.
  static Matrix part(const Matrix& m, int64_t begin, int64_t count) {
    return {{m.values.begin() + begin * m.cols, m.values.begin() + (begin + count) * m.cols}, count, m.cols};
  }

  // Each segment alone is the same to the bit as in the batch; `run(x, segments)` computes.
  template <typename Run>
  void expect_alone_the_same(const Case& c, const Matrix& x, int64_t rows_out, const Run& run) {
    const Matrix together = test::download(s_, run(test::upload(s_, x), Segments::of_lengths(c.lengths)));
    int64_t begin = 0;
    for (const int64_t length : c.lengths) {
      if (length == 0) continue;
      const Tensor one = test::upload(s_, part(x, begin, length));
      const Matrix alone = test::download(s_, run(one, Segments::single(length)));
      EXPECT_EQ(alone.values, part(together, begin * rows_out, length * rows_out).values) << length << " rows";
      begin += length;
    }
  }

  std::mt19937 random_{20261130};
  std::shared_ptr<Device> device_ = test::open_device(2);
  std::unique_ptr<Stream> stream_ = device_->stream();
  Stream& s_ = *stream_;
  WeightType type_ = WeightType::kF32;
};

INSTANTIATE_TEST_SUITE_P(Precision, ProductTest, testing::Values("f32", "tf32", "f16", "bf16"),
                         [](const auto& info) { return std::string(info.param); });

constexpr double kSums = 2e-6;  // float sums instead of double ones

TEST_P(ProductTest, Linear) {
  const std::vector<Case> cases{{{7}, 1, 5, 1, 1},     {{33}, 20, 16, 1, 1},   {{300}, 64, 130, 1, 1},
                                {{129}, 33, 31, 1, 1}, {{40}, 100, 258, 1, 1}, {{1}, 18, 64, 1, 1}};
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.in << " → " << c.out);
    const Matrix x = noise(c.lengths[0], c.in);
    const Matrix w = noise(c.out, c.in);
    const Matrix bias = noise(1, c.out);
    const Linear linear = device_->pack_linear(w.values, bias.values, c.in, c.out, type_);
    const Matrix want = plain(c, x, w, bias, 1, [](int64_t t, int64_t) { return t; });
    test::expect_close(s_, s_.linear(test::upload(s_, x), linear), want, "linear", kSums);
  }
}

TEST_P(ProductTest, Convolution) {
  const std::vector<Case> cases{{{5, 0, 130, 1, 40}, 16, 16, 7, 1}, {{50, 3, 90}, 12, 40, 11, 5},
                                {{200, 60}, 64, 64, 3, 3},          {{17, 100}, 6, 20, 5, 1},
                                {{70, 200, 9}, 20, 130, 3, 1},      {{33}, 40, 1, 7, 1}};
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.in << " → " << c.out << ", kernel " << c.kernel << ", dilation "
                                    << c.dilation);
    const Segments segments = Segments::of_lengths(c.lengths);
    const Matrix x = noise(segments.rows(), c.in);
    const Matrix w = noise(c.out, c.in * c.kernel);
    const Matrix bias = noise(1, c.out);
    const Conv1d conv = device_->pack_conv1d(w.values, bias.values, c.in, c.out, c.kernel, c.dilation, false, type_);
    const int64_t left = (c.kernel - 1) / 2 * c.dilation;
    const Matrix want =
        plain(c, x, w, bias, 1, [&](int64_t t, int64_t k) { return std::max<int64_t>(-1, t + k * c.dilation - left); });
    test::expect_close(s_, s_.conv1d(test::upload(s_, x), segments, conv), want, "convolution", kSums);
    expect_alone_the_same(c, x, 1, [&](const Tensor& t, const Segments& s) { return s_.conv1d(t, s, conv); });
  }
}

TEST_P(ProductTest, TransposedConvolution) {
  const std::vector<Case> cases{
      {{5, 0, 130, 1}, 32, 16, 16, 8}, {{50, 3}, 12, 40, 4, 2}, {{33, 20}, 16, 70, 5, 3}, {{9, 200}, 6, 130, 8, 4}};
  for (const Case& c : cases) {
    const int64_t stride = c.dilation;
    const int64_t padding = (c.kernel - stride) / 2;
    SCOPED_TRACE(testing::Message() << c.in << " → " << c.out << ", kernel " << c.kernel << ", stride " << stride);
    const Segments segments = Segments::of_lengths(c.lengths);
    const Matrix x = noise(segments.rows(), c.in);
    const Matrix w = noise(c.out, c.in * c.kernel);  // [out, in, kernel] for the loop
    const Matrix bias = noise(1, c.out);
    std::vector<float> stored(w.values.size());  // [in, out, kernel]
    for (int64_t o = 0; o < c.out; ++o) {
      for (int64_t i = 0; i < c.in; ++i) {
        for (int64_t k = 0; k < c.kernel; ++k)
          stored[static_cast<size_t>((i * c.out + o) * c.kernel + k)] =
              w.values[static_cast<size_t>((o * c.in + i) * c.kernel + k)];
      }
    }
    const ConvTranspose1d conv =
        device_->pack_conv_transpose1d(stored, bias.values, c.in, c.out, c.kernel, stride, padding, type_);
    const Matrix want = plain(c, x, w, bias, stride, [&](int64_t t, int64_t k) {
      const int64_t at = t + padding - k;
      return at >= 0 && at % stride == 0 ? at / stride : -1;
    });
    test::expect_close(s_, s_.conv_transpose1d(test::upload(s_, x), segments, conv), want, "transposed", kSums);
    expect_alone_the_same(c, x, stride,
                          [&](const Tensor& t, const Segments& s) { return s_.conv_transpose1d(t, s, conv); });
  }
}

TEST_P(ProductTest, ARowDoesNotDependOnHowManyThereAre) {
  const Matrix x = noise(700, 96);
  const Linear linear = device_->pack_linear(noise(200, 96).values, noise(1, 200).values, 96, 200, type_);
  const Matrix all = test::download(s_, s_.linear(test::upload(s_, x), linear, {.activation = Activation::kGelu}));
  for (const int64_t rows : {1, 20, 150, 400}) {
    const Matrix few =
        test::download(s_, s_.linear(test::upload(s_, part(x, 0, rows)), linear, {.activation = Activation::kGelu}));
    EXPECT_EQ(few.values, part(all, 0, rows).values) << rows;
  }
}

TEST_P(ProductTest, LeakyBeforeActivationAndResidualAfter) {
  const Case c{{61, 5}, 20, 36, 3, 2};
  const Segments segments = Segments::of_lengths(c.lengths);
  Matrix x = noise(segments.rows(), c.in);
  const Matrix w = noise(c.out, c.in * c.kernel);
  const Matrix bias = noise(1, c.out);
  const Matrix residual = noise(segments.rows(), c.out);
  const Conv1d conv = device_->pack_conv1d(w.values, bias.values, c.in, c.out, c.kernel, c.dilation, false, type_);
  const Tensor on_device = test::upload(s_, x);
  constexpr float kSlope = 0.1F;
  for (float& v : x.values) v = v > 0 ? v : v * kSlope;
  const Matrix sums =
      plain(c, x, w, bias, 1, [&](int64_t t, int64_t k) { return std::max<int64_t>(-1, t + 2 * k - 2); });

  Matrix want = sums;
  const Tensor r = test::upload(s_, residual);
  for (size_t i = 0; i < want.values.size(); ++i) want.values[i] += residual.values[i];
  test::expect_close(s_, s_.conv1d(on_device, segments, conv, {.residual = &r}, kSlope), want, "residual", kSums);

  for (const Activation a : {Activation::kRelu, Activation::kGelu, Activation::kLeakyRelu}) {
    for (size_t i = 0; i < want.values.size(); ++i) {
      const double v = sums.values[i];
      const double relu = v > 0 ? v : 0.0;
      const double leaky = v > 0 ? v : v * kSlope;
      const double gelu = 0.5 * v * (1.0 + std::erf(v / std::sqrt(2.0)));
      want.values[i] = static_cast<float>(a == Activation::kRelu ? relu : a == Activation::kGelu ? gelu : leaky);
    }
    const Epilogue e{.activation = a, .slope = kSlope};
    test::expect_close(s_, s_.conv1d(on_device, segments, conv, e, kSlope), want, "activation", kSums);
  }
}

}  // namespace
}  // namespace hayakoe::device
