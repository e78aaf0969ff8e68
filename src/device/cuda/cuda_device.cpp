// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <hayakoe/error.hpp>
#include <map>
#include <mutex>
#include <optional>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/cuda_stream.hpp"
#include "device/cuda/cuda_weights.hpp"

namespace hayakoe::device::cuda {
namespace {

constexpr int kLeastCapability = 75;  // Turing: the oldest that the toolkit compiles for
constexpr int kBF16Capability = 80;   // Ampere

std::string version(int packed) { return fmt::format("{}.{}", packed / 1000, packed % 1000 / 10); }

// Everything on a GPU shares one pool and one count of weights, however often it is opened.
std::shared_ptr<Gpu> shared_gpu(int ordinal) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<Gpu>> gpus;
  const std::lock_guard lock(mutex);
  std::weak_ptr<Gpu>& slot = gpus[ordinal];
  if (auto open = slot.lock()) return open;
  auto gpu = std::make_shared<Gpu>(ordinal);
  slot = gpu;
  return gpu;
}

std::string too_old(const cudaDeviceProp& p) {
  return fmt::format("GPU {} has compute capability {}.{}, and 7.5 (Turing, 2018) is the least", p.name, p.major,
                     p.minor);
}

cudaDeviceProp properties_of(int ordinal) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "reading what the GPU is");
  return properties;
}

int capability(const cudaDeviceProp& p) { return 10 * p.major + p.minor; }

// The GPUs that the driver shows; if there are none, why.
int visible_gpus(std::string& why) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  static_cast<void>(cudaGetLastError());
  int driver = 0;
  int runtime = 0;
  static_cast<void>(cudaDriverGetVersion(&driver));
  static_cast<void>(cudaRuntimeGetVersion(&runtime));
  if (status == cudaErrorInsufficientDriver && driver == 0) {
    why = "there is no NVIDIA driver (libcuda.so.1 is not found)";
  } else if (status == cudaErrorInsufficientDriver) {
    why = fmt::format("the NVIDIA driver is for CUDA {}, and this program needs CUDA {}; update the driver",
                      version(driver), version(runtime));
  } else if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) {
    why = "there is no NVIDIA GPU, or $CUDA_VISIBLE_DEVICES hides it";
  } else if (status != cudaSuccess) {
    why = fmt::format("the NVIDIA driver does not work: {}", cudaGetErrorString(status));
  }
  return why.empty() ? count : 0;
}

}  // namespace

std::optional<int> first_usable_gpu() {
  std::string why;
  const int count = visible_gpus(why);
  for (int i = 0; i < count; ++i) {
    if (capability(properties_of(i)) >= kLeastCapability) return i;
  }
  return std::nullopt;
}

CudaDevice::CudaDevice(int ordinal) {
  std::string why;
  const int count = visible_gpus(why);
  if (count == 0) throw Error("device cuda: " + why);
  if (ordinal >= count) {
    throw Error(fmt::format("device cuda:{}: there is no such GPU; use cuda:0{}", ordinal,
                            count > 1 ? fmt::format(" to cuda:{}", count - 1) : ""));
  }
  const cudaDeviceProp properties = properties_of(ordinal);
  if (capability(properties) < kLeastCapability) throw Error("device cuda: " + too_old(properties));
  gpu_ = shared_gpu(ordinal);
}

std::string CudaDevice::details() const {
  const cudaDeviceProp& p = gpu_->properties();
  return fmt::format("{}, compute capability {}.{}, {:.0f} GB", p.name, p.major, p.minor,
                     static_cast<double>(p.totalGlobalMem) / 1e9);
}

Precision CudaDevice::precision(const std::string& name) const {
  const bool has_bf16 = gpu_->capability() >= kBF16Capability;
  if (name == "f32") return {WeightType::kF32, WeightType::kF32};
  if (name == "f16" || name == "auto") return {WeightType::kF16, WeightType::kF16};
  if (name == "tf32" && has_bf16) return {WeightType::kTF32, WeightType::kTF32};
  // bfloat16's 8 bits would be heard in flow and decoder (30 dB); f16 takes as much memory and time.
  if (name == "bf16" && has_bf16) return {WeightType::kBF16, WeightType::kF16};
  if (name == "tf32" || name == "bf16")
    throw Error(fmt::format("precision: '{}' needs compute capability 8.0, and {} has {}.{}; use f32, f16 or auto",
                            name, gpu_->properties().name, gpu_->properties().major, gpu_->properties().minor));
  throw Error(fmt::format("precision: there is no '{}' on a GPU; use f32, {}f16 or auto", name,
                          has_bf16 ? "tf32, bf16, " : ""));
}

Tensor CudaDevice::constant(std::span<const float> values, int64_t rows, int64_t cols) {
  if (static_cast<int64_t>(values.size()) != rows * cols) throw Error("constant: the shape does not fit the values");
  return {keep_on(gpu_, values.data(), values.size_bytes()), rows, cols};
}

Tensor CudaDevice::constant(std::span<const int32_t> values) {
  return {keep_on(gpu_, values.data(), values.size_bytes()), static_cast<int64_t>(values.size()), 1};
}

Tensor CudaDevice::constant_view(std::span<const float> values, int64_t rows, int64_t cols,
                                 std::shared_ptr<const void> /*owner*/) {
  return constant(values, rows, cols);
}

std::shared_ptr<const Packed> CudaDevice::pack(const WeightShape& shape, std::span<const float> weight,
                                               std::span<const float> bias, WeightType type) {
  if (type == WeightType::kInt8) throw Error("cuda: there are no int8 weights on a GPU");
  return std::make_shared<CudaWeights>(gpu_, shape, weight, bias, type);
}

std::shared_ptr<const Packed> CudaDevice::adopt(const WeightShape& /*shape*/, const PackedParts& /*parts*/) {
  throw Error("the model was converted for the CPU; on a GPU use the folder that it was made of, or use the CPU");
}

std::unique_ptr<Stream> CudaDevice::stream() { return std::make_unique<CudaStream>(gpu_); }

// A decoder of the usual size holds about 200 KB of activations for a frame. A sixteenth of the GPU's memory lets most
// texts be decoded in one pass and leaves room for what else runs there.
int64_t CudaDevice::decode_frames() const {
  constexpr int64_t kFrameBytes = 200'000;
  const auto memory = static_cast<int64_t>(gpu_->properties().totalGlobalMem);
  return std::clamp<int64_t>(memory / 16 / kFrameBytes, 256, 16'384);
}

}  // namespace hayakoe::device::cuda
