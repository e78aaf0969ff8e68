// SPDX-License-Identifier: Apache-2.0
// oneDNN, versions 2.6 and 3: one packed weight, many primitives (one a length), made when first needed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <span>
#include <unordered_map>
#include <vector>

#include "device/device.hpp"

namespace hayakoe::device {

/// The CPU engine of the process and a stream of the calling thread.
dnnl::engine& cpu_engine();
dnnl::stream& cpu_stream();

/// A primitive for one input length, with the weights in the layout that it wants.
struct Prepared {
  dnnl::primitive primitive;
  dnnl::memory::desc src, dst, weights, bias, scratchpad;
  std::shared_ptr<const dnnl::memory> packed;
};

/// What a primitive depends on besides the weights.
struct PrimitiveKey {
  int64_t rows = 0;        // of the result
  int64_t src_stride = 0;  // linear: elements from row to row
  int64_t dst_stride = 0;
  int64_t pad_left = 0;  // convolution: zeros beyond the ends of the rows given
  int64_t pad_right = 0;
  Activation activation = Activation::kNone;
  float slope = 0.0F;
  bool accumulate = false;
  bool operator==(const PrimitiveKey&) const = default;
};

struct PrimitiveKeyHash {
  size_t operator()(const PrimitiveKey& k) const {
    size_t h = std::hash<int64_t>{}(k.rows);
    for (const int64_t v : {k.src_stride, k.dst_stride, k.pad_left, k.pad_right,
                            int64_t{static_cast<int>(k.activation)}, int64_t{k.accumulate ? 1 : 0}}) {
      h = h * 1000003U ^ std::hash<int64_t>{}(v);
    }
    return h;
  }
};

/// Weights packed once per layout that oneDNN asks for (nearly always one), and the primitives that use them.
class PackedWeights final : public Packed {
 public:
  /// Makes the primitive for a key, with attributes; fills everything in Prepared but `packed`.
  using Make = std::function<Prepared(const PrimitiveKey&, const dnnl::primitive_attr&)>;

  /// `plain` describes `weight`, which is packed for `typical` at once.
  PackedWeights(const dnnl::memory::desc& plain, std::span<const float> weight, std::span<const float> bias,
                int64_t bias_size, Make make, const PrimitiveKey& typical);

  [[nodiscard]] std::shared_ptr<const Prepared> prepare(const PrimitiveKey& key) const;

  /// Runs it on the calling thread: dst = epilogue(src · weights + bias), plus what dst holds if it accumulates.
  void run(const Prepared& prepared, float* src, float* dst) const;

  [[nodiscard]] const std::vector<float>& bias() const { return bias_; }

 private:
  std::shared_ptr<const dnnl::memory> packed_as(const dnnl::memory::desc& wanted) const;

  Make make_;
  std::vector<float> bias_;
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<const dnnl::memory>> variants_;
  mutable std::unordered_map<PrimitiveKey, std::shared_ptr<const Prepared>, PrimitiveKeyHash> cache_;
};

/// True when oneDNN has only its plain-loop implementation for this primitive.
bool is_reference(const char* implementation);

// The few places where the two versions differ.
dnnl::primitive_attr make_attr(Activation activation, float slope, bool accumulate);
dnnl::matmul::primitive_desc make_matmul(const dnnl::memory::desc& src, const dnnl::memory::desc& weights,
                                         const dnnl::memory::desc& bias, const dnnl::memory::desc& dst,
                                         const dnnl::primitive_attr& attr);
dnnl::convolution_forward::primitive_desc make_convolution(const dnnl::memory::desc& src,
                                                           const dnnl::memory::desc& weights,
                                                           const dnnl::memory::desc& bias,
                                                           const dnnl::memory::desc& dst, int64_t dilation,
                                                           int64_t pad_left, int64_t pad_right,
                                                           const dnnl::primitive_attr& attr);

/// C [m, n] = alpha · A op(B) + beta · C, row-major with leading dimensions; single precision; `transpose_b`: B is [n,
/// k].
void sgemm(bool transpose_b, int64_t m, int64_t n, int64_t k, float alpha, const float* a, int64_t lda, const float* b,
           int64_t ldb, float beta, float* c, int64_t ldc);

}  // namespace hayakoe::device
