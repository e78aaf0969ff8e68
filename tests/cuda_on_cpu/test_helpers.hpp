// SPDX-License-Identifier: Apache-2.0
// Memory and launches for the tests of the emulation itself.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda_on_cpu/emulator.hpp"

namespace cuda_on_cpu::test {

inline void expect_success(cudaError_t error) { EXPECT_STREQ(cudaGetErrorName(error), "cudaSuccess"); }

/// `count` values in device memory.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) { expect_success(cudaMalloc(&data_, count * sizeof(T))); }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) { set(values); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  [[nodiscard]] T* data() const { return data_; }
  void set(const std::vector<T>& values) {
    expect_success(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    expect_success(cudaStreamSynchronize(nullptr));
  }
  /// What is there when all work has run.
  [[nodiscard]] std::vector<T> get() const {
    expect_success(cudaDeviceSynchronize());
    std::vector<T> values(count_);
    expect_success(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

struct Size {
  dim3 grid = 1, block = 1;
  size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};

template <typename... P, typename... A>
cudaError_t launch(const Size& size, void (*kernel)(P...), A&&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = size.grid;
  config.blockDim = size.block;
  config.dynamicSmemBytes = size.shared_bytes;
  config.stream = size.stream;
  return cudaLaunchKernelEx(&config, kernel, std::forward<A>(arguments)...);
}

/// Sets the order of threads and blocks while it lives.
class InOrder {
 public:
  explicit InOrder(Order order, uint64_t seed = 1) { cuda_on_cpu_set_order(order, seed); }
  ~InOrder() { cuda_on_cpu_set_order(Order::kForward, 0); }
  InOrder(const InOrder&) = delete;
  InOrder& operator=(const InOrder&) = delete;
};
inline constexpr Order kOrders[] = {Order::kForward, Order::kReverse, Order::kRandom};

/// A stream that doesn't wait for the default stream.
class TestStream {
 public:
  TestStream() { expect_success(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~TestStream() { cudaStreamDestroy(stream_); }
  TestStream(const TestStream&) = delete;
  TestStream& operator=(const TestStream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace cuda_on_cpu::test
