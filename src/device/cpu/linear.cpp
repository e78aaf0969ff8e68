// SPDX-License-Identifier: Apache-2.0
// y = x Wᵀ + b as matrix products over all rows of a batch, cut into tiles of rows and of columns.
#include <algorithm>
#include <cstring>

#include "device/cpu/cpu_device.hpp"
#include "device/cpu/primitives.hpp"

namespace hayakoe::device {

using dnnl::memory;

namespace {

// Columns (outputs) that a tile has, so that a product with few rows still feeds several threads. Weights are packed a
// block of columns at a time.
constexpr int64_t kColumns = 256;
// Rows of a tile. Fixed, so that texts of any length use the same primitives but for the last tile; and a row's result
// does not depend on how many rows there are.
constexpr int64_t kRows = 64;

PackedWeights::Make matmul_maker(int64_t in, int64_t out) {
  return [in, out](const PrimitiveKey& key, const dnnl::primitive_attr& attr) {
    constexpr auto kF32 = memory::data_type::f32;
    const memory::desc src({key.rows, in}, kF32, memory::dims{key.src_stride, 1});
    const memory::desc dst({key.rows, out}, kF32, memory::dims{key.dst_stride, 1});
    const memory::desc bias({1, out}, kF32, memory::format_tag::ab);
    const memory::desc any({in, out}, kF32, memory::format_tag::any);
    auto pd = make_matmul(src, any, bias, dst, attr);
    // Some shapes fall to the plain-loop path with `any`; the plain layout always has the GEMM path.
    if (is_reference(pd.impl_info_str())) {
      pd = make_matmul(src, {{in, out}, kF32, memory::format_tag::ba}, bias, dst, attr);
    }
    return Prepared{dnnl::matmul(pd), pd.src_desc(),        pd.dst_desc(), pd.weights_desc(),
                    pd.bias_desc(),   pd.scratchpad_desc(), nullptr};
  };
}

class PackedLinear final : public Packed {
 public:
  std::vector<std::unique_ptr<PackedWeights>> blocks;  // kColumns outputs each, the last one the rest
};

}  // namespace

Linear CpuDevice::pack_linear(std::span<const float> weight, std::span<const float> bias, int64_t in, int64_t out) {
  const OneThreadEach scope;
  auto packed = std::make_shared<PackedLinear>();
  for (int64_t begin = 0; begin < out; begin += kColumns) {
    const int64_t columns = std::min(kColumns, out - begin);
    const memory::desc plain({in, columns}, memory::data_type::f32, memory::format_tag::ba);  // [columns, in] in memory
    const PrimitiveKey typical{.rows = kRows, .src_stride = in, .dst_stride = out};
    const auto part = weight.subspan(static_cast<size_t>(begin * in), static_cast<size_t>(columns * in));
    const auto bias_part = bias.empty() ? bias : bias.subspan(static_cast<size_t>(begin), static_cast<size_t>(columns));
    packed->blocks.push_back(
        std::make_unique<PackedWeights>(plain, part, bias_part, columns, matmul_maker(in, columns), typical));
  }
  return {packed, in, out};
}

Tensor CpuStream::linear(const Tensor& x, const Linear& w, const Epilogue& e) {
  const OneThreadEach scope;
  Tensor y = allocate(x.rows(), w.out);
  const auto& blocks = static_cast<const PackedLinear&>(*w.packed).blocks;
  const int64_t row_tiles = (x.rows() + kRows - 1) / kRows;
  const auto count = static_cast<int64_t>(blocks.size());

  // The primitives for a whole tile and for the last one, a block of columns at a time.
  const int64_t last_rows = x.rows() - (row_tiles - 1) * kRows;
  std::vector<std::shared_ptr<const Prepared>> whole(blocks.size());
  std::vector<std::shared_ptr<const Prepared>> last(blocks.size());
  for (size_t b = 0; b < blocks.size() && row_tiles > 0; ++b) {
    PrimitiveKey key{.rows = last_rows,
                     .src_stride = x.stride(),
                     .dst_stride = w.out,
                     .activation = e.activation,
                     .slope = e.slope,
                     .accumulate = e.residual != nullptr};
    last[b] = blocks[b]->prepare(key);
    key.rows = kRows;
    if (row_tiles > 1) whole[b] = blocks[b]->prepare(key);
  }

  const auto tile = [&](int64_t t) {
    const int64_t row = t / count * kRows;
    const auto b = static_cast<size_t>(t % count);
    const bool is_last = t / count == row_tiles - 1;
    const int64_t column = static_cast<int64_t>(b) * kColumns;
    if (e.residual != nullptr) {
      const auto bytes = static_cast<size_t>(std::min(kColumns, w.out - column)) * sizeof(float);
      for (int64_t r = row; r < row + (is_last ? last_rows : kRows); ++r) {
        std::memcpy(row_of(y, r) + column, row_of(*e.residual, r) + column, bytes);
      }
    }
    blocks[b]->run(is_last ? *last[b] : *whole[b], row_of(x, row), row_of(y, row) + column);
  };
  pool_->for_each(row_tiles * count, std::min(x.rows(), kRows) * w.in * std::min(w.out, kColumns) / 8, tile);
  return y;
}

}  // namespace hayakoe::device
