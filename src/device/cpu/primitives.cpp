// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/primitives.hpp"

#include <hayakoe/error.hpp>
#include <string_view>

namespace hayakoe::device {

using dnnl::memory;

namespace {

// Scratch memory of the calling thread; grows to the largest that a primitive of it has asked for.
void* thread_scratchpad(size_t bytes) {
  struct alignas(64) CacheLine {
    std::byte bytes[64];
  };
  thread_local std::vector<CacheLine> lines;
  const size_t needed = (bytes + sizeof(CacheLine) - 1) / sizeof(CacheLine);
  if (lines.size() < needed) lines.resize(needed);
  return lines.data();
}

}  // namespace

dnnl::engine& cpu_engine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::stream& cpu_stream() {
  thread_local dnnl::stream stream(cpu_engine());
  return stream;
}

bool is_reference(const char* implementation) {
  const std::string_view name = implementation;
  return name.find("ref") != std::string_view::npos;
}

dnnl::primitive_attr make_attr(Activation activation, float slope, bool accumulate) {
  dnnl::post_ops ops;
  using dnnl::algorithm;
  const auto eltwise = [&ops](algorithm a, float alpha) {
#if DNNL_VERSION_MAJOR >= 3
    ops.append_eltwise(a, alpha, 0.0F);
#else
    ops.append_eltwise(1.0F, a, alpha, 0.0F);
#endif
  };
  switch (activation) {
    case Activation::kNone:
      break;
    case Activation::kRelu:
      eltwise(algorithm::eltwise_relu, 0.0F);
      break;
    case Activation::kLeakyRelu:
      eltwise(algorithm::eltwise_relu, slope);
      break;
    case Activation::kGelu:
      eltwise(algorithm::eltwise_gelu_erf, 0.0F);
      break;
  }
  if (accumulate) ops.append_sum(1.0F);
  dnnl::primitive_attr attr;
  attr.set_post_ops(ops);
  // The library's own scratchpad may not be shared by threads that run one primitive at once; ours is per thread.
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

dnnl::matmul::primitive_desc make_matmul(const memory::desc& src, const memory::desc& weights, const memory::desc& bias,
                                         const memory::desc& dst, const dnnl::primitive_attr& attr) {
#if DNNL_VERSION_MAJOR >= 3
  return {cpu_engine(), src, weights, bias, dst, attr};
#else
  return {dnnl::matmul::desc(src, weights, bias, dst), attr, cpu_engine()};
#endif
}

dnnl::convolution_forward::primitive_desc make_convolution(const memory::desc& src, const memory::desc& weights,
                                                           const memory::desc& bias, const memory::desc& dst,
                                                           int64_t dilation, int64_t pad_left, int64_t pad_right,
                                                           const dnnl::primitive_attr& attr) {
  const memory::dims strides{1};
  const memory::dims dilates{dilation - 1};  // oneDNN counts the zeros between the taps
  const memory::dims left{pad_left};
  const memory::dims right{pad_right};
  constexpr auto kKind = dnnl::prop_kind::forward_inference;
  constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
  return {cpu_engine(), kKind, kAlgorithm, src, weights, bias, dst, strides, dilates, left, right, attr};
#else
  return {dnnl::convolution_forward::desc(kKind, kAlgorithm, src, weights, bias, dst, strides, dilates, left, right),
          attr, cpu_engine()};
#endif
}

void sgemm(bool transpose_b, int64_t m, int64_t n, int64_t k, float alpha, const float* a, int64_t lda, const float* b,
           int64_t ldb, float beta, float* c, int64_t ldc) {
  const auto status = dnnl_sgemm('N', transpose_b ? 'T' : 'N', m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  if (status != dnnl_success) throw Error("oneDNN refused a matrix product (status " + std::to_string(status) + ")");
}

PackedWeights::PackedWeights(const memory::desc& plain, std::span<const float> weight, std::span<const float> bias,
                             int64_t bias_size, Make make, const PrimitiveKey& typical)
    : make_(std::move(make)), bias_(bias.begin(), bias.end()) {
  bias_.resize(static_cast<size_t>(bias_size), 0.0F);

  const Prepared first = make_(typical, make_attr(typical.activation, typical.slope, typical.accumulate));
  memory source(plain, cpu_engine(), const_cast<float*>(weight.data()));
  auto packed = std::make_shared<memory>(first.weights, cpu_engine());
  dnnl::reorder(source, *packed).execute(cpu_stream(), source, *packed);
  cpu_stream().wait();
  variants_.push_back(std::move(packed));
}

std::shared_ptr<const memory> PackedWeights::packed_as(const memory::desc& wanted) const {
  for (const auto& v : variants_) {
    if (v->get_desc() == wanted) return v;
  }
  memory source = *variants_.front();
  auto packed = std::make_shared<memory>(wanted, cpu_engine());
  dnnl::reorder(source, *packed).execute(cpu_stream(), source, *packed);
  cpu_stream().wait();
  variants_.push_back(packed);
  return packed;
}

std::shared_ptr<const Prepared> PackedWeights::prepare(const PrimitiveKey& key) const {
  // Shapes are few (see the tiles in linear.cpp and convolution.cpp); the bound only keeps a long-lived server flat.
  constexpr size_t kMostPrimitives = 128;
  const std::lock_guard lock(mutex_);
  if (const auto it = cache_.find(key); it != cache_.end()) return it->second;
  auto prepared = std::make_shared<Prepared>(make_(key, make_attr(key.activation, key.slope, key.accumulate)));
  prepared->packed = packed_as(prepared->weights);
  if (cache_.size() >= kMostPrimitives) cache_.clear();
  cache_.emplace(key, prepared);
  return prepared;
}

void PackedWeights::run(const Prepared& prepared, float* src, float* dst) const {
  const Prepared* p = &prepared;
  memory src_memory(p->src, cpu_engine(), src);
  memory dst_memory(p->dst, cpu_engine(), dst);
  // oneDNN takes non-const handles for what it only reads.
  memory bias_memory(p->bias, cpu_engine(), const_cast<float*>(bias_.data()));
  memory scratch_memory(p->scratchpad, cpu_engine(), thread_scratchpad(p->scratchpad.get_size()));
  p->primitive.execute(cpu_stream(), {{DNNL_ARG_SRC, src_memory},
                                      {DNNL_ARG_WEIGHTS, *p->packed},
                                      {DNNL_ARG_BIAS, bias_memory},
                                      {DNNL_ARG_DST, dst_memory},
                                      {DNNL_ARG_SCRATCHPAD, scratch_memory}});
  cpu_stream().wait();
}

}  // namespace hayakoe::device
