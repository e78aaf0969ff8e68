// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of 16, 32 or 64 complex values, a vector of channels at a time. Included once for every
// instruction set, behind <hwy/highway.h>.
#ifndef HAYAKOE_FOURIER_TABLES
#define HAYAKOE_FOURIER_TABLES

#include <array>
#include <cmath>
#include <numbers>

#include "device/device.hpp"

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

}  // namespace hayakoe::device
#endif

// Defined and undefined in turn, so that the rest is compiled again for each target.
#if defined(HAYAKOE_FOURIER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HAYAKOE_FOURIER_INL
#undef HAYAKOE_FOURIER_INL
#else
#define HAYAKOE_FOURIER_INL
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

}  // namespace
}  // namespace hayakoe::device::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
