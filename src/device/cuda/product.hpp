// SPDX-License-Identifier: Apache-2.0
// One kernel for everything that is a product with weights: linear layers, convolutions and the phases of transposed
// convolutions, over ragged rows. How it is asked for; product.cuh computes it.
#pragma once

#include "device/cuda/cuda_stream.hpp"
#include "device/cuda/cuda_weights.hpp"

namespace hayakoe::device::cuda {

/// y[r·stride + z, n] = act(b[n] + Σ_tap Σ_c w_z[n, tap·in + c] · leaky(x[r + first_z + tap·step, c])) (+ residual),
/// for the phases z = 0 … stride − 1, first_z = first + (z + padding) / stride and the matrix (z + padding) mod stride.
/// Rows outside of the segment of r are zeros.
///
/// Linear: one tap. Convolution: taps of step `dilation`, first = −left. Transposed convolution: output
/// t·stride + k − padding gets tap k of input t, so output r·stride + z gets the taps k ≡ z + padding (mod stride) of
/// the inputs r + (z + padding) / stride and before: step −1.
struct Product {
  const float* x;
  int64_t x_stride;
  int rows, in;
  const uint32_t* words;  ///< CudaWeights
  int64_t row_words, matrix_words;
  int out, taps, first, step, stride, padding;
  Batch batch;  ///< of x; its tables are null if every row stands for itself
  float input_slope;
  bool by_four;  ///< x may be read 16 bytes at a time
  const float* bias;
  float* y;
  int64_t y_stride;
  Activation activation;
  float slope;
  const float* residual;
  int64_t residual_stride;
};

/// The numbers that are multiplied. kF32: by the ordinary units; the others by the tensor cores, two 16-bit numbers or
/// one tf32 to a word. Sums are always float.
enum class Format { kF32, kTF32, kF16, kBF16 };

/// Threads, tile and shared memory of a kernel.
struct ProductKernel {
  void (*kernel)(Product);
  int tile_rows, tile_columns, threads;
  size_t shared_bytes;
};

/// The kernels of a format, from large tiles to small ones. Sums run in the same order in all of them, so that which
/// one is taken changes no result.
struct ProductKernels {
  ProductKernel large, medium, small, narrow, thin;
};
ProductKernels f32_kernels();
ProductKernels tf32_kernels();
ProductKernels f16_kernels();
ProductKernels bf16_kernels();

}  // namespace hayakoe::device::cuda
