// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/kernels/fast_conv.hpp"

#include <array>
#include <cassert>
#include <cmath>
#include <numbers>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/kernels/fast_conv.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Once for all targets.
#ifndef HAYAKOE_FAST_CONV_ONCE
#define HAYAKOE_FAST_CONV_ONCE
namespace hayakoe::device {

// Where frequency f of a transform of length n lies after the passes of dif(): digits reversed, four by four.
constexpr int frequency_place(int n, int f) {
  if (n == 1) return 0;
  const int radix = n % 4 == 0 ? 4 : 2;
  return f % radix * (n / radix) + frequency_place(n / radix, f / radix);
}

// cos and −sin of 2πj/n, 2π2j/n, 2π3j/n for each j of a first pass.
template <int kN>
struct Twiddles {
  std::array<float, static_cast<size_t>(kN / 4 * 6)> value{};
  Twiddles() {
    for (int j = 0; j < kN / 4; ++j) {
      for (int q = 1; q <= 3; ++q) {
        const double angle = 2.0 * std::numbers::pi * j * q / kN;
        value[static_cast<size_t>(j * 6 + (q - 1) * 2)] = static_cast<float>(std::cos(angle));
        value[static_cast<size_t>(j * 6 + (q - 1) * 2 + 1)] = static_cast<float>(-std::sin(angle));
      }
    }
  }
};

template <int kN>
const float* twiddles() {
  static const Twiddles<kN> table;
  return table.value.data();
}

// Where every frequency lies.
template <int kN>
struct FrequencyPlaces {
  std::array<int, static_cast<size_t>(kN)> at{};
  constexpr FrequencyPlaces() {
    for (int f = 0; f < kN; ++f) at[static_cast<size_t>(f)] = frequency_place(kN, f);
  }
};
template <int kN>
inline constexpr FrequencyPlaces<kN> kPlaces;

// Transformed blocks lie as [channels / kPanel][component][block][kPanel]: what one transform writes stays within a few
// pages, and a product finds 16 channels of a block in one cache line.
struct Layout {
  Layout(int64_t blocks, int64_t parts) {
    // An odd number of cache lines, so that the components do not compete for the same cache sets.
    component = (blocks + 1) / 2 * 2 * kPanel + kPanel;
    group = parts * component;
  }
  int64_t component, group;  // strides in floats
  [[nodiscard]] int64_t size(int64_t channels) const { return channels / kPanel * group; }
};

}  // namespace hayakoe::device
#endif

HWY_BEFORE_NAMESPACE();
namespace hayakoe::device::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, kPanel>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

// z ← z · (c + i s)
HWY_INLINE void rotate(V& re, V& im, float c, float s) {
  const D d;
  const V vc = hn::Set(d, c);
  const V vs = hn::Set(d, s);
  const V r = hn::NegMulAdd(im, vs, hn::Mul(re, vc));
  im = hn::MulAdd(im, vc, hn::Mul(re, vs));
  re = r;
}

// Fourier transform of kN complex values in place, decimation in frequency; see frequency_place().
template <int kN>
HWY_INLINE void dif(V* HWY_RESTRICT re, V* HWY_RESTRICT im, const float* w4) {
  if constexpr (kN == 2) {
    const V r = hn::Sub(re[0], re[1]);
    const V i = hn::Sub(im[0], im[1]);
    re[0] = hn::Add(re[0], re[1]);
    im[0] = hn::Add(im[0], im[1]);
    re[1] = r;
    im[1] = i;
  } else if constexpr (kN > 2) {
    constexpr int kQuarter = kN / 4;
    const float* w = w4;
    for (int j = 0; j < kQuarter; ++j, w += 6) {
      V* r = re + j;
      V* i = im + j;
      const V sum_r = hn::Add(r[0], r[2 * kQuarter]);
      const V sum_i = hn::Add(i[0], i[2 * kQuarter]);
      const V dif_r = hn::Sub(r[0], r[2 * kQuarter]);
      const V dif_i = hn::Sub(i[0], i[2 * kQuarter]);
      const V odd_r = hn::Add(r[kQuarter], r[3 * kQuarter]);
      const V odd_i = hn::Add(i[kQuarter], i[3 * kQuarter]);
      const V turn_r = hn::Sub(i[kQuarter], i[3 * kQuarter]);  // −i (a₁ − a₃)
      const V turn_i = hn::Sub(r[3 * kQuarter], r[kQuarter]);
      r[0] = hn::Add(sum_r, odd_r);
      i[0] = hn::Add(sum_i, odd_i);
      V r1 = hn::Add(dif_r, turn_r);
      V i1 = hn::Add(dif_i, turn_i);
      V r2 = hn::Sub(sum_r, odd_r);
      V i2 = hn::Sub(sum_i, odd_i);
      V r3 = hn::Sub(dif_r, turn_r);
      V i3 = hn::Sub(dif_i, turn_i);
      if (j > 0) {
        rotate(r1, i1, w[0], w[1]);
        rotate(r2, i2, w[2], w[3]);
        rotate(r3, i3, w[4], w[5]);
      }
      r[kQuarter] = r1;
      i[kQuarter] = i1;
      r[2 * kQuarter] = r2;
      i[2 * kQuarter] = i2;
      r[3 * kQuarter] = r3;
      i[3 * kQuarter] = i3;
    }
    if constexpr (kQuarter > 1) {
      const float* next = kQuarter >= 4 ? twiddles<kQuarter>() : nullptr;
      for (int q = 0; q < 4; ++q) dif<kQuarter>(re + q * kQuarter, im + q * kQuarter, next);
    }
  }
}

// The inverse, times kN, of what dif() leaves.
template <int kN>
HWY_INLINE void inverse_dit(V* HWY_RESTRICT re, V* HWY_RESTRICT im, const float* w4) {
  if constexpr (kN == 2) {
    dif<2>(re, im, nullptr);
  } else if constexpr (kN > 2) {
    constexpr int kQuarter = kN / 4;
    if constexpr (kQuarter > 1) {
      const float* next = kQuarter >= 4 ? twiddles<kQuarter>() : nullptr;
      for (int q = 0; q < 4; ++q) inverse_dit<kQuarter>(re + q * kQuarter, im + q * kQuarter, next);
    }
    const float* w = w4;
    for (int j = 0; j < kQuarter; ++j, w += 6) {
      V* r = re + j;
      V* i = im + j;
      V r1 = r[kQuarter];
      V i1 = i[kQuarter];
      V r2 = r[2 * kQuarter];
      V i2 = i[2 * kQuarter];
      V r3 = r[3 * kQuarter];
      V i3 = i[3 * kQuarter];
      if (j > 0) {
        rotate(r1, i1, w[0], -w[1]);
        rotate(r2, i2, w[2], -w[3]);
        rotate(r3, i3, w[4], -w[5]);
      }
      const V sum_r = hn::Add(r[0], r2);
      const V sum_i = hn::Add(i[0], i2);
      const V dif_r = hn::Sub(r[0], r2);
      const V dif_i = hn::Sub(i[0], i2);
      const V odd_r = hn::Add(r1, r3);
      const V odd_i = hn::Add(i1, i3);
      const V turn_r = hn::Sub(i3, i1);  // i (a₁ − a₃)
      const V turn_i = hn::Sub(r1, r3);
      r[0] = hn::Add(sum_r, odd_r);
      i[0] = hn::Add(sum_i, odd_i);
      r[kQuarter] = hn::Add(dif_r, turn_r);
      i[kQuarter] = hn::Add(dif_i, turn_i);
      r[2 * kQuarter] = hn::Sub(sum_r, odd_r);
      i[2 * kQuarter] = hn::Sub(sum_i, odd_i);
      r[3 * kQuarter] = hn::Sub(dif_r, turn_r);
      i[3 * kQuarter] = hn::Sub(dif_i, turn_i);
    }
  }
}

// kN inputs of a block, channels [c, c + kLanes), zeros outside of the segment, leaky ReLU applied.
template <int kN>
HWY_INLINE void load_block(const FastConv& f, const ConvBlock& b, int64_t c, V* HWY_RESTRICT to) {
  const D d;
  const V slope = hn::Set(d, f.input_slope);
  if (b.length == 0) {
    std::fill(to, to + kN, hn::Zero(d));
    return;
  }
  const int64_t start = b.first - (f.kernel - 1) / 2 * f.dilation;
  const float* from = b.input + start * f.in + c;
  const int64_t step = f.dilation * f.in;
  const auto leaky = [&](V v) { return hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Mul(v, slope), v); };
  if (start >= 0 && start + (kN - 1) * f.dilation < b.length) {
    for (int i = 0; i < kN; ++i, from += step) to[i] = leaky(hn::LoadU(d, from));
    return;
  }
  for (int i = 0; i < kN; ++i, from += step) {
    const int64_t t = start + i * f.dilation;
    to[i] = t >= 0 && t < b.length ? leaky(hn::LoadU(d, from)) : hn::Zero(d);
  }
}

// The outputs of a block, `count` of them times `factor`, channels [c, c + kLanes).
HWY_INLINE void store_block(const FastConv& f, const ConvBlock& b, int64_t c, int64_t count, const V* HWY_RESTRICT y,
                            float factor) {
  const D d;
  if (b.length == 0) return;
  const V zero = hn::Zero(d);
  const V bias = hn::LoadU(d, f.bias + c);
  const V scale = hn::Set(d, factor);
  const int64_t valid = std::min(count, (b.length - b.first + f.dilation - 1) / f.dilation);
  const int64_t step = f.dilation * f.out;
  float* to = b.output + b.first * f.out + c;
  if (b.residual != nullptr) {
    const float* residual = b.residual + b.first * f.out + c;
    for (int64_t i = 0; i < valid; ++i)
      hn::StoreU(hn::Add(hn::MulAdd(y[i], scale, bias), hn::LoadU(d, residual + i * step)), d, to + i * step);
  } else if (f.activation == Activation::kLeakyRelu || f.activation == Activation::kRelu) {
    const V slope = hn::Set(d, f.activation == Activation::kRelu ? 0.0F : f.slope);
    for (int64_t i = 0; i < valid; ++i) {
      const V v = hn::MulAdd(y[i], scale, bias);
      hn::StoreU(hn::IfThenElse(hn::Lt(v, zero), hn::Mul(v, slope), v), d, to + i * step);
    }
  } else {
    for (int64_t i = 0; i < valid; ++i) hn::StoreU(hn::MulAdd(y[i], scale, bias), d, to + i * step);
  }
}

// The components of real blocks a and b, which ride as the real and the imaginary part of one transform: a's at `to`,
// b's at `to` + `next`. Components: 0, N/2, then real part, imaginary part and their sum of each frequency between.
template <int kN>
HWY_INLINE void FourierForward(const FastConv& f, const ConvBlock& a, const ConvBlock& b, int64_t c,
                               float* HWY_RESTRICT at, int64_t stride) {
  const D d;
  V re[kN];
  V im[kN];
  load_block<kN>(f, a, c, re);
  load_block<kN>(f, b, c, im);
  dif<kN>(re, im, twiddles<kN>());
  const auto put = [&](V va, V vb) {
    hn::StoreU(va, d, at);
    hn::StoreU(vb, d, at + kPanel);
    at += stride;
  };
  constexpr int kMiddle = frequency_place(kN, kN / 2);
  put(re[0], im[0]);
  put(re[kMiddle], im[kMiddle]);
  for (size_t q = 1; q < kN / 2; ++q) {
    const int p = kPlaces<kN>.at[q];
    const int m = kPlaces<kN>.at[kN - q];
    const V a_re = hn::Add(re[p], re[m]);
    const V a_im = hn::Sub(im[p], im[m]);
    const V b_re = hn::Add(im[p], im[m]);
    const V b_im = hn::Sub(re[m], re[p]);
    put(a_re, b_re);
    put(a_im, b_im);
    put(hn::Add(a_re, a_im), hn::Add(b_re, b_im));
  }
}

template <int kN>
HWY_INLINE void FourierInverse(const FastConv& f, const ConvBlock& a, const ConvBlock& b, int64_t c,
                               const float* HWY_RESTRICT at, int64_t stride) {
  const D d;
  V re[kN];
  V im[kN];
  const auto get = [&](int64_t part, int64_t block) { return hn::LoadU(d, at + part * stride + block * kPanel); };
  constexpr int kMiddle = frequency_place(kN, kN / 2);
  re[0] = get(0, 0);
  im[0] = get(0, 1);
  re[kMiddle] = get(1, 0);
  im[kMiddle] = get(1, 1);
  at += 2 * stride;
  for (size_t q = 1; q < kN / 2; ++q, at += 3 * stride) {
    // Gauss: with k₁ = h_r(x_r + x_i), k₂ = x_r(h_i − h_r), k₃ = x_i(h_r + h_i): y = (k₁ − k₃) + i(k₁ + k₂)
    const V a_1 = get(2, 0);
    const V b_1 = get(2, 1);
    const V a_re = hn::Sub(a_1, get(1, 0));
    const V a_im = hn::Add(a_1, get(0, 0));
    const V b_re = hn::Sub(b_1, get(1, 1));
    const V b_im = hn::Add(b_1, get(0, 1));
    const int p = kPlaces<kN>.at[q];
    const int m = kPlaces<kN>.at[kN - q];
    re[p] = hn::Sub(a_re, b_im);
    im[p] = hn::Add(a_im, b_re);
    re[m] = hn::Add(a_re, b_im);
    im[m] = hn::Sub(b_re, a_im);
  }
  inverse_dit<kN>(re, im, twiddles<kN>());
  const int64_t count = kN - f.kernel + 1;
  store_block(f, a, c, count, re, 1.0F / kN);
  store_block(f, b, c, count, im, 1.0F / kN);
}

// F(m, 9 − m) with the points 0, ±1, ±2, ±1/2, ∞ (Lavin and Gray 2016, in one dimension).
HWY_INLINE void WinogradForward(const FastConv& f, const ConvBlock& b, int64_t c, float* HWY_RESTRICT at,
                                int64_t stride) {
  const D d;
  V x[8];
  load_block<8>(f, b, c, x);
  const auto times = [&](float factor, V v, V add) { return hn::MulAdd(hn::Set(d, factor), v, add); };
  const auto put = [&](int64_t part, V v) { hn::StoreU(v, d, at + part * stride); };
  const auto put_both = [&](int64_t part, V even, V odd) {
    put(part, hn::Add(even, odd));
    put(part + 1, hn::Sub(even, odd));
  };
  put(0, times(5.25F, hn::Sub(x[4], x[2]), hn::Sub(x[0], x[6])));
  put_both(1, times(-4.25F, x[4], hn::Add(x[2], x[6])), times(-4.25F, x[3], hn::Add(x[1], x[5])));
  put_both(3, times(0.25F, x[2], times(-1.25F, x[4], x[6])),
           times(0.5F, x[1], times(-2.5F, x[3], hn::Add(x[5], x[5]))));
  put_both(5, times(4.0F, x[2], times(-5.0F, x[4], x[6])), times(0.5F, x[5], times(-2.5F, x[3], hn::Add(x[1], x[1]))));
  put(7, times(5.25F, hn::Sub(x[3], x[5]), hn::Sub(x[7], x[1])));
}

HWY_INLINE void WinogradInverse(const FastConv& f, const ConvBlock& b, int64_t c, const float* HWY_RESTRICT at,
                                int64_t stride) {
  const D d;
  const auto get = [&](int64_t part) { return hn::LoadU(d, at + part * stride); };
  const auto times = [&](float factor, V v, V add) { return hn::MulAdd(hn::Set(d, factor), v, add); };
  const int64_t count = 9 - f.kernel;
  V even[3];
  V odd[3];
  for (int64_t p = 0; p < 3; ++p) {
    const V plus = get(2 * p + 1);
    const V minus = get(2 * p + 2);
    even[p] = hn::Add(plus, minus);
    odd[p] = hn::Sub(plus, minus);
  }
  // yᵢ = Σ aⁱ·m over the points a: even powers see the sum of ±a, odd ones the difference.
  V y[8];
  y[0] = hn::Add(hn::Add(get(0), even[0]), hn::Add(even[1], even[2]));
  float power = 2.0F;
  for (int64_t i = 1; i < count; ++i, power *= 2.0F) {
    const V* m = i % 2 == 0 ? even : odd;
    y[i] = times(power, m[1], times(1.0F / power, m[2], m[0]));
  }
  y[count - 1] = hn::Add(y[count - 1], get(7));
  store_block(f, b, c, count, y, 1.0F);
}

// Calls f(channel, where its lanes lie in the first block) for all lanes of `channels`.
template <typename F>
HWY_INLINE void for_lanes(int64_t channels, const Layout& at, const F& f) {
  for (int64_t c = 0; c < channels; c += kPanel) {
    for (int64_t lane = 0; lane < kPanel; lane += kLanes) f(c + lane, c / kPanel * at.group + lane);
  }
}

template <int kN>
void FourierForwards(const FastConv& f, std::span<const ConvBlock> blocks, float* to, const Layout& layout) {
  for_lanes(f.in, layout, [&](int64_t c, int64_t at) {
    for (size_t i = 0; i < blocks.size(); i += 2) {
      FourierForward<kN>(f, blocks[i], blocks[i + 1], c, to + at + static_cast<int64_t>(i) * kPanel, layout.component);
    }
  });
}

template <int kN>
void FourierInverses(const FastConv& f, std::span<const ConvBlock> blocks, const float* from, const Layout& layout) {
  for_lanes(f.out, layout, [&](int64_t c, int64_t at) {
    for (size_t i = 0; i < blocks.size(); i += 2) {
      FourierInverse<kN>(f, blocks[i], blocks[i + 1], c, from + at + static_cast<int64_t>(i) * kPanel,
                         layout.component);
    }
  });
}

void Forward(const FastConv& f, std::span<const ConvBlock> blocks, float* to, const Layout& layout) {
  switch (f.transform) {
    case Transform::kWinograd8:
      return for_lanes(f.in, layout, [&](int64_t c, int64_t at) {
        for (size_t i = 0; i < blocks.size(); ++i)
          WinogradForward(f, blocks[i], c, to + at + static_cast<int64_t>(i) * kPanel, layout.component);
      });
    case Transform::kFourier16:
      return FourierForwards<16>(f, blocks, to, layout);
    case Transform::kFourier32:
      return FourierForwards<32>(f, blocks, to, layout);
    case Transform::kFourier64:
      return FourierForwards<64>(f, blocks, to, layout);
  }
}

void Inverse(const FastConv& f, std::span<const ConvBlock> blocks, const float* from, const Layout& layout) {
  switch (f.transform) {
    case Transform::kWinograd8:
      return for_lanes(f.out, layout, [&](int64_t c, int64_t at) {
        for (size_t i = 0; i < blocks.size(); ++i)
          WinogradInverse(f, blocks[i], c, from + at + static_cast<int64_t>(i) * kPanel, layout.component);
      });
    case Transform::kFourier16:
      return FourierInverses<16>(f, blocks, from, layout);
    case Transform::kFourier32:
      return FourierInverses<32>(f, blocks, from, layout);
    case Transform::kFourier64:
      return FourierInverses<64>(f, blocks, from, layout);
  }
}

}  // namespace
}  // namespace hayakoe::device::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hayakoe::device {

HWY_EXPORT(Forward);
HWY_EXPORT(Inverse);

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

int64_t fast_conv_scratch(const FastConv& c, int64_t blocks) {
  const Layout layout(blocks, components(c.transform));
  return layout.size(c.in) + layout.size(c.out);
}

void fast_conv(const FastConv& c, std::span<const ConvBlock> blocks, float* scratch) {
  const auto count = static_cast<int64_t>(blocks.size());
  assert(count % block_unit(c.transform) == 0);
  const int64_t parts = components(c.transform);
  const Layout layout(count, parts);
  float* products = scratch + layout.size(c.in);
  HWY_DYNAMIC_DISPATCH(Forward)(c, blocks, scratch, layout);
  for (int64_t p = 0; p < parts; ++p) {
    const GemmInput in{.data = scratch + p * layout.component,
                       .row_stride = kPanel,
                       .taps = c.in / kPanel,
                       .tap_stride = layout.group,
                       .depth = kPanel};
    const GemmOutput out{.data = products + p * layout.component, .row_stride = kPanel, .panel_stride = layout.group};
    gemm(count, c.out, in, c.weights[static_cast<size_t>(p)], out);
  }
  HWY_DYNAMIC_DISPATCH(Inverse)(c, blocks, products, layout);
}

}  // namespace hayakoe::device
#endif
