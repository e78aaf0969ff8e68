// SPDX-License-Identifier: Apache-2.0
// Convolutions over ragged rows, channels last. Each segment is convolved on its own: zero padding at its ends.
// Where it pays, in a transformed domain (kernels/fast_conv.hpp); else as one matrix product whose left side reads the
// input once for each tap.
#include <algorithm>
#include <cassert>
#include <cstring>

#include "device/cpu/cpu_device.hpp"
#include "device/cpu/cpu_weights.hpp"
#include "device/cpu/kernels/fast_conv.hpp"
#include "device/cpu/kernels/vector_math.hpp"
#include "device/cpu/scratch.hpp"

namespace hayakoe::device {

namespace {

// "Same" padding: (k−1)/2 on the left, k/2 on the right (they differ for even kernels).
int64_t pad_left(int64_t kernel, int64_t dilation) { return (kernel - 1) / 2 * dilation; }

// Rows [begin, end) of a segment.
struct Rows {
  int64_t segment, begin, end;
};

// Every segment, and `beyond` rows behind its end, in tiles of at most `rows`.
std::vector<Rows> tiles_of(const Segments& s, int64_t rows, int64_t beyond = 0) {
  std::vector<Rows> tiles;
  for (int64_t i = 0; i < s.count(); ++i) {
    const int64_t length = s.length(i) + beyond;
    for (int64_t begin = 0; begin < length; begin += rows) tiles.push_back({i, begin, std::min(begin + rows, length)});
  }
  return tiles;
}

// Copies rows [begin, end) of a segment of `length` rows, zeros where there are none, through a leaky ReLU.
void copy_padded(const float* segment, int64_t length, int64_t channels, int64_t begin, int64_t end, float slope,
                 float* to) {
  for (int64_t r = begin; r < end; ++r, to += channels) {
    if (r < 0 || r >= length) {
      std::fill(to, to + channels, 0.0F);
    } else {
      leaky_relu_to(segment + r * channels, to, channels, slope);
    }
  }
}

}  // namespace

Tensor CpuStream::conv1d(const Tensor& x, const Segments& s, const Conv1d& w, const Epilogue& e, float input_slope) {
  assert(x.contiguous() && x.cols() == w.in);
  assert(e.residual == nullptr || e.activation == Activation::kNone);
  Tensor y = allocate(x.rows(), w.out);
  const auto& packed = static_cast<const CpuWeights&>(*w.packed);
  if (packed.form().transform) {
    fast_conv1d(x, s, w, e, input_slope, y);
  } else {
    direct_conv1d(x, s, w, e, input_slope, y);
  }
  if (e.activation == Activation::kGelu) for_rows(y, [&](int64_t r) { gelu_in_place(row_of(y, r), y.cols()); });
  return y;
}

void CpuStream::fast_conv1d(const Tensor& x, const Segments& s, const Conv1d& w, const Epilogue& e, float input_slope,
                            Tensor& y) const {
  const auto& packed = static_cast<const CpuWeights&>(*w.packed);
  FastConv conv;
  conv.transform = *packed.form().transform;
  conv.in = w.in;
  conv.out = w.out;
  conv.kernel = w.kernel;
  conv.dilation = w.dilation;
  conv.weights = packed.matrices();
  conv.bias = packed.bias();
  conv.input_slope = input_slope;
  conv.activation = e.activation;
  conv.slope = e.slope;

  std::vector<ConvBlock> blocks;
  const int64_t outputs = block_outputs(conv.transform, w.kernel);
  for (int64_t i = 0; i < s.count(); ++i) {
    ConvBlock b;
    b.length = s.length(i);
    if (b.length == 0) continue;
    b.input = row_of(x, s.begin(i));
    b.output = row_of(y, s.begin(i));
    if (e.residual != nullptr) b.residual = row_of(*e.residual, s.begin(i));
    // A block takes every dilation-th row, so `dilation` of them cover a stretch.
    for (int64_t stretch = 0; stretch < b.length; stretch += outputs * w.dilation) {
      for (int64_t phase = stretch; phase < std::min(stretch + w.dilation, b.length); ++phase) {
        b.first = phase;
        blocks.push_back(b);
      }
    }
    // Blocks of two segments do not share a unit: a sentence must not depend on its neighbour, not even in rounding.
    while (static_cast<int64_t>(blocks.size()) % block_unit(conv.transform) != 0) blocks.emplace_back();
  }

  // Many blocks read a weight from the cache once; few keep their own data in it, and feed all threads evenly.
  const int64_t most = packed.parts().type == WeightType::kF32 ? 24 : 48;  // stored weights are expanded once a task
  constexpr int64_t kUnit = 6;  // rows that a product takes at once, and whole units of the transforms
  const auto count = static_cast<int64_t>(blocks.size());
  const int64_t rounds = std::max<int64_t>(1, count / (pool_->threads() * most));
  const int64_t share = (count + pool_->threads() * rounds - 1) / (pool_->threads() * rounds);
  const int64_t size = std::clamp<int64_t>((share + kUnit - 1) / kUnit * kUnit, kUnit, 2 * most);
  const int64_t tasks = (count + size - 1) / size;
  pool_->run(tasks, [&](int64_t t) {
    const int64_t from = t * size;
    const auto part = std::span<const ConvBlock>(blocks).subspan(static_cast<size_t>(from),
                                                                 static_cast<size_t>(std::min(size, count - from)));
    fast_conv(conv, part, thread_scratch(0, fast_conv_scratch(conv, size)));
  });
}

void CpuStream::direct_conv1d(const Tensor& x, const Segments& s, const Conv1d& w, const Epilogue& e, float input_slope,
                              Tensor& y) const {
  // The input and the output of a tile stay in a core's L2 (128 KB each).
  constexpr int64_t kLeastRows = 48;
  int64_t tile_rows = std::clamp<int64_t>(32768 / std::max(w.in, w.out), kLeastRows, 2048);
  while (tile_rows > kLeastRows && x.rows() < 2 * pool_->threads() * tile_rows) tile_rows /= 2;
  const auto& packed = static_cast<const CpuWeights&>(*w.packed);
  const int64_t left = pad_left(w.kernel, w.dilation);
  const int64_t reach = (w.kernel - 1) * w.dilation;
  const std::vector<Rows> tiles = tiles_of(s, tile_rows);

  const auto run_tile = [&](int64_t t) {
    const Rows& tile = tiles[static_cast<size_t>(t)];
    const int64_t length = s.length(tile.segment);
    const int64_t rows = tile.end - tile.begin;
    const int64_t row = s.begin(tile.segment) + tile.begin;
    // The rows that the tile reads: as they are if none of them lies outside of the segment.
    const bool as_it_is = input_slope == 1.0F && tile.begin >= left && tile.end + reach - left <= length;
    float* padded = nullptr;
    if (!as_it_is) {
      padded = thread_scratch(0, (rows + reach) * w.in);
      copy_padded(row_of(x, s.begin(tile.segment)), length, w.in, tile.begin - left, tile.end + reach - left,
                  input_slope, padded);
    }
    const GemmInput in{.data = as_it_is ? row_of(x, row - left) : padded,
                       .row_stride = w.in,
                       .taps = w.kernel,
                       .tap_stride = w.dilation * w.in,
                       .depth = w.in};
    GemmOutput out{.data = row_of(y, row),
                   .row_stride = w.out,
                   .bias = packed.bias(),
                   .activation = e.activation,
                   .slope = e.slope};
    if (e.residual != nullptr) {
      out.residual = row_of(*e.residual, row);
      out.residual_stride = w.out;
    }
    if (w.out == 1) {
      dot_rows(rows, in, packed.column(), out);
    } else {
      gemm(rows, w.out, in, packed.matrix(0), out);
    }
  };
  const auto count = static_cast<int64_t>(tiles.size());
  pool_->for_each(count, tile_rows * w.in * w.out * w.kernel / 8, run_tile);
}

Tensor CpuStream::conv_transpose1d(const Tensor& x, const Segments& s, const ConvTranspose1d& w, float input_slope) {
  assert(x.contiguous() && x.cols() == w.in);
  const auto& packed = static_cast<const CpuWeights&>(*w.packed);
  const int64_t most_taps = (w.kernel + w.stride - 1) / w.stride;
  // With u = t_out + padding = q·stride + phase, the taps of an output are phase, phase + stride, … of the inputs q,
  // q − 1, …: one product for each phase. First every segment with zeros around it, activated.
  const int64_t before = most_taps - 1;
  const int64_t after = (w.stride - 1 + w.padding) / w.stride;
  const int64_t around = before + after;
  Tensor padded = allocate(x.rows() + s.count() * around, w.in);
  pool_->for_each(padded.rows(), w.in, [&](int64_t r) {
    int64_t i = 0;
    while (s.begin(i) + s.length(i) + (i + 1) * around <= r) ++i;
    const int64_t row = r - s.begin(i) - i * around - before;
    copy_padded(row_of(x, s.begin(i)), s.length(i), w.in, row, row + 1, input_slope, row_of(padded, r));
  });

  Tensor y = allocate(x.rows() * w.stride, w.out);
  constexpr int64_t kRows = 96;
  const std::vector<Rows> tiles = tiles_of(s, kRows, after);  // of q
  const auto count = static_cast<int64_t>(tiles.size());
  // The tiles of a phase behind one another: they share its weights.
  pool_->for_each(count * w.stride, kRows * w.in * w.out * most_taps / 8, [&](int64_t task) {
    const Rows& tile = tiles[static_cast<size_t>(task % count)];
    const int64_t phase = task / count;
    const int64_t length = s.length(tile.segment);
    // Outputs q·stride + phase − padding that lie in [0, length·stride).
    const int64_t shift = phase - w.padding;
    const int64_t begin = std::max(tile.begin, shift < 0 ? (-shift + w.stride - 1) / w.stride : 0);
    const int64_t end = std::min(tile.end, (length * w.stride - shift + w.stride - 1) / w.stride);
    if (begin >= end) return;
    const int64_t first = s.begin(tile.segment) + tile.segment * around + begin;
    const GemmInput in{
        .data = row_of(padded, first), .row_stride = w.in, .taps = most_taps, .tap_stride = w.in, .depth = w.in};
    const GemmOutput out{.data = row_of(y, s.begin(tile.segment) * w.stride + begin * w.stride + shift),
                         .row_stride = w.stride * w.out,
                         .bias = packed.bias()};
    gemm(end - begin, w.out, in, packed.matrix(phase), out);
  });
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
