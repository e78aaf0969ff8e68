// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <hayakoe/error.hpp>

#include "device/cuda/memory.hpp"

namespace hayakoe::device::cuda {

void check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // an error that can be recovered from must not show again
  throw Error(fmt::format("cuda: {} failed: {}", doing, cudaGetErrorString(status)));
}

namespace {

// Gpu::use() for destructors: of a GPU that is lost nothing can be given back, and nobody can be told.
void use_if_possible(const Gpu& gpu) noexcept { static_cast<void>(cudaSetDevice(gpu.ordinal())); }

std::string megabytes(size_t bytes) { return fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6); }

// What says how much there is when there is not enough.
void check_memory(cudaError_t status, const Gpu& gpu, size_t bytes) {
  if (status != cudaErrorMemoryAllocation) {
    check(status, "reserving memory");
    return;
  }
  static_cast<void>(cudaGetLastError());
  size_t free = 0;
  size_t total = 0;
  static_cast<void>(cudaMemGetInfo(&free, &total));
  throw Error(
      fmt::format("cuda: not enough memory on GPU {} ({}): {} more are needed, {} of {} are free; close what else uses "
                  "the GPU, choose a smaller precision, or use the CPU",
                  gpu.ordinal(), gpu.properties().name, megabytes(bytes), megabytes(free), megabytes(total)));
}

class WeightStorage final : public tensor::Storage {
 public:
  WeightStorage(std::shared_ptr<Gpu> gpu, std::byte* address, size_t bytes)
      : Storage(address, bytes), gpu_(std::move(gpu)) {
    gpu_->weight_bytes += static_cast<int64_t>(bytes);
  }
  ~WeightStorage() override {
    gpu_->weight_bytes -= static_cast<int64_t>(bytes_);
    use_if_possible(*gpu_);
    static_cast<void>(cudaFree(address_));
  }

 private:
  std::shared_ptr<Gpu> gpu_;
};

class StreamStorage final : public tensor::Storage {
 public:
  StreamStorage(std::shared_ptr<StreamCore> core, std::byte* address, size_t bytes)
      : Storage(address, bytes), core_(std::move(core)) {
    const int64_t now = core_->in_use += static_cast<int64_t>(bytes);
    int64_t peak = core_->peak;
    while (now > peak && !core_->peak.compare_exchange_weak(peak, now)) {
    }
  }
  ~StreamStorage() override {
    core_->in_use -= static_cast<int64_t>(bytes_);
    use_if_possible(*core_->gpu);
    static_cast<void>(cudaFreeAsync(address_, core_->stream));
  }

 private:
  std::shared_ptr<StreamCore> core_;
};

// Loads by 16 bytes may reach to the end of the last one.
constexpr size_t kGrain = 16;
size_t rounded(size_t bytes) { return std::max(kGrain, (bytes + kGrain - 1) / kGrain * kGrain); }

}  // namespace

Gpu::Gpu(int ordinal) : ordinal_(ordinal) {
  check(cudaGetDeviceProperties(&properties_, ordinal), "reading what the GPU is");
  use();
  cudaMemPoolProps props{};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = ordinal;
  check(cudaMemPoolCreate(&pool_, &props), "making a memory pool");
  // What a request has given back stays for the next one.
  uint64_t keep = UINT64_MAX;
  check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep), "setting up a memory pool");
}

Gpu::~Gpu() {
  use_if_possible(*this);
  static_cast<void>(cudaMemPoolDestroy(pool_));
}

// Every time: what else runs in the thread may have chosen another one.
void Gpu::use() const { check(cudaSetDevice(ordinal_), "choosing the GPU"); }

void Gpu::trim(size_t keep) const {
  if (pooled_bytes() > static_cast<int64_t>(keep)) check(cudaMemPoolTrimTo(pool_, keep), "giving memory back");
}

int64_t Gpu::pooled_bytes() const {
  uint64_t bytes = 0;
  check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &bytes), "counting memory");
  return static_cast<int64_t>(bytes);
}

std::shared_ptr<tensor::Storage> reserve_on(const std::shared_ptr<Gpu>& gpu, size_t bytes) {
  gpu->use();
  void* address = nullptr;
  const size_t size = rounded(bytes);
  check_memory(cudaMalloc(&address, size), *gpu, size);
  return std::make_shared<WeightStorage>(gpu, static_cast<std::byte*>(address), size);
}

std::shared_ptr<tensor::Storage> keep_on(const std::shared_ptr<Gpu>& gpu, const void* from, size_t bytes) {
  auto storage = reserve_on(gpu, bytes);
  if (bytes == 0) return storage;
  check(cudaMemcpy(storage->address(), from, bytes, cudaMemcpyHostToDevice), "copying weights");
  // A copy from ordinary memory returns when its last part is on the way, and requests' streams would not wait for it.
  check(cudaStreamSynchronize(nullptr), "copying weights");
  return storage;
}

StreamCore::StreamCore(std::shared_ptr<Gpu> on) : gpu(std::move(on)) {
  gpu->use();
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
}

StreamCore::~StreamCore() {
  use_if_possible(*gpu);
  static_cast<void>(cudaStreamSynchronize(stream));
  static_cast<void>(cudaStreamDestroy(stream));
}

std::shared_ptr<tensor::Storage> take(const std::shared_ptr<StreamCore>& core, size_t bytes) {
  core->gpu->use();
  void* address = nullptr;
  const size_t size = rounded(bytes);
  cudaError_t status = cudaMallocFromPoolAsync(&address, size, core->gpu->pool(), core->stream);
  if (status == cudaErrorMemoryAllocation) {
    // What others have given back in pieces may do when it is whole again.
    static_cast<void>(cudaGetLastError());
    static_cast<void>(cudaStreamSynchronize(core->stream));
    static_cast<void>(cudaMemPoolTrimTo(core->gpu->pool(), 0));
    status = cudaMallocFromPoolAsync(&address, size, core->gpu->pool(), core->stream);
  }
  check_memory(status, *core->gpu, size);
  return std::make_shared<StreamStorage>(core, static_cast<std::byte*>(address), size);
}

Staging::~Staging() { static_cast<void>(cudaFreeHost(memory_)); }

std::byte* Staging::room(size_t bytes, cudaStream_t stream) {
  const size_t wanted = rounded(bytes);
  if (used_ + wanted > size_) {
    check(cudaStreamSynchronize(stream), "waiting for a copy");
    used_ = 0;
  }
  if (wanted > size_) {
    constexpr size_t kLeast = size_t{1} << 16;
    const size_t size = std::max(kLeast, 2 * wanted);
    void* memory = nullptr;
    check(cudaMallocHost(&memory, size), "reserving page-locked memory");
    static_cast<void>(cudaFreeHost(memory_));
    memory_ = static_cast<std::byte*>(memory);
    size_ = size;
  }
  std::byte* const at = memory_ + used_;
  used_ += wanted;
  return at;
}

}  // namespace hayakoe::device::cuda
