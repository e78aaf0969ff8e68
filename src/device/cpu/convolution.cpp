// SPDX-License-Identifier: Apache-2.0
// Convolutions over ragged rows, channels last. Each segment is convolved on its own: zero padding at its ends.
#include <algorithm>
#include <cassert>
#include <cstring>

#include "device/cpu/cpu_device.hpp"
#include "device/cpu/primitives.hpp"

namespace hayakoe::device {

using dnnl::memory;

namespace {

// "Same" padding: (k−1)/2 on the left, k/2 on the right (they differ for even kernels).
int64_t pad_left(int64_t kernel, int64_t dilation) { return (kernel - 1) / 2 * dilation; }
int64_t pad_right(int64_t kernel, int64_t dilation) { return (kernel - 1) * dilation - pad_left(kernel, dilation); }

float activate(float v, Activation a, float slope) {
  switch (a) {
    case Activation::kRelu:
      return std::max(v, 0.0F);
    case Activation::kLeakyRelu:
      return v >= 0.0F ? v : v * slope;
    case Activation::kGelu:
      return gelu(v);
    case Activation::kNone:
      break;
  }
  return v;
}

// The plain form of a convolution: `weight` as [kernel, in, out]. Used where oneDNN has no fast form for the channel
// counts (few or odd channels, one output channel), and as what the tests hold the fast form against.
class PlainConv {
 public:
  PlainConv(std::span<const float> weight, int64_t in, int64_t out, int64_t kernel, int64_t dilation)
      : in_(in), out_(out), kernel_(kernel), dilation_(dilation), taps_(weight.size()) {
    for (int64_t o = 0; o < out; ++o) {
      for (int64_t i = 0; i < in; ++i) {
        for (int64_t k = 0; k < kernel; ++k) taps_[at((k * in + i) * out + o)] = weight[at((o * in + i) * kernel + k)];
      }
    }
  }

  // Rows [begin, end) of y [length, out] already hold bias or residual; adds the convolution of x [length, in].
  void accumulate(const float* x, float* y, int64_t length, int64_t begin, int64_t end) const {
    if (out_ == 1) return accumulate_one(x, y, length, begin, end);
    const int64_t left = pad_left(kernel_, dilation_);
    for (int64_t k = 0; k < kernel_; ++k) {
      const int64_t shift = k * dilation_ - left;  // y[t] += W_k x[t + shift]
      const int64_t first = std::max(begin, -shift);
      const int64_t last = std::min(end, length - shift);
      if (last <= first) continue;
      sgemm(false, last - first, out_, in_, 1.0F, x + (first + shift) * in_, in_, taps_.data() + k * in_ * out_, out_,
            1.0F, y + first * out_, out_);
    }
  }

 private:
  static size_t at(int64_t i) { return static_cast<size_t>(i); }

  // One output channel: a dot product over kernel·in neighbouring values for each row.
  void accumulate_one(const float* x, float* y, int64_t length, int64_t begin, int64_t end) const {
    const int64_t left = pad_left(kernel_, dilation_);
    for (int64_t t = begin; t < end; ++t) {
      float sum = 0.0F;
      for (int64_t k = 0; k < kernel_; ++k) {
        const int64_t from = t + k * dilation_ - left;
        if (from < 0 || from >= length) continue;
        const float* a = x + from * in_;
        const float* b = taps_.data() + k * in_;
#pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < in_; ++i) sum += a[i] * b[i];
      }
      y[t] += sum;
    }
  }

  int64_t in_, out_, kernel_, dilation_;
  std::vector<float> taps_;
};

class PackedConv final : public Packed {
 public:
  std::unique_ptr<PackedWeights> fast;  // null where oneDNN has only its plain loops
  std::unique_ptr<PlainConv> plain;
  std::vector<float> bias;
};

// A tile of rows with the neighbours that its taps reach; only at the ends of a segment zeros stand in for them.
PackedWeights::Make conv_maker(int64_t in, int64_t out, int64_t kernel, int64_t dilation) {
  return [=](const PrimitiveKey& key, const dnnl::primitive_attr& attr) {
    constexpr auto kF32 = memory::data_type::f32;
    const int64_t given = key.rows + (kernel - 1) * dilation - key.pad_left - key.pad_right;
    const memory::desc src({1, in, given}, kF32, memory::format_tag::nwc);
    const memory::desc dst({1, out, key.rows}, kF32, memory::format_tag::nwc);
    const memory::desc bias({out}, kF32, memory::format_tag::a);
    const memory::desc weights({out, in, kernel}, kF32, memory::format_tag::any);
    const auto pd = make_convolution(src, weights, bias, dst, dilation, key.pad_left, key.pad_right, attr);
    return Prepared{dnnl::convolution_forward(pd), pd.src_desc(), pd.dst_desc(), pd.weights_desc(), pd.bias_desc(),
                    pd.scratchpad_desc(),          nullptr};
  };
}

// Rows of a tile: its inputs and outputs stay in a core's L2 (128 KB each), and there are enough of them to share out.
constexpr int64_t kLeastTileRows = 64;
int64_t tile_rows(int64_t channels) { return std::clamp<int64_t>(32768 / channels, kLeastTileRows, 2048); }

bool has_fast_form(int64_t in, int64_t out, int64_t kernel, int64_t dilation, int64_t rows) {
  constexpr auto kF32 = memory::data_type::f32;
  const auto pd = make_convolution(
      {{1, in, rows}, kF32, memory::format_tag::nwc}, {{out, in, kernel}, kF32, memory::format_tag::any},
      {{out}, kF32, memory::format_tag::a}, {{1, out, rows}, kF32, memory::format_tag::nwc}, dilation,
      pad_left(kernel, dilation), pad_right(kernel, dilation), make_attr(Activation::kNone, 0.0F, true));
  const std::string_view name = pd.impl_info_str();
  return name.find("ref") == std::string_view::npos && name.find("gemm") == std::string_view::npos;
}

}  // namespace

Conv1d CpuDevice::pack_conv1d(std::span<const float> weight, std::span<const float> bias, int64_t in, int64_t out,
                              int64_t kernel, int64_t dilation) {
  const OneThreadEach scope;
  const int64_t rows = tile_rows(std::max(in, out));
  auto packed = std::make_shared<PackedConv>();
  packed->bias.assign(bias.begin(), bias.end());
  packed->bias.resize(static_cast<size_t>(out), 0.0F);
  if (out > 1 && has_fast_form(in, out, kernel, dilation, rows)) {
    const memory::desc plain({out, in, kernel}, memory::data_type::f32, memory::format_tag::oiw);
    packed->fast = std::make_unique<PackedWeights>(plain, weight, bias, out, conv_maker(in, out, kernel, dilation),
                                                   PrimitiveKey{.rows = rows});
  } else {
    packed->plain = std::make_unique<PlainConv>(weight, in, out, kernel, dilation);
  }
  return {packed, in, out, kernel, dilation};
}

Tensor CpuStream::conv1d(const Tensor& x, const Segments& s, const Conv1d& w, const Epilogue& e) {
  assert(e.residual == nullptr || e.activation == Activation::kNone);
  assert(x.contiguous() && x.cols() == w.in);
  const OneThreadEach scope;
  const auto& packed = static_cast<const PackedConv&>(*w.packed);
  const int64_t left = pad_left(w.kernel, w.dilation);
  const int64_t right = pad_right(w.kernel, w.dilation);
  // Smaller tiles where there would not be two for each thread; halves, so that there are few shapes.
  int64_t rows = tile_rows(std::max(w.in, w.out));
  while (rows > kLeastTileRows && x.rows() < 2 * pool_->threads() * rows) rows /= 2;
  const size_t row_bytes = static_cast<size_t>(w.out) * sizeof(float);
  Tensor y = allocate(x.rows(), w.out);

  struct Tile {
    int64_t segment, begin, end;  // rows [begin, end) of the segment
    std::shared_ptr<const Prepared> prepared;
  };
  std::vector<Tile> tiles;
  for (int64_t i = 0; i < s.count(); ++i) {
    const int64_t length = s.length(i);
    for (int64_t begin = 0, end = 0; begin < length; begin = end) {
      // What is left at the end goes in halves, so that any length is made of a handful of shapes.
      int64_t size = rows;
      while (size > kLeastTileRows && size > length - begin) size /= 2;
      end = std::min(begin + size, length);
      tiles.push_back({i, begin, end, nullptr});
      if (!packed.fast) continue;
      tiles.back().prepared = packed.fast->prepare({.rows = end - begin,
                                                    .pad_left = std::max<int64_t>(0, left - begin),
                                                    .pad_right = std::max<int64_t>(0, end + right - length),
                                                    .activation = e.activation,
                                                    .slope = e.slope,
                                                    .accumulate = e.residual != nullptr});
    }
  }

  const auto run_tile = [&](int64_t t) {
    const Tile& tile = tiles[static_cast<size_t>(t)];
    const int64_t first = s.begin(tile.segment);
    if (e.residual != nullptr) {
      for (int64_t r = tile.begin; r < tile.end; ++r)
        std::memcpy(row_of(y, first + r), row_of(*e.residual, first + r), row_bytes);
    }
    if (packed.fast) {
      packed.fast->run(*tile.prepared, row_of(x, first + std::max<int64_t>(0, tile.begin - left)),
                       row_of(y, first + tile.begin));
      return;
    }
    for (int64_t r = tile.begin; r < tile.end; ++r) {
      float* out = row_of(y, first + r);
      for (int64_t c = 0; c < w.out; ++c) {
        const float b = packed.bias[static_cast<size_t>(c)];
        out[c] = e.residual != nullptr ? out[c] + b : b;
      }
    }
    packed.plain->accumulate(row_of(x, first), row_of(y, first), s.length(tile.segment), tile.begin, tile.end);
    if (e.activation == Activation::kNone) return;
    for (int64_t r = tile.begin; r < tile.end; ++r) {
      float* out = row_of(y, first + r);
      for (int64_t c = 0; c < w.out; ++c) out[c] = activate(out[c], e.activation, e.slope);
    }
  };
  const auto count = static_cast<int64_t>(tiles.size());
  pool_->for_each(count, x.rows() / std::max<int64_t>(count, 1) * w.in * w.out * w.kernel / 8, run_tile);
  return y;
}

namespace {

// y[t·stride + k − padding] += W_kᵀ x[t]: one product x · [in, kernel·out], then each output row gathers its taps.
class PackedConvTranspose final : public Packed {
 public:
  Linear taps;  // [kernel·out, in]
  std::vector<float> bias;
};

}  // namespace

ConvTranspose1d CpuDevice::pack_conv_transpose1d(std::span<const float> weight, std::span<const float> bias, int64_t in,
                                                 int64_t out, int64_t kernel, int64_t stride, int64_t padding) {
  auto packed = std::make_shared<PackedConvTranspose>();
  packed->bias.assign(bias.begin(), bias.end());
  packed->bias.resize(static_cast<size_t>(out), 0.0F);
  std::vector<float> rows(weight.size());
  for (int64_t i = 0; i < in; ++i) {
    for (int64_t o = 0; o < out; ++o) {
      for (int64_t k = 0; k < kernel; ++k) {
        rows[static_cast<size_t>((k * out + o) * in + i)] = weight[static_cast<size_t>((i * out + o) * kernel + k)];
      }
    }
  }
  packed->taps = pack_linear(rows, {}, in, kernel * out);
  return {packed, in, out, kernel, stride, padding};
}

Tensor CpuStream::conv_transpose1d(const Tensor& x, const Segments& s, const ConvTranspose1d& w) {
  const auto& packed = static_cast<const PackedConvTranspose&>(*w.packed);
  const Tensor products = linear(x, packed.taps, {});  // [rows, kernel·out]
  Tensor y = allocate(x.rows() * w.stride, w.out);
  for (int64_t i = 0; i < s.count(); ++i) {
    const int64_t begin = s.begin(i);
    const int64_t length = s.length(i);
    pool_->for_each(length * w.stride, w.out * (w.kernel / w.stride + 1), [&](int64_t position) {
      float* out = row_of(y, begin * w.stride + position);
      std::memcpy(out, packed.bias.data(), packed.bias.size() * sizeof(float));
      // Taps k with (position + padding − k) divisible by the stride, and the row of x that each belongs to.
      for (int64_t k = (position + w.padding) % w.stride; k < w.kernel; k += w.stride) {
        const int64_t t = (position + w.padding - k) / w.stride;
        if (t < 0) break;
        if (t >= length) continue;
        const float* from = row_of(products, begin + t) + k * w.out;
#pragma omp simd
        for (int64_t c = 0; c < w.out; ++c) out[c] += from[c];
      }
    });
  }
  return y;
}

Tensor CpuStream::depthwise_conv1d(const Tensor& x, const Segments& s, const DepthwiseConv1d& w) {
  const int64_t kernel = w.weight.rows();
  const int64_t left = pad_left(kernel, w.dilation);
  Tensor y = allocate(x.rows(), x.cols());
  for (int64_t i = 0; i < s.count(); ++i) {
    const int64_t begin = s.begin(i);
    const int64_t length = s.length(i);
    pool_->for_each(length, x.cols() * kernel, [&](int64_t t) {
      float* out = row_of(y, begin + t);
      std::memcpy(out, row_of(w.bias, 0), static_cast<size_t>(x.cols()) * sizeof(float));
      for (int64_t k = 0; k < kernel; ++k) {
        const int64_t from = t + k * w.dilation - left;
        if (from < 0 || from >= length) continue;
        const float* in = row_of(x, begin + from);
        const float* tap = row_of(w.weight, k);
        for (int64_t c = 0; c < x.cols(); ++c) out[c] += tap[c] * in[c];
      }
    });
  }
  return y;
}

}  // namespace hayakoe::device
