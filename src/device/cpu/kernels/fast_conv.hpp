// SPDX-License-Identifier: Apache-2.0
// Convolutions over time with fewer multiplications: the input is cut into overlapping blocks, each block is
// transformed, the channels are mixed by one matrix product a component of the transform, and the results are
// transformed back.
//
// Few taps: the minimal filtering algorithm F(m, k) with m + k = 9 (Winograd 1980; Lavin and Gray 2016), 8 products for
// m outputs instead of m·k. More taps: the discrete Fourier transform with overlap-save (Oppenheim and Schafer,
// section 8.7.3) and three real products for a complex one (Gauss), 3N/2 − 1 products for N − k + 1 outputs instead of
// k each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/cpu/kernels/gemm.hpp"

namespace hayakoe::device {

/// The transforms there are. The number is the length of an input block.
enum class Transform { kWinograd8, kFourier16, kFourier32, kFourier64 };

/// Inputs of a block.
int64_t block_inputs(Transform t);
/// Outputs of a block for a kernel of `kernel` taps.
int64_t block_outputs(Transform t, int64_t kernel);
/// Blocks that are transformed together: 2 real ones make a complex one. What is rounded in one depends on the other.
int64_t block_unit(Transform t);
/// Matrix products of a block.
int64_t components(Transform t);

/// Component `component` of the weights `[out, in, kernel]` in the transformed domain, a matrix `[in, out]`.
std::vector<float> transform_weights(Transform t, int64_t component, std::span<const float> weight, int64_t in,
                                     int64_t out, int64_t kernel);

/// One block of one segment: outputs first, first + dilation, … as far as they lie in the segment.
struct ConvBlock {
  const float* input = nullptr;     ///< row 0 of the segment
  float* output = nullptr;          ///< likewise
  const float* residual = nullptr;  ///< likewise, or null
  int64_t length = 0;               ///< rows of the segment
  int64_t first = 0;                ///< row of the first output
};

/// What all blocks of a convolution share.
struct FastConv {
  Transform transform = Transform::kWinograd8;
  int64_t in = 0, out = 0, kernel = 0, dilation = 1;
  std::span<const GemmWeights> weights;  ///< one a component, of transform_weights()
  const float* bias = nullptr;
  float input_slope = 1.0F;                   ///< leaky ReLU of the input; 1: none
  Activation activation = Activation::kNone;  ///< kGelu is left to the caller
  float slope = 0.0F;
};

/// Floats of scratch that `blocks` blocks need.
int64_t fast_conv_scratch(const FastConv& c, int64_t blocks);

/// Convolves these blocks, a multiple of block_unit(), on one thread. Channels must be multiples of kPanel. A block of
/// length 0 fills up a unit.
void fast_conv(const FastConv& c, std::span<const ConvBlock> blocks, float* scratch);

}  // namespace hayakoe::device
