// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/cpu_device.hpp"

#include <fmt/format.h>

#include <cstring>
#include <hayakoe/error.hpp>

#include "device/cpu/cpu_weights.hpp"
#include "device/cpu/kernels/gemm.hpp"

namespace hayakoe::device {

CpuDevice::CpuDevice(int threads) : pool_(std::make_shared<ThreadPool>(threads > 0 ? threads : available_threads())) {}

std::string CpuDevice::details() const {
  return fmt::format("{}, {} thread{}", kernel_target(), pool_->threads(), pool_->threads() == 1 ? "" : "s");
}

Tensor CpuDevice::constant(std::span<const float> values, int64_t rows, int64_t cols) {
  if (static_cast<int64_t>(values.size()) != rows * cols) throw Error("constant: the shape does not fit the values");
  // Each constant has an arena of its own, so that its memory goes with its last handle.
  Tensor t(Arena::create()->take(values.size_bytes()), rows, cols);
  std::memcpy(t.data<float>(), values.data(), values.size_bytes());
  return t;
}

Tensor CpuDevice::constant(std::span<const int32_t> values) {
  Tensor t(Arena::create()->take(values.size_bytes()), static_cast<int64_t>(values.size()), 1);
  std::memcpy(t.data<int32_t>(), values.data(), values.size_bytes());
  return t;
}

Precision CpuDevice::precision(const std::string& name) const {
  if (name == "f32") return {WeightType::kF32, WeightType::kF32};
  if (name == "f16") return {WeightType::kF16, WeightType::kF16};
  if (name == "bf16") return {WeightType::kBF16, WeightType::kBF16};
  if (name == "int8" || name == "auto") return {WeightType::kInt8, WeightType::kF16};
  throw Error("precision: there is no '" + name + "' on the CPU; use f32, f16, bf16, int8 or auto");
}

namespace {

// Memory that somebody else owns. Constants are only read, though Storage does not say so.
class ViewStorage final : public tensor::Storage {
 public:
  ViewStorage(std::span<const float> values, std::shared_ptr<const void> owner)
      : Storage(reinterpret_cast<std::byte*>(const_cast<float*>(values.data())), values.size_bytes()),
        owner_(std::move(owner)) {}

 private:
  std::shared_ptr<const void> owner_;
};

}  // namespace

Tensor CpuDevice::constant_view(std::span<const float> values, int64_t rows, int64_t cols,
                                std::shared_ptr<const void> owner) {
  if (static_cast<int64_t>(values.size()) != rows * cols) throw Error("constant: the shape does not fit the values");
  return {std::make_shared<ViewStorage>(values, std::move(owner)), rows, cols};
}

std::shared_ptr<const Packed> CpuDevice::pack(const WeightShape& shape, std::span<const float> weight,
                                              std::span<const float> bias, WeightType type) {
  return CpuWeights::pack(shape, weight, bias, type, *pool_);
}

std::shared_ptr<const Packed> CpuDevice::adopt(const WeightShape& shape, const PackedParts& parts) {
  return CpuWeights::adopt(shape, parts);
}

std::unique_ptr<Stream> CpuDevice::stream() { return std::make_unique<CpuStream>(pool_); }

Tensor CpuStream::allocate(int64_t rows, int64_t cols) {
  return {arena_->take(static_cast<size_t>(rows * cols) * sizeof(float)), rows, cols};
}

Tensor CpuStream::upload(std::span<const float> values, int64_t rows, int64_t cols) {
  if (static_cast<int64_t>(values.size()) != rows * cols) throw Error("upload: the shape does not fit the values");
  Tensor t = allocate(rows, cols);
  std::memcpy(t.data<float>(), values.data(), values.size_bytes());
  ++transfers_.uploads;
  transfers_.upload_bytes += static_cast<int64_t>(values.size_bytes());
  return t;
}

Tensor CpuStream::upload(std::span<const int32_t> values) {
  Tensor t = allocate(static_cast<int64_t>(values.size()), 1);
  std::memcpy(t.data<int32_t>(), values.data(), values.size_bytes());
  ++transfers_.uploads;
  transfers_.upload_bytes += static_cast<int64_t>(values.size_bytes());
  return t;
}

namespace {

template <typename T>
void copy_out(const Tensor& x, std::span<T> out, Transfers& transfers) {
  if (static_cast<int64_t>(out.size()) != x.rows() * x.cols())
    throw Error("download: the shape does not fit the buffer");
  for (int64_t r = 0; r < x.rows(); ++r) {
    std::memcpy(out.data() + r * x.cols(), row_of<T>(x, r), static_cast<size_t>(x.cols()) * sizeof(T));
  }
  ++transfers.downloads;
  transfers.download_bytes += static_cast<int64_t>(out.size_bytes());
}

}  // namespace

void CpuStream::download(const Tensor& x, std::span<float> out) { copy_out(x, out, transfers_); }
void CpuStream::download(const Tensor& x, std::span<int32_t> out) { copy_out(x, out, transfers_); }

void CpuStream::reset_transfers() {
  transfers_ = {};
  arena_->reset_peak();
  // What a single very long text has taken goes back; what ordinary ones take stays for the next.
  constexpr size_t kKeep = size_t{256} << 20;
  arena_->trim(kKeep);
}

}  // namespace hayakoe::device
