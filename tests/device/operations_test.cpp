// SPDX-License-Identifier: Apache-2.0
// Single operations: against reference tensors where there are some, else against a plain loop written here.
#include <gtest/gtest.h>

#include <random>

#include "device/device.hpp"
#include "model/weights.hpp"
#include "support/golden.hpp"

namespace hayakoe::device {
namespace {

using test::Matrix;

class OperationsTest : public testing::Test {
 protected:
  std::shared_ptr<Device> device_ = open_device("cpu", 2);
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
};

// Channel counts that oneDNN has fast forms for, and ones that it has not.
class ConvTest : public OperationsTest, public testing::WithParamInterface<ConvShape> {};

TEST_P(ConvTest, EqualsThePlainSum) {
  const auto [in, out, kernel, dilation] = GetParam();
  const std::vector<int64_t> lengths{1, 40, 7, 0, 133};
  const Segments segments = Segments::of_lengths(lengths);
  const auto weight = noise(out * in * kernel);
  const auto bias = noise(out);
  const auto x = noise(segments.rows() * in);
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
                   x[static_cast<size_t>((segments.begin(i) + from) * in + c)];
          }
        }
        want[static_cast<size_t>((segments.begin(i) + t) * out + o)] = static_cast<float>(sum);
      }
    }
  }
  const Conv1d packed = device_->pack_conv1d(weight, bias, in, out, kernel, dilation);
  const Tensor xt = s_.upload(x, segments.rows(), in);
  const Tensor rt = s_.upload(residual, segments.rows(), out);
  test::expect_close(s_, s_.conv1d(xt, segments, packed), {want, segments.rows(), out}, "plain", 2e-6);
  std::vector<float> with_residual = want;
  for (size_t i = 0; i < want.size(); ++i) with_residual[i] += residual[i];
  test::expect_close(s_, s_.conv1d(xt, segments, packed, {.residual = &rt}), {with_residual, segments.rows(), out},
                     "residual", 2e-6);
  const auto activated = [&](Activation a, float slope, auto f, const char* name) {
    std::vector<float> v = want;
    for (float& y : v) y = f(y);
    test::expect_close(s_, s_.conv1d(xt, segments, packed, {.activation = a, .slope = slope}),
                       {v, segments.rows(), out}, name, 2e-6);
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
                                         ConvShape{32, 64, 5, 1}, ConvShape{1, 48, 1, 1}));

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
}

TEST_F(OperationsTest, TheArenaStopsGrowing) {
  const auto round = [&] {
    const Tensor a = s_.allocate(1000, 100);
    const Tensor b = s_.allocate(10, 7);
    const Tensor c = s_.leaky_relu(a, 1.0F);
  };
  round();
  const int64_t after_one = s_.arena_bytes();
  for (int i = 0; i < 50; ++i) round();
  EXPECT_EQ(s_.arena_bytes(), after_one);
}

}  // namespace
}  // namespace hayakoe::device
