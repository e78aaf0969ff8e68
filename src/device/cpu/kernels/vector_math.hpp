// SPDX-License-Identifier: Apache-2.0
// Functions of rows of floats, on the calling thread. Compiled for each instruction set that the machine may have; the
// best one is chosen when the program runs. An element's result does not depend on where in a row it stands; a row's
// does not depend on other rows. No alignment is needed, and n may be 0.
//
// A NaN gives a NaN: for itself in functions of single elements, for all of its row in softmax and layer norm.
#pragma once

#include <cstdint>

namespace hayakoe::device {

/// x ← x·Φ(x), the exact GELU (Hendrycks and Gimpel 2016). Absolute error at most 1e-7 + 1e-7·|x|.
void gelu_in_place(float* x, int64_t n);

/// y ← x where x ≥ 0, else slope·x. y may be x.
void leaky_relu_to(const float* x, float* y, int64_t n, float slope);

/// x ← tanh x. At most 4 units in the last place off.
void tanh_in_place(float* x, int64_t n);

/// y ← eˣ. At most 2 units in the last place off where the result is a normal number; infinite from 88.73 on, and 0
/// below −104. y may be x.
void exp_to(const float* x, float* y, int64_t n);

/// x ← softmax(scale·x), scale > 0. The greatest value is subtracted first, so that no finite row overflows. Each share
/// is within 1e-6 of itself; shares below 2.4e-38 are 0.
void softmax_in_place(float* x, int64_t n, float scale = 1.0F);

/// What a layer norm does to each row of `n` floats.
struct RowNorm {
  const float* gamma = nullptr;
  const float* beta = nullptr;
  float eps = 0.0F;
  int64_t n = 0;
  bool gelu = false;  ///< of the result
};

/// y ← gamma·(v − mean)/√(variance + eps) + beta for v = x + residual (null: none). The variance is biased and comes
/// from a second pass, so that it does not cancel. y may be x or the residual.
void layer_norm_to(const float* x, const float* residual, const RowNorm& norm, float* y);

void add_in_place(float* x, const float* y, int64_t n);                       ///< x += y
void subtract_in_place(float* x, const float* y, int64_t n);                  ///< x −= y
void scale_in_place(float* x, float factor, int64_t n);                       ///< x ← factor·x
void add_scaled_in_place(float* x, const float* y, float factor, int64_t n);  ///< x += factor·y

}  // namespace hayakoe::device
