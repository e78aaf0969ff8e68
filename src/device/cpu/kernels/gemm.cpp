// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/kernels/gemm.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/kernels/gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hayakoe::device::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, kPanel>;
using V = hn::Vec<D>;

constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int kVectorsInPanel = kPanel / kLanes;
// Accumulators fill the registers but for the weights at hand and one broadcast value. With 32 registers of 16 lanes
// they are spread over columns rather than rows: fewer loads, and no more rows than an L1 of 8 ways can hold where they
// lie a multiple of 4 KB apart, as BERT's do.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
constexpr int kTileRows = 6;
constexpr int kPanelsAtOnce = 4;
#elif (HWY_TARGET == HWY_AVX2 && HWY_ARCH_X86) || HWY_ARCH_ARM_A64
constexpr int kTileRows = 6;
constexpr int kPanelsAtOnce = 1;
#else
constexpr int kTileRows = 2;
constexpr int kPanelsAtOnce = 1;
#endif
// Depth of a step: so many rows of the panels (16 KB) stay in the L1 while all rows of the left matrix pass by.
constexpr int64_t kDepth = 256 / kPanelsAtOnce;
static_assert(kDepth % kScaleRows == 0);

HWY_INLINE V activated(V v, const GemmOutput& out) {
  const D d;
  switch (out.activation) {
    case Activation::kRelu:
      return hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Zero(d), v);  // keeps a NaN
    case Activation::kLeakyRelu:
      return hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Mul(v, hn::Set(d, out.slope)), v);
    default:
      return v;
  }
}

// Which step of the depth this is: the first overwrites, the last finishes.
struct Part {
  bool first, last;
  bool plain;  // the only step, and nothing else happens to the product
};

HWY_INLINE void store(V v, float* to, int64_t column, int64_t row, int64_t valid, const Part& part,
                      const GemmOutput& out) {
  const D d;
  if (HWY_LIKELY(valid >= kLanes)) {
    if (!part.first) v = hn::Add(v, hn::LoadU(d, to));
    if (part.last) {
      if (out.bias != nullptr) v = hn::Add(v, hn::LoadU(d, out.bias + column));
      if (out.residual != nullptr) v = hn::Add(v, hn::LoadU(d, out.residual + row * out.residual_stride + column));
      v = activated(v, out);
    }
    hn::StoreU(v, d, to);
    return;
  }
  HWY_ALIGN float lanes[kLanes];
  HWY_ALIGN float other[kLanes] = {};
  const auto load = [&](const float* from) {
    for (int64_t i = 0; i < valid; ++i) other[i] = from[i];
    return hn::Load(d, other);
  };
  if (!part.first) v = hn::Add(v, load(to));
  if (part.last) {
    if (out.bias != nullptr) v = hn::Add(v, load(out.bias + column));
    if (out.residual != nullptr) v = hn::Add(v, load(out.residual + row * out.residual_stride + column));
    v = activated(v, out);
  }
  hn::Store(v, d, lanes);
  for (int64_t i = 0; i < valid; ++i) to[i] = lanes[i];
}

// kRows rows times kPanels panels. Not inlined: the caller's constants would push sums out of the registers.
template <int kRows, int kPanels>
HWY_NOINLINE void tile(const GemmInput& in, const float* HWY_RESTRICT a, const float* HWY_RESTRICT panels,
                       int64_t panel_stride, int64_t row, int64_t column, int64_t n, const Part& part,
                       const GemmOutput& out) {
  const D d;
  constexpr int kVectors = kPanels * kVectorsInPanel;
  V sum[kRows][kVectors];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(d);
  }
  const int64_t stride = in.row_stride;
  const float* HWY_RESTRICT b = panels;
  for (int64_t tap = 0; tap < in.taps; ++tap) {
    const float* HWY_RESTRICT at = a + tap * in.tap_stride;
    for (int64_t c = 0; c < in.depth; ++c) {
      V w[kVectors];
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        w[v] = hn::LoadU(d, b + (v / kVectorsInPanel) * panel_stride + (v % kVectorsInPanel) * kLanes);
      }
      b += kPanel;
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const V x = hn::Set(d, at[r * stride + c]);
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(x, w[v], sum[r][v]);
      }
    }
  }
  // Where a vector goes.
  float* first = out.data + row * out.row_stride + column / kPanel * out.panel_stride;
  const auto to = [&](int r, int v) {
    return first + r * out.row_stride + (v / kVectorsInPanel) * out.panel_stride + (v % kVectorsInPanel) * kLanes;
  };
  if (part.plain && column + kVectors * kLanes <= n) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[r][v], d, to(r, v));
    }
    return;
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      const int64_t from = column + v * kLanes;
      if (from < n) store(sum[r][v], to(r, v), from, row + r, n - from, part, out);
    }
  }
}

// All rows times the panels at `column`, one part of the depth.
template <int kPanels>
void column_of_tiles(int64_t rows, int64_t n, const GemmInput& in, const float* panels, int64_t panel_stride,
                     int64_t column, const Part& part, const GemmOutput& out) {
  int64_t row = 0;
  const auto a = [&] { return in.data + row * in.row_stride; };
  for (; row + kTileRows <= rows; row += kTileRows)
    tile<kTileRows, kPanels>(in, a(), panels, panel_stride, row, column, n, part, out);
  // What is left goes in one tile: a text's last rows, or all of a short one.
  switch (rows - row) {
    case 5:
      return tile<5, kPanels>(in, a(), panels, panel_stride, row, column, n, part, out);
    case 4:
      return tile<4, kPanels>(in, a(), panels, panel_stride, row, column, n, part, out);
    case 3:
      return tile<3, kPanels>(in, a(), panels, panel_stride, row, column, n, part, out);
    case 2:
      return tile<2, kPanels>(in, a(), panels, panel_stride, row, column, n, part, out);
    case 1:
      return tile<1, kPanels>(in, a(), panels, panel_stride, row, column, n, part, out);
    default:
      return;
  }
}

// Rows [from, from + rows) of a panel of stored weights, as floats.
void expand(const GemmWeights& weights, int64_t k, int64_t panel, int64_t from, int64_t rows, float* HWY_RESTRICT to) {
  const D d;
  const int64_t first = (panel * k + from) * kPanel;
  if (weights.type == WeightType::kBF16) {
    const hn::Rebind<uint16_t, D> d16;
    const hn::Rebind<uint32_t, D> d32;
    const auto* at = static_cast<const uint16_t*>(weights.panels) + first;
    for (int64_t i = 0; i < rows * kPanel; i += kLanes)
      hn::StoreU(hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(d32, hn::LoadU(d16, at + i)))), d, to + i);
    return;
  }
  if (weights.type == WeightType::kF16) {
    const hn::Rebind<hwy::float16_t, D> d16;
    const auto* at = static_cast<const hwy::float16_t*>(weights.panels) + first;
    for (int64_t i = 0; i < rows * kPanel; i += kLanes) hn::StoreU(hn::PromoteTo(d, hn::LoadU(d16, at + i)), d, to + i);
    return;
  }
  const hn::Rebind<int8_t, D> d8;
  const hn::Rebind<int32_t, D> d32;
  const auto* at = static_cast<const int8_t*>(weights.panels) + first;
  const int64_t blocks = (k + kScaleRows - 1) / kScaleRows;
  for (int64_t row = 0; row < rows; ++row) {
    const float* scale = weights.scales + (panel * blocks + (from + row) / kScaleRows) * kPanel;
    for (int64_t lane = 0; lane < kPanel; lane += kLanes) {
      const V value = hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, at + row * kPanel + lane)));
      hn::StoreU(hn::Mul(value, hn::LoadU(d, scale + lane)), d, to + row * kPanel + lane);
    }
  }
}

void Gemm(int64_t rows, int64_t n, const GemmInput& in, const GemmWeights& weights, const GemmOutput& out) {
  HWY_ALIGN float expanded[kPanelsAtOnce * kDepth * kPanel];
  const int64_t k = in.taps * in.depth;
  const bool bare = out.bias == nullptr && out.residual == nullptr && out.activation == Activation::kNone;
  // Steps of whole taps, or of a part of one tap.
  const int64_t tap_step = std::clamp<int64_t>(kDepth / std::max<int64_t>(in.depth, 1), 1, in.taps);
  const int64_t depth_step = tap_step > 1 ? in.depth : std::min(in.depth, kDepth);
  for (int64_t column = 0; column < n;) {
    const int64_t panel = column / kPanel;
    const int64_t panels_left = (n - column + kPanel - 1) / kPanel;
    const int64_t panels_now = panels_left >= kPanelsAtOnce ? kPanelsAtOnce : 1;
    for (int64_t tap = 0; tap < in.taps; tap += tap_step) {
      for (int64_t c = 0; c < in.depth; c += depth_step) {
        GemmInput step = in;
        step.data = in.data + tap * in.tap_stride + c;
        step.taps = std::min(tap_step, in.taps - tap);
        step.depth = std::min(depth_step, in.depth - c);
        Part part{tap == 0 && c == 0, tap + step.taps == in.taps && c + step.depth == in.depth, false};
        part.plain = bare && part.first && part.last;
        const int64_t from = tap * in.depth + c;
        const float* panels = static_cast<const float*>(weights.panels) + (panel * k + from) * kPanel;
        int64_t panel_stride = k * kPanel;
        if (weights.type != WeightType::kF32) {
          const int64_t count = step.taps * step.depth;
          panels = expanded;
          panel_stride = count * kPanel;
          for (int64_t p = 0; p < panels_now; ++p)
            expand(weights, k, panel + p, from, count, expanded + p * panel_stride);
        }
        if (panels_now > 1) {
          column_of_tiles<kPanelsAtOnce>(rows, n, step, panels, panel_stride, column, part, out);
        } else {
          column_of_tiles<1>(rows, n, step, panels, panel_stride, column, part, out);
        }
      }
    }
    column += panels_now * kPanel;
  }
}

void DotRows(int64_t rows, const GemmInput& in, const float* weights, const GemmOutput& out) {
  const D d;
  const Part whole{true, true, false};
  for (int64_t r = 0; r < rows; ++r) {
    V sum = hn::Zero(d);
    float rest = 0.0F;
    const float* w = weights;
    for (int64_t tap = 0; tap < in.taps; ++tap, w += in.depth) {
      const float* a = in.data + r * in.row_stride + tap * in.tap_stride;
      int64_t c = 0;
      for (; c + kLanes <= in.depth; c += kLanes) sum = hn::MulAdd(hn::LoadU(d, a + c), hn::LoadU(d, w + c), sum);
      for (; c < in.depth; ++c) rest += a[c] * w[c];
    }
    const V total = hn::Add(hn::SumOfLanes(d, sum), hn::Set(d, rest));
    store(total, out.data + r * out.row_stride, 0, r, 1, whole, out);
  }
}

const char* Target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace
}  // namespace hayakoe::device::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hayakoe::device {

HWY_EXPORT(Gemm);
HWY_EXPORT(DotRows);
HWY_EXPORT(Target);

void gemm(int64_t rows, int64_t n, const GemmInput& in, const GemmWeights& weights, const GemmOutput& out) {
  HWY_DYNAMIC_DISPATCH(Gemm)(rows, n, in, weights, out);
}

void dot_rows(int64_t rows, const GemmInput& in, const float* weights, const GemmOutput& out) {
  HWY_DYNAMIC_DISPATCH(DotRows)(rows, in, weights, out);
}

const char* kernel_target() { return HWY_DYNAMIC_DISPATCH(Target)(); }

}  // namespace hayakoe::device
#endif
