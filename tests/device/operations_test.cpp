// SPDX-License-Identifier: Apache-2.0
// Single operations: against reference tensors where there are some, else against a plain loop written here.
#include <gtest/gtest.h>

#include <hayakoe/error.hpp>
#include <random>

#include "device/cpu/cpu_weights.hpp"
#include "device/device.hpp"
#include "device/half.hpp"
#include "model/weights.hpp"
#include "support/device.hpp"
#include "support/golden.hpp"

namespace hayakoe::device {
namespace {

using test::Matrix;

class OperationsTest : public testing::Test {
 protected:
  std::shared_ptr<Device> device_ = test::open_device(2);
  std::unique_ptr<Stream> stream_ = device_->stream();
  Stream& s_ = *stream_;
  std::mt19937 random_{20260711};

  std::vector<float> noise(int64_t n) {
    std::normal_distribution<float> normal;
    std::vector<float> v(static_cast<size_t>(n));
    for (float& x : v) x = normal(random_);
    return v;
  }
};

TEST_F(OperationsTest, SplineInverseMatchesTheReference) {
  const auto golden = tensor::SafeTensors::open(test::data("unit/rqs.safetensors"));
  const auto widths = golden.read_f32("unnorm_widths");
  const auto heights = golden.read_f32("unnorm_heights");
  const auto derivatives = golden.read_f32("unnorm_derivs");
  std::vector<float> params;
  for (size_t r = 0; r < 400; ++r) {
    params.insert(params.end(), widths.begin() + r * 10, widths.begin() + (r + 1) * 10);
    params.insert(params.end(), heights.begin() + r * 10, heights.begin() + (r + 1) * 10);
    params.insert(params.end(), derivatives.begin() + r * 9, derivatives.begin() + (r + 1) * 9);
  }
  Tensor y = s_.upload(golden.read_f32("x"), 400, 1);
  s_.spline_inverse_in_place(y, s_.upload(params, 400, 29), 1.0F);
  test::expect_close(s_, y, {golden.read_f32("inverse"), 400, 1}, "inverse");
}

TEST_F(OperationsTest, WindowedAttentionMatchesTheReference) {
  const auto golden = tensor::SafeTensors::open(test::data("unit/attn.safetensors"));
  const model::Weights w(golden, device_, "w.");
  std::vector<float> weight;
  std::vector<float> bias;
  for (const char* part : {"conv_q", "conv_k", "conv_v"}) {
    auto m = w.read(std::string(part) + ".weight", {12, 12});
    auto b = w.read(std::string(part) + ".bias", {12});
    if (weight.empty()) {
      for (float& v : m) v /= std::sqrt(6.0F);
      for (float& v : b) v /= std::sqrt(6.0F);
    }
    weight.insert(weight.end(), m.begin(), m.end());
    bias.insert(bias.end(), b.begin(), b.end());
  }
  const Linear qkv = device_->pack_linear(weight, bias, 12, 36);
  const Linear out = w.linear("conv_o", 12, 12);
  const Tensor rel_k = w.matrix("emb_rel_k", 9, 6);
  const Tensor rel_v = w.matrix("emb_rel_v", 9, 6);
  // All lengths at once: segments must not see one another.
  Matrix x{{}, 0, 12};
  Matrix y{{}, 0, 12};
  std::vector<int64_t> lengths;
  for (const int n : {1, 2, 4, 5, 6, 9, 20}) {
    for (const auto& [name, to] : {std::pair<std::string, Matrix*>{"x.", &x}, {"y.", &y}}) {
      const Matrix m = test::channels_last(golden, name + std::to_string(n));
      to->values.insert(to->values.end(), m.values.begin(), m.values.end());
      to->rows += m.rows;
    }
    lengths.push_back(n);
  }
  const Segments segments = Segments::of_lengths(lengths);
  const Tensor attended = s_.windowed_attention(s_.linear(test::upload(s_, x), qkv), rel_k, rel_v, segments, 2);
  test::expect_close(s_, s_.linear(attended, out), y, "attention");
}

TEST_F(OperationsTest, EvenKernelsPadLessOnTheLeft) {
  const auto golden = tensor::SafeTensors::open(test::data("unit/attn.safetensors"));
  const model::Weights w(golden, device_, "ffn4.");
  const Segments segments = Segments::single(20);
  const Tensor x = test::upload(s_, test::channels_last(golden, "x.20"));
  const Tensor h = s_.conv1d(x, segments, w.conv1d("conv_1", 12, 20, 4), {.activation = Activation::kRelu});
  test::expect_close(s_, s_.conv1d(h, segments, w.conv1d("conv_2", 20, 12, 4)), test::channels_last(golden, "ffn4.y"),
                     "ffn");
}

TEST_F(OperationsTest, TransposedConvolutionMatchesTheReference) {
  struct Shape {
    std::string name;
    int64_t in, out, kernel, stride;
  };
  const auto golden = tensor::SafeTensors::open(test::data("unit/convt.safetensors"));
  for (const Shape& c : {Shape{"k16s8", 8, 4, 16, 8}, Shape{"k8s2", 4, 2, 8, 2}, Shape{"k2s2", 4, 2, 2, 2}}) {
    const model::Weights w(golden, device_, "");
    EXPECT_LE(test::distance(w.folded(c.name, {c.in, c.out, c.kernel}), golden.read_f32(c.name + ".folded_weight")),
              1e-6);
    const auto packed = w.conv_transpose1d(c.name, c.in, c.out, c.kernel, c.stride, (c.kernel - c.stride) / 2);
    const Matrix x = test::channels_last(golden, c.name + ".x");
    const Tensor y = s_.conv_transpose1d(test::upload(s_, x), Segments::single(x.rows), packed);
    test::expect_close(s_, y, test::channels_last(golden, c.name + ".y"), c.name);
  }
}

struct ConvShape {
  int64_t in, out, kernel, dilation;
  bool many_rows = false;  // in a transformed domain, if there is a transform for the shape
};

class ConvTest : public OperationsTest, public testing::WithParamInterface<ConvShape> {};

TEST_P(ConvTest, EqualsThePlainSum) {
  const auto [in, out, kernel, dilation, many_rows] = GetParam();
  const std::vector<int64_t> lengths{1, 40, 7, 0, 633};
  const Segments segments = Segments::of_lengths(lengths);
  const auto weight = noise(out * in * kernel);
  const auto bias = noise(out);
  const auto x = noise(segments.rows() * in);
  constexpr float kInputSlope = 0.1F;
  // A GPU adds up to 2,816 products one after the other, the CPU in several sums.
  const double tolerance = test::on_cpu() ? 2e-6 : 3e-6;
  const auto leaky = [](float v) { return v >= 0.0F ? v : kInputSlope * v; };
  const auto residual = noise(segments.rows() * out);
  const int64_t left = (kernel - 1) / 2 * dilation;
  std::vector<float> want(static_cast<size_t>(segments.rows() * out));
  for (int64_t i = 0; i < segments.count(); ++i) {
    for (int64_t t = 0; t < segments.length(i); ++t) {
      for (int64_t o = 0; o < out; ++o) {
        double sum = bias[static_cast<size_t>(o)];
        for (int64_t k = 0; k < kernel; ++k) {
          const int64_t from = t + k * dilation - left;
          if (from < 0 || from >= segments.length(i)) continue;
          for (int64_t c = 0; c < in; ++c) {
            sum += double{weight[static_cast<size_t>((o * in + c) * kernel + k)]} *
                   leaky(x[static_cast<size_t>((segments.begin(i) + from) * in + c)]);
          }
        }
        want[static_cast<size_t>((segments.begin(i) + t) * out + o)] = static_cast<float>(sum);
      }
    }
  }
  const Conv1d packed = device_->pack_conv1d(weight, bias, in, out, kernel, dilation, many_rows);
  const Tensor xt = s_.upload(x, segments.rows(), in);
  const Tensor rt = s_.upload(residual, segments.rows(), out);
  test::expect_close(s_, s_.conv1d(xt, segments, packed, {}, kInputSlope), {want, segments.rows(), out}, "plain",
                     tolerance);
  std::vector<float> with_residual = want;
  for (size_t i = 0; i < want.size(); ++i) with_residual[i] += residual[i];
  test::expect_close(s_, s_.conv1d(xt, segments, packed, {.residual = &rt}, kInputSlope),
                     {with_residual, segments.rows(), out}, "residual", tolerance);
  // Without the activation of the input.
  std::vector<float> activated_x = x;
  for (float& v : activated_x) v = leaky(v);
  test::expect_close(s_, s_.conv1d(s_.upload(activated_x, segments.rows(), in), segments, packed),
                     {want, segments.rows(), out}, "no input slope", tolerance);
  const auto activated = [&](Activation a, float slope, auto f, const char* name) {
    std::vector<float> v = want;
    for (float& y : v) y = f(y);
    test::expect_close(s_, s_.conv1d(xt, segments, packed, {.activation = a, .slope = slope}, kInputSlope),
                       {v, segments.rows(), out}, name, tolerance);
  };
  activated(
      Activation::kRelu, 0.0F, [](float y) { return std::max(y, 0.0F); }, "relu");
  activated(
      Activation::kLeakyRelu, 0.1F, [](float y) { return y > 0 ? y : 0.1F * y; }, "leaky relu");
  activated(
      Activation::kGelu, 0.0F,
      [](float y) { return static_cast<float>(0.5 * y * (1.0 + std::erf(y / std::sqrt(2.0)))); }, "gelu");
}

INSTANTIATE_TEST_SUITE_P(Shapes, ConvTest,
                         testing::Values(ConvShape{64, 64, 3, 1}, ConvShape{32, 32, 11, 5}, ConvShape{16, 16, 7, 3},
                                         ConvShape{8, 8, 3, 5}, ConvShape{4, 4, 11, 3}, ConvShape{2, 2, 7, 1},
                                         ConvShape{16, 1, 7, 1}, ConvShape{12, 20, 4, 1}, ConvShape{5, 3, 2, 2},
                                         ConvShape{32, 64, 5, 1}, ConvShape{1, 48, 1, 1}, ConvShape{32, 32, 3, 1, true},
                                         ConvShape{64, 32, 4, 1, true}, ConvShape{32, 48, 5, 2, true},
                                         ConvShape{16, 16, 7, 3, true}, ConvShape{256, 256, 7, 1, true},
                                         ConvShape{48, 32, 8, 1, true}, ConvShape{32, 32, 11, 5, true},
                                         ConvShape{256, 256, 11, 3, true}, ConvShape{16, 16, 16, 1, true},
                                         ConvShape{20, 20, 7, 1, true}));

// To the bit: not on what the scratch held before, and not on the segments around it.
TEST_F(OperationsTest, ATransformedConvolutionDependsOnItsSegmentAlone) {
  for (const int64_t kernel : {3, 7, 11}) {
    const Conv1d conv = device_->pack_conv1d(noise(32 * 32 * kernel), noise(32), 32, 32, kernel, 3, true);
    const auto x = noise(100 * 32);
    const auto alone = test::download(s_, s_.conv1d(s_.upload(x, 100, 32), Segments::single(100), conv)).values;
    std::vector<float> batch(37 * 32, 1e20F);
    batch.insert(batch.end(), x.begin(), x.end());
    const std::vector<int64_t> lengths{37, 100};
    const Tensor both = s_.conv1d(s_.upload(batch, 137, 32), Segments::of_lengths(lengths), conv);
    EXPECT_EQ(test::download(s_, both.slice_rows(37, 100)).values, alone) << kernel;
    EXPECT_EQ(test::download(s_, s_.conv1d(s_.upload(x, 100, 32), Segments::single(100), conv)).values, alone)
        << kernel;
  }
}

TEST(StoredWeights, HalvesAreTheNearestOnes) {
  // Every half is itself, and what lies between two goes to the nearer one, in the middle to the even one.
  for (uint32_t bits = 0; bits < 0x7BFFU; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float low = tensor::f16_to_f32(half);
    const float high = tensor::f16_to_f32(static_cast<uint16_t>(half + 1));
    const float middle = low + (high - low) / 2;
    ASSERT_EQ(to_f16(low), half);
    ASSERT_EQ(to_f16(-low), half | 0x8000U);
    ASSERT_EQ(to_f16(middle), half % 2 == 0 ? half : half + 1) << middle;
    ASSERT_EQ(to_f16(std::nextafter(middle, 0.0F)), half);
    ASSERT_EQ(to_f16(std::nextafter(middle, high)), half + 1);
  }
  EXPECT_EQ(to_f16(1e9F), 0x7BFF);
  EXPECT_TRUE(std::isnan(tensor::f16_to_f32(to_f16(NAN))));
  for (const float v : {0.0F, 1.0F, -3.5F, 0x1.fep7F}) EXPECT_EQ(tensor::bf16_to_f32(to_bf16(v)), v);
  EXPECT_EQ(tensor::bf16_to_f32(to_bf16(0x1.01p0F)), 1.0F);       // half of the last place: to even
  EXPECT_EQ(tensor::bf16_to_f32(to_bf16(0x1.03p0F)), 0x1.04p0F);  // likewise, upwards
}

// A product with its weights kept in each type.
TEST_F(OperationsTest, StoredWeightsAreNearTheGivenOnes) {
  constexpr int64_t kIn = 300;
  constexpr int64_t kOut = 70;
  const auto weight = noise(kOut * kIn);
  const auto bias = noise(kOut);
  const auto x = noise(9 * kIn);
  std::vector<float> want(9 * kOut);
  for (size_t r = 0; r < 9; ++r) {
    for (size_t o = 0; o < kOut; ++o) {
      double sum = bias[o];
      for (size_t i = 0; i < kIn; ++i) sum += double{weight[o * kIn + i]} * x[r * kIn + i];
      want[r * kOut + o] = static_cast<float>(sum);
    }
  }
  // Rounding errors are independent: their size over that of the sum of 300 unit products is the relative error of one
  // weight, 2^-8/√3 at most for bf16, an eighth of it for f16, and a 127th of the largest of 32 weights (about 2.4) by
  // √12 for int8. A GPU has no int8, gives tf32 the precision of f16, and rounds the activations as well.
  using Rounding = std::pair<WeightType, double>;
  std::vector<Rounding> types{{WeightType::kF32, 1e-6}, {WeightType::kF16, 0.0023 / 8}, {WeightType::kBF16, 0.0023}};
  types.push_back(test::on_cpu() ? Rounding{WeightType::kInt8, 0.0075} : Rounding{WeightType::kTF32, 0.0023 / 8});
  const double rounded = test::on_cpu() ? 1.0 : std::sqrt(2.0);
  for (const auto& [type, of_weights] : types) {
    const double most = type == WeightType::kF32 ? of_weights : rounded * of_weights;
    const Linear w = device_->pack_linear(weight, bias, kIn, kOut, type);
    const Tensor xt = s_.upload(x, 9, kIn);
    std::vector<float> got(want.size());
    s_.download(s_.linear(xt, w), std::span<float>(got));
    double error = 0.0;
    double size = 0.0;
    for (size_t i = 0; i < want.size(); ++i) {
      error += std::pow(double{got[i]} - want[i], 2);
      size += std::pow(double{want[i]}, 2);
    }
    EXPECT_LE(std::sqrt(error / size), most) << static_cast<int>(type);
    if (type != WeightType::kF32) {
      EXPECT_GE(std::sqrt(error / size), most / 10) << "not rounded?";
    }
  }
}

TEST_F(OperationsTest, AdoptedWeightsAreTheSame) {
  constexpr int64_t kIn = 300;
  constexpr int64_t kOut = 70;
  const auto cpu = open_device("cpu", 1);
  const auto weight = noise(kOut * kIn);
  const auto bias = noise(kOut);
  const Tensor x = s_.upload(noise(9 * kIn), 9, kIn);
  for (const WeightType type : {WeightType::kF32, WeightType::kF16, WeightType::kBF16, WeightType::kInt8}) {
    const Linear w = cpu->pack_linear(weight, bias, kIn, kOut, type);
    const auto adopt = [&](int64_t in, int64_t out) {
      return device_->adopt({.in = in, .out = out}, w.packed->parts());
    };
    if (!test::on_cpu()) {
      EXPECT_THROW(static_cast<void>(adopt(kIn, kOut)), Error);  // it cannot read what the CPU has packed
      continue;
    }
    const Linear adopted{adopt(kIn, kOut), kIn, kOut};
    test::expect_close(s_, s_.linear(x, adopted), test::download(s_, s_.linear(x, w)), "adopted", 0.0);
    EXPECT_THROW(static_cast<void>(adopt(kIn + 1, kOut)), Error);
    EXPECT_THROW(static_cast<void>(adopt(kIn, kOut + 1)), Error);
  }
}

TEST_F(OperationsTest, TransposedConvolutionEqualsThePlainSum) {
  struct Shape {
    int64_t in, out, kernel, stride;
  };
  for (const Shape& c : {Shape{20, 10, 16, 8}, Shape{6, 17, 8, 2}, Shape{32, 16, 2, 2}, Shape{5, 4, 11, 5}}) {
    const std::vector<int64_t> lengths{1, 3, 0, 130};
    const Segments segments = Segments::of_lengths(lengths);
    const auto weight = noise(c.in * c.out * c.kernel);
    const auto bias = noise(c.out);
    const auto x = noise(segments.rows() * c.in);
    const int64_t padding = (c.kernel - c.stride) / 2;
    std::vector<double> want(static_cast<size_t>(segments.rows() * c.stride * c.out));
    for (size_t i = 0; i < want.size(); ++i) want[i] = bias[i % static_cast<size_t>(c.out)];
    for (int64_t s = 0; s < segments.count(); ++s) {
      for (int64_t t = 0; t < segments.length(s); ++t) {
        for (int64_t k = 0; k < c.kernel; ++k) {
          const int64_t at = t * c.stride + k - padding;
          if (at < 0 || at >= segments.length(s) * c.stride) continue;
          for (int64_t i = 0; i < c.in; ++i) {
            const double v = x[static_cast<size_t>((segments.begin(s) + t) * c.in + i)];
            for (int64_t o = 0; o < c.out; ++o) {
              want[static_cast<size_t>((segments.begin(s) * c.stride + at) * c.out + o)] +=
                  (v >= 0.0 ? v : 0.2 * v) * weight[static_cast<size_t>((i * c.out + o) * c.kernel + k)];
            }
          }
        }
      }
    }
    const auto packed = device_->pack_conv_transpose1d(weight, bias, c.in, c.out, c.kernel, c.stride, padding);
    const Tensor y = s_.conv_transpose1d(s_.upload(x, segments.rows(), c.in), segments, packed, 0.2F);
    test::expect_close(s_, y, {{want.begin(), want.end()}, segments.rows() * c.stride, c.out}, "transposed", 2e-6);
  }
}

TEST_F(OperationsTest, LinearTakesViewsOfColumns) {
  const auto weight = noise(24 * 10);
  const auto bias = noise(24);
  const auto x = noise(33 * 20);
  const Tensor view = s_.upload(x, 33, 20).slice_cols(7, 10);
  std::vector<float> want;
  for (int64_t r = 0; r < 33; ++r) {
    for (int64_t o = 0; o < 24; ++o) {
      double sum = bias[static_cast<size_t>(o)];
      for (int64_t c = 0; c < 10; ++c)
        sum += double{weight[static_cast<size_t>(o * 10 + c)]} * x[static_cast<size_t>(r * 20 + 7 + c)];
      want.push_back(static_cast<float>(sum));
    }
  }
  test::expect_close(s_, s_.linear(view, device_->pack_linear(weight, bias, 10, 24)), {want, 33, 24}, "linear", 2e-6);
}

TEST_F(OperationsTest, CopiesAreCounted) {
  s_.reset_transfers();
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const Tensor x = s_.upload(values, 3, 2);
  EXPECT_EQ(s_.transfers().uploads, 1);
  EXPECT_EQ(s_.transfers().upload_bytes, 24);
  std::vector<float> second_column(3);
  s_.download(x.slice_cols(1, 1), std::span<float>(second_column));
  EXPECT_EQ(second_column, (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(s_.transfers().downloads, 1);
  EXPECT_EQ(s_.transfers().download_bytes, 12);
  EXPECT_EQ(s_.transfers().launches, 0);
  const Tensor y = s_.reverse_channels(x);
  EXPECT_EQ(s_.transfers().launches, test::on_cpu() ? 0 : 1);
  s_.reset_transfers();
  EXPECT_EQ(s_.transfers().uploads + s_.transfers().downloads + s_.transfers().launches, 0);
}

TEST_F(OperationsTest, ThePeakIsWhatWasHeldAtOnce) {
  constexpr int64_t kBytes = 1000 * 100 * 4;
  s_.reset_transfers();
  const int64_t before = s_.peak_bytes();
  for (int i = 0; i < 3; ++i) {
    const Tensor a = s_.allocate(1000, 100);
    const Tensor b = s_.allocate(1000, 100);
  }
  // Rounded up to a size that other tensors can use too.
  EXPECT_GE(s_.peak_bytes() - before, 2 * kBytes);
  EXPECT_LE(s_.peak_bytes() - before, 2 * kBytes * 5 / 4);
  s_.reset_transfers();
  EXPECT_EQ(s_.peak_bytes(), before);
}

TEST_F(OperationsTest, TheArenaStopsGrowing) {
  const auto round = [&] {
    const Tensor a = s_.allocate(1000, 100);
    const Tensor b = s_.allocate(10, 7);
    const Tensor c = s_.reverse_channels(a);
  };
  round();
  const int64_t after_one = s_.arena_bytes();
  for (int i = 0; i < 50; ++i) round();
  EXPECT_EQ(s_.arena_bytes(), after_one);
}

}  // namespace
}  // namespace hayakoe::device
