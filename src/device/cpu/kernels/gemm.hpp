// SPDX-License-Identifier: Apache-2.0
// The matrix product that everything on the CPU is made of: rows of activations times packed weights, on one thread.
// Compiled for each instruction set that the machine may have; the best one is chosen when the program runs.
#pragma once

#include <cstdint>
#include <vector>

#include "device/device.hpp"

namespace hayakoe::device {

/// Weights of a packed matrix of `k` rows and `n` columns: [panel][k][kPanel], whatever the vector length.
constexpr int64_t panel_floats(int64_t k, int64_t n) { return padded_columns(n) * k; }

/// An int8 weight is value · scale, one scale for each column and this many rows.
inline constexpr int64_t kScaleRows = 32;

/// The right matrix, `[k, n]`, in panels. Not owned. Stored types are expanded to float, a few rows of a panel at a
/// time, as the product needs them.
struct GemmWeights {
  WeightType type = WeightType::kF32;
  const void* panels = nullptr;
  const float* scales = nullptr;  ///< kInt8: [panel][k / kScaleRows rounded up][kPanel]
};

/// The left matrix, `rows` × taps·depth: element (r, tap·depth + c) is data[r·row_stride + tap·tap_stride + c]. A plain
/// matrix has one tap; a convolution over time reads the rows `tap_stride` apart.
struct GemmInput {
  const float* data = nullptr;
  int64_t row_stride = 0;
  int64_t taps = 1;
  int64_t tap_stride = 0;
  int64_t depth = 0;
};

/// Where the product goes, and what happens to it: out = act(product + bias + residual).
struct GemmOutput {
  float* data = nullptr;
  int64_t row_stride = 0;
  int64_t panel_stride = kPanel;    ///< from the first column of a panel to that of the next
  const float* bias = nullptr;      ///< one value a column; null: none
  const float* residual = nullptr;  ///< null: none; may be `data` itself
  int64_t residual_stride = 0;
  Activation activation = Activation::kNone;  ///< kGelu is left to the caller
  float slope = 0.0F;
};

/// out [rows, n] = in [rows, k] · weights [k, n], k = taps·depth. A row's result does not depend on the other rows.
void gemm(int64_t rows, int64_t n, const GemmInput& in, const GemmWeights& weights, const GemmOutput& out);

/// The same for one column whose weights are a plain array.
void dot_rows(int64_t rows, const GemmInput& in, const float* weights, const GemmOutput& out);

/// The instruction set that the kernels use on this machine, for people.
const char* kernel_target();

}  // namespace hayakoe::device
