// SPDX-License-Identifier: Apache-2.0
// Linear layers and convolutions as the product of product.hpp.
#include <cassert>

#include "device/cuda/product.hpp"

namespace hayakoe::device::cuda {
namespace {

const ProductKernels& kernels_of(WeightType type) {
  static const ProductKernels f32 = f32_kernels();
  static const ProductKernels tf32 = tf32_kernels();
  static const ProductKernels f16 = f16_kernels();
  static const ProductKernels bf16 = bf16_kernels();
  switch (type) {
    case WeightType::kTF32:
      return tf32;
    case WeightType::kF16:
      return f16;
    case WeightType::kBF16:
      return bf16;
    default:
      return f32;
  }
}

int64_t tiles(const ProductKernel& k, const Product& p) {
  return int64_t{blocks_of(p.rows, k.tile_rows)} * blocks_of(p.out, k.tile_columns) * p.stride;
}

// Few outputs: a tile of just these. Else the largest tiles of which there is one for every multiprocessor.
const ProductKernel& choose(const ProductKernels& all, const Product& p, int multiprocessors) {
  if (p.out <= all.thin.tile_columns) return all.thin;
  if (p.out <= all.narrow.tile_columns) return all.narrow;
  if (p.out >= all.large.tile_columns && tiles(all.large, p) >= multiprocessors) return all.large;
  if (tiles(all.medium, p) >= multiprocessors) return all.medium;
  return all.small;
}

bool aligned(const Tensor& x) {
  constexpr uintptr_t kBytes = 16;
  return x.cols() % 4 == 0 && x.stride() % 4 == 0 && reinterpret_cast<uintptr_t>(x.data<float>()) % kBytes == 0;
}

// What all of them share: one tap, every row for itself, no activation.
Product product_of(const Tensor& x, const Tensor& y, int64_t out, const CudaWeights& w) {
  Product p{};
  p.x = x.data<float>();
  p.x_stride = x.stride();
  p.rows = static_cast<int>(x.rows());
  p.in = static_cast<int>(x.cols());
  p.words = w.words();
  p.row_words = w.row_words();
  p.matrix_words = w.matrix_words();
  p.out = static_cast<int>(out);
  p.taps = p.stride = p.step = 1;
  p.input_slope = 1.0F;
  p.by_four = aligned(x);
  p.bias = w.bias();
  p.y = y.data<float>();
  p.y_stride = y.stride();
  return p;
}

void set_epilogue(Product& p, const Epilogue& e) {
  assert(e.residual == nullptr || e.activation == Activation::kNone);
  p.activation = e.activation;
  p.slope = e.slope;
  if (e.residual == nullptr) return;
  p.residual = e.residual->data<float>();
  p.residual_stride = e.residual->stride();
}

const CudaWeights& weights_of(const std::shared_ptr<const Packed>& packed) {
  return static_cast<const CudaWeights&>(*packed);
}

}  // namespace

void CudaStream::multiply(const Product& p, WeightType type) {
  const ProductKernel& k = choose(kernels_of(type), p, core_->gpu->properties().multiProcessorCount);
  const dim3 grid(blocks_of(p.rows, k.tile_rows), blocks_of(p.out, k.tile_columns), static_cast<unsigned>(p.stride));
  launch(k.kernel, grid, dim3(static_cast<unsigned>(k.threads)), k.shared_bytes, p);
}

Tensor CudaStream::linear(const Tensor& x, const Linear& w, const Epilogue& e) {
  assert(x.cols() == w.in);
  const CudaWeights& weights = weights_of(w.packed);
  Tensor y = allocate(x.rows(), w.out);
  Product p = product_of(x, y, w.out, weights);
  set_epilogue(p, e);
  multiply(p, weights.type());
  return y;
}

Tensor CudaStream::conv1d(const Tensor& x, const Segments& s, const Conv1d& w, const Epilogue& e, float input_slope) {
  assert(x.cols() == w.in);
  const CudaWeights& weights = weights_of(w.packed);
  Tensor y = allocate(x.rows(), w.out);
  Product p = product_of(x, y, w.out, weights);
  p.batch = batch(s);
  p.taps = static_cast<int>(w.kernel);
  p.step = static_cast<int>(w.dilation);
  p.first = -static_cast<int>((w.kernel - 1) / 2 * w.dilation);
  p.input_slope = input_slope;
  set_epilogue(p, e);
  multiply(p, weights.type());
  return y;
}

Tensor CudaStream::conv_transpose1d(const Tensor& x, const Segments& s, const ConvTranspose1d& w, float input_slope) {
  assert(x.cols() == w.in);
  const CudaWeights& weights = weights_of(w.packed);
  Tensor y = allocate(x.rows() * w.stride, w.out);
  Product p = product_of(x, y, w.out, weights);
  p.batch = batch(s);
  p.taps = static_cast<int>((w.kernel + w.stride - 1) / w.stride);
  p.step = -1;
  p.stride = static_cast<int>(w.stride);
  p.padding = static_cast<int>(w.padding);
  p.input_slope = input_slope;
  multiply(p, weights.type());
  return y;
}

}  // namespace hayakoe::device::cuda
