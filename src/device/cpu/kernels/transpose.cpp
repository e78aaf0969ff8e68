// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/kernels/transpose.hpp"

#include "device/cpu/kernels/gemm.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/kernels/transpose.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hayakoe::device::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR  // which has no vectors
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 4>;
using V = hn::Vec<D>;

// Four rows of four become columns.
struct Four {
  V row[4];
};

HWY_INLINE Four transposed(const Four& v) {
  const D d;
  const V low02 = hn::InterleaveLower(d, v.row[0], v.row[2]);
  const V low13 = hn::InterleaveLower(d, v.row[1], v.row[3]);
  const V high02 = hn::InterleaveUpper(d, v.row[0], v.row[2]);
  const V high13 = hn::InterleaveUpper(d, v.row[1], v.row[3]);
  return {{hn::InterleaveLower(d, low02, low13), hn::InterleaveUpper(d, low02, low13),
           hn::InterleaveLower(d, high02, high13), hn::InterleaveUpper(d, high02, high13)}};
}
#endif

void PackRows(const float* const* rows, int64_t depth, float* panel) {
  int64_t squares = 0;  // of the depth, what goes in squares of four
#if HWY_TARGET != HWY_SCALAR
  const D d;
  squares = depth / 4 * 4;
  // Four rows to their end before the next: sixteen rows a power of two apart would drive each other out of the L1.
  for (int64_t j = 0; j < kPanel; j += 4) {
    for (int64_t i = 0; i < squares; i += 4) {
      const auto load = [&](int64_t r)
                            HWY_ATTR { return rows[r] != nullptr ? hn::LoadU(d, rows[r] + i) : hn::Zero(d); };
      const Four columns = transposed({{load(j), load(j + 1), load(j + 2), load(j + 3)}});
      for (int64_t c = 0; c < 4; ++c) hn::StoreU(columns.row[c], d, panel + (i + c) * kPanel + j);
    }
  }
#endif
  for (int64_t i = squares; i < depth; ++i) {
    for (int64_t j = 0; j < kPanel; ++j) panel[i * kPanel + j] = rows[j] != nullptr ? rows[j][i] : 0.0F;
  }
}

void AddTransposed(int64_t rows, int64_t cols, const float* HWY_RESTRICT from, int64_t from_stride,
                   float* HWY_RESTRICT to, int64_t to_stride) {
  // In squares of four as far as they go.
  int64_t square_rows = 0;
  int64_t square_cols = 0;
#if HWY_TARGET != HWY_SCALAR
  const D d;
  square_rows = rows / 4 * 4;
  square_cols = cols / 4 * 4;
  for (int64_t i = 0; i < square_rows; i += 4) {
    for (int64_t j = 0; j < square_cols; j += 4) {
      const float* at = from + j * from_stride + i;
      const Four columns = transposed({{hn::LoadU(d, at), hn::LoadU(d, at + from_stride),
                                        hn::LoadU(d, at + 2 * from_stride), hn::LoadU(d, at + 3 * from_stride)}});
      for (int64_t c = 0; c < 4; ++c) {
        float* out = to + (i + c) * to_stride + j;
        hn::StoreU(hn::Add(hn::LoadU(d, out), columns.row[c]), d, out);
      }
    }
  }
#endif
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = i < square_rows ? square_cols : 0; j < cols; ++j)
      to[i * to_stride + j] += from[j * from_stride + i];
  }
}

}  // namespace
}  // namespace hayakoe::device::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hayakoe::device {

HWY_EXPORT(PackRows);
HWY_EXPORT(AddTransposed);

void pack_rows(const float* const* rows, int64_t depth, float* panel) {
  HWY_DYNAMIC_DISPATCH(PackRows)(rows, depth, panel);
}

void add_transposed(int64_t rows, int64_t cols, const float* from, int64_t from_stride, float* to, int64_t to_stride) {
  HWY_DYNAMIC_DISPATCH(AddTransposed)(rows, cols, from, from_stride, to, to_stride);
}

}  // namespace hayakoe::device
#endif
