// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/kernels/vector_math.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/kernels/vector_math.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
//
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace hayakoe::device::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
// At most an AVX-512 register, so that the last, partial vector of a row has a small buffer.
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;

HWY_INLINE int64_t lanes() { return static_cast<int64_t>(hn::Lanes(D())); }

// The `count` < lanes() last floats of a row; lanes beyond them are `fill`.
HWY_INLINE V load_part(const float* from, int64_t count, float fill) {
  const D d;
  HWY_ALIGN float part[hn::MaxLanes(D())];
  hn::Store(hn::Set(d, fill), d, part);
  for (int64_t i = 0; i < count; ++i) part[i] = from[i];
  return hn::Load(d, part);
}

HWY_INLINE void store_part(V v, float* to, int64_t count) {
  const D d;
  HWY_ALIGN float part[hn::MaxLanes(D())];
  hn::Store(v, d, part);
  for (int64_t i = 0; i < count; ++i) to[i] = part[i];
}

// y ← f(x)
template <typename F>
HWY_INLINE void map(const float* x, float* y, int64_t n, const F& f) {
  const D d;
  int64_t i = 0;
  for (; i + lanes() <= n; i += lanes()) hn::StoreU(f(hn::LoadU(d, x + i)), d, y + i);
  if (i < n) store_part(f(load_part(x + i, n - i, 0.0F)), y + i, n - i);
}

// out ← f(x, y)
template <typename F>
HWY_INLINE void map(const float* x, const float* y, float* out, int64_t n, const F& f) {
  const D d;
  int64_t i = 0;
  for (; i + lanes() <= n; i += lanes()) hn::StoreU(f(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, out + i);
  if (i < n) store_part(f(load_part(x + i, n - i, 0.0F), load_part(y + i, n - i, 0.0F)), out + i, n - i);
}

// Σ f(x)
template <typename F>
HWY_INLINE float sum_of(const float* x, int64_t n, const F& f) {
  const D d;
  V sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes() <= n; i += lanes()) sum = hn::Add(sum, f(hn::LoadU(d, x + i)));
  if (i < n) {
    const auto valid = hn::FirstN(d, static_cast<size_t>(n - i));
    sum = hn::Add(sum, hn::IfThenElseZero(valid, f(load_part(x + i, n - i, 0.0F))));
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// eˣ for x ≤ 0 or NaN; results below 2.4e-38 are 0, which keeps denormal numbers, slow on many machines, away.
// eˣ = 2^q·e^r with q = round(x/ln 2) and a polynomial for e^r: minimax of degree 6, 3e-9 of the result.
HWY_INLINE V exp_of_negative(V x) {
  const D d;
  const hn::RebindToSigned<D> di;
  // Adding 1.5·2²³ rounds to an integer, which then stands in the lowest bits.
  const V shift = hn::Set(d, 0x1.8p23F);
  const V shifted = hn::MulAdd(x, hn::Set(d, 1.44269504F), shift);
  const V q = hn::Sub(shifted, shift);
  // ln 2 in two parts; the product with the first is exact.
  const V r = hn::NegMulAdd(q, hn::Set(d, 1.428606765e-6F), hn::NegMulAdd(q, hn::Set(d, 0.693145751953125F), x));
  const V r2 = hn::Mul(r, r);
  const V p01 = hn::Add(r, hn::Set(d, 1.0F));
  const V p23 = hn::MulAdd(hn::Set(d, 0.1666652058F), r, hn::Set(d, 0.4999999344F));
  const V p45 = hn::MulAdd(hn::Set(d, 0.008368720975F), r, hn::Set(d, 0.04166838922F));
  const V p46 = hn::MulAdd(hn::Set(d, 0.001381453756F), r2, p45);
  const V p = hn::MulAdd(hn::MulAdd(p46, r2, p23), r2, p01);
  const V power = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::BitCast(di, shifted), hn::Set(di, 127))));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -86.6F)), hn::Mul(p, power));
}

HWY_INLINE V exp_of(V x) {
  const D d;
  // Highway's is for −∞ to 104 and gives 0 for a NaN.
  const V y = hn::Exp(d, hn::Min(x, hn::Set(d, 104.0F)));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

// x·Φ(x) = max(x, 0) − a·Φ(−a), a = |x|, where Φ(−a) = exp(P(a)). P is a polynomial that comes close to
// log(erfc(a/√2)/2) on [0, 8]: weighted by what its error does to the result, minimax of degree 9, 1.2e-8. There is no
// cancellation, and no division. Beyond 8 the product stays at 5e-15.
HWY_INLINE V gelu_of(V x) {
  const D d;
  const V a = hn::Min(hn::Abs(x), hn::Set(d, 8.0F));
  const V a2 = hn::Mul(a, a);
  const V a4 = hn::Mul(a2, a2);
  // Pairs of terms first (Estrin): a chain of ten would take twice the time.
  const V p01 = hn::MulAdd(hn::Set(d, -7.978874869e-1F), a, hn::Set(d, -6.931471331e-1F));
  const V p23 = hn::MulAdd(hn::Set(d, -3.643805201e-2F), a, hn::Set(d, -3.182815037e-1F));
  const V p45 = hn::MulAdd(hn::Set(d, -1.37567046e-4F), a, hn::Set(d, 4.962921326e-3F));
  const V p67 = hn::MulAdd(hn::Set(d, 2.802903827e-5F), a, hn::Set(d, -1.181101222e-4F));
  const V p89 = hn::MulAdd(hn::Set(d, 1.097047844e-7F), a, hn::Set(d, -2.817094605e-6F));
  const V p49 = hn::MulAdd(p89, a4, hn::MulAdd(p67, a2, p45));
  const V p = hn::MulAdd(p49, a4, hn::MulAdd(p23, a2, p01));
  // A NaN stays in the first term.
  const V positive = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x);
  return hn::NegMulAdd(a, exp_of_negative(p), positive);
}

void GeluInPlace(float* x, int64_t n) {
  map(x, x, n, [](V v) HWY_ATTR { return gelu_of(v); });
}

void LeakyReluTo(const float* x, float* y, int64_t n, float slope) {
  const D d;
  const V s = hn::Set(d, slope);
  map(x, y, n, [=](V v) HWY_ATTR { return hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Mul(v, s), v); });
}

void TanhInPlace(float* x, int64_t n) {
  const D d;
  map(x, x, n, [=](V v) HWY_ATTR { return hn::Tanh(d, v); });
}

void ExpTo(const float* x, float* y, int64_t n) {
  map(x, y, n, [](V v) HWY_ATTR { return exp_of(v); });
}

void ScaleInPlace(float* x, float factor, int64_t n) {
  const V f = hn::Set(D(), factor);
  map(x, x, n, [=](V v) HWY_ATTR { return hn::Mul(v, f); });
}

void SoftmaxInPlace(float* x, int64_t n, float scale) {
  if (n == 0) return;
  const D d;
  V top = hn::Set(d, x[0]);
  int64_t i = 0;
  for (; i + lanes() <= n; i += lanes()) top = hn::Max(top, hn::LoadU(d, x + i));
  if (i < n) top = hn::Max(top, load_part(x + i, n - i, x[0]));
  top = hn::MaxOfLanes(d, top);

  const V s = hn::Set(d, scale);
  const auto share = [=](V v) HWY_ATTR { return exp_of_negative(hn::Mul(hn::Sub(v, top), s)); };
  V sum = hn::Zero(d);
  for (i = 0; i + lanes() <= n; i += lanes()) {
    const V v = share(hn::LoadU(d, x + i));
    hn::StoreU(v, d, x + i);
    sum = hn::Add(sum, v);
  }
  if (i < n) {
    const V v = share(load_part(x + i, n - i, 0.0F));
    store_part(v, x + i, n - i);
    sum = hn::Add(sum, hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(n - i)), v));
  }
  ScaleInPlace(x, 1.0F / hn::GetLane(hn::SumOfLanes(d, sum)), n);
}

void LayerNormTo(const float* x, const float* residual, const RowNorm& norm, float* y) {
  const D d;
  const auto sum = [](V a, V b) HWY_ATTR { return hn::Add(a, b); };
  if (residual != nullptr) {
    map(x, residual, y, norm.n, sum);
    x = y;
  }
  const auto count = static_cast<float>(norm.n);
  const V mean = hn::Set(d, sum_of(x, norm.n, [](V v) HWY_ATTR { return v; }) / count);
  const auto squared = [=](V v) HWY_ATTR {
    const V distance = hn::Sub(v, mean);
    return hn::Mul(distance, distance);
  };
  const V inverse = hn::Set(d, 1.0F / std::sqrt(sum_of(x, norm.n, squared) / count + norm.eps));
  const auto scaled = [=](V v, V gamma) HWY_ATTR { return hn::Mul(hn::Mul(hn::Sub(v, mean), inverse), gamma); };
  map(x, norm.gamma, y, norm.n, scaled);
  map(y, norm.beta, y, norm.n, sum);
  if (norm.gelu) GeluInPlace(y, norm.n);
}

void AddInPlace(float* x, const float* y, int64_t n) {
  map(x, y, x, n, [](V a, V b) HWY_ATTR { return hn::Add(a, b); });
}

void SubtractInPlace(float* x, const float* y, int64_t n) {
  map(x, y, x, n, [](V a, V b) HWY_ATTR { return hn::Sub(a, b); });
}

void AddScaledInPlace(float* x, const float* y, float factor, int64_t n) {
  const V f = hn::Set(D(), factor);
  map(x, y, x, n, [=](V a, V b) HWY_ATTR { return hn::MulAdd(b, f, a); });
}

}  // namespace
}  // namespace hayakoe::device::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hayakoe::device {

HWY_EXPORT(GeluInPlace);
HWY_EXPORT(LeakyReluTo);
HWY_EXPORT(TanhInPlace);
HWY_EXPORT(ExpTo);
HWY_EXPORT(ScaleInPlace);
HWY_EXPORT(SoftmaxInPlace);
HWY_EXPORT(LayerNormTo);
HWY_EXPORT(AddInPlace);
HWY_EXPORT(SubtractInPlace);
HWY_EXPORT(AddScaledInPlace);

void gelu_in_place(float* x, int64_t n) { HWY_DYNAMIC_DISPATCH(GeluInPlace)(x, n); }

void leaky_relu_to(const float* x, float* y, int64_t n, float slope) {
  HWY_DYNAMIC_DISPATCH(LeakyReluTo)(x, y, n, slope);
}

void tanh_in_place(float* x, int64_t n) { HWY_DYNAMIC_DISPATCH(TanhInPlace)(x, n); }

void exp_to(const float* x, float* y, int64_t n) { HWY_DYNAMIC_DISPATCH(ExpTo)(x, y, n); }

void softmax_in_place(float* x, int64_t n, float scale) { HWY_DYNAMIC_DISPATCH(SoftmaxInPlace)(x, n, scale); }

void layer_norm_to(const float* x, const float* residual, const RowNorm& norm, float* y) {
  HWY_DYNAMIC_DISPATCH(LayerNormTo)(x, residual, norm, y);
}

void add_in_place(float* x, const float* y, int64_t n) { HWY_DYNAMIC_DISPATCH(AddInPlace)(x, y, n); }

void subtract_in_place(float* x, const float* y, int64_t n) { HWY_DYNAMIC_DISPATCH(SubtractInPlace)(x, y, n); }

void scale_in_place(float* x, float factor, int64_t n) { HWY_DYNAMIC_DISPATCH(ScaleInPlace)(x, factor, n); }

void add_scaled_in_place(float* x, const float* y, float factor, int64_t n) {
  HWY_DYNAMIC_DISPATCH(AddScaledInPlace)(x, y, factor, n);
}

}  // namespace hayakoe::device
#endif
