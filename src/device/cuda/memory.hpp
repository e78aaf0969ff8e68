// SPDX-License-Identifier: Apache-2.0
// Memory of a GPU: what stays (weights) and what comes and goes in the order of a stream (activations).
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "tensor/tensor.hpp"

namespace hayakoe::device::cuda {

/// Throws Error if a call of the runtime has failed; `doing` says at what ("reserving memory").
void check(cudaError_t status, const char* doing);

/// One GPU, shared by everything that lies on it: chosen once, its memory pool, what weights take.
class Gpu {
 public:
  /// @throws Error if there is no driver, no such GPU, or if it is too old
  explicit Gpu(int ordinal);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  /// Makes it the GPU of the calling thread, which it stays.
  void use() const;
  [[nodiscard]] int ordinal() const { return ordinal_; }
  [[nodiscard]] const cudaDeviceProp& properties() const { return properties_; }
  /// 75 for compute capability 7.5.
  [[nodiscard]] int capability() const { return 10 * properties_.major + properties_.minor; }
  [[nodiscard]] cudaMemPool_t pool() const { return pool_; }
  /// Gives pooled memory that nobody uses back, all but `keep` bytes.
  void trim(size_t keep) const;
  /// Bytes that the pool holds, in use or ready for reuse.
  [[nodiscard]] int64_t pooled_bytes() const;

  std::atomic<int64_t> weight_bytes{0};

 private:
  int ordinal_;
  cudaDeviceProp properties_{};
  cudaMemPool_t pool_ = nullptr;
};

/// Memory for weights, contents undefined.
std::shared_ptr<tensor::Storage> reserve_on(const std::shared_ptr<Gpu>& gpu, size_t bytes);

/// Memory for weights: a copy of `bytes` at `from`. It has been made when this returns.
std::shared_ptr<tensor::Storage> keep_on(const std::shared_ptr<Gpu>& gpu, const void* from, size_t bytes);

/// What a stream's tensors share: they may outlive the Stream object.
struct StreamCore {
  explicit StreamCore(std::shared_ptr<Gpu> on);
  ~StreamCore();
  StreamCore(const StreamCore&) = delete;
  StreamCore& operator=(const StreamCore&) = delete;

  std::shared_ptr<Gpu> gpu;
  cudaStream_t stream = nullptr;
  std::atomic<int64_t> in_use{0}, peak{0};  ///< bytes of tensors
};

/// Memory for a tensor, contents undefined; it goes back in the order of the stream when the last handle goes.
std::shared_ptr<tensor::Storage> take(const std::shared_ptr<StreamCore>& core, size_t bytes);

/// Page-locked host memory for copies that run beside the program: what upload() is given waits there.
class Staging {
 public:
  Staging() = default;
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Room for `bytes`. Waits for `stream` if what lies there may not have been copied yet and there is no room beside
  /// it.
  std::byte* room(size_t bytes, cudaStream_t stream);
  /// Everything that was put there has been copied.
  void clear() { used_ = 0; }

 private:
  std::byte* memory_ = nullptr;
  size_t size_ = 0, used_ = 0;
};

}  // namespace hayakoe::device::cuda
