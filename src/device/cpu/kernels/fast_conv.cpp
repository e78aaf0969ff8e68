// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/kernels/fast_conv.hpp"

#include <algorithm>
#include <cassert>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/kernels/fast_conv.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "device/cpu/kernels/fourier-inl.hpp"

// Once for all targets.
#ifndef HAYAKOE_FAST_CONV_ONCE
#define HAYAKOE_FAST_CONV_ONCE
namespace hayakoe::device {

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

// The components of real blocks a and b, which ride as the real and the imaginary part of one transform: a's at `at`,
// b's behind them, `stride` floats from one component to the next. Components: 0, N/2, then real part, imaginary part
// and their sum of each frequency between.
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
