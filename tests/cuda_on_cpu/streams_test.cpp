// SPDX-License-Identifier: Apache-2.0
// Streams and events of the emulation: everything happens as late as it may.
#include <atomic>
#include <cmath>
#include <memory>
#include <thread>

#include "test_helpers.hpp"

namespace cuda_on_cpu::test {
namespace {

__global__ void add(int* to, int value) { *to += value; }
__global__ void multiply(int* to, int factor) { *to *= factor; }
__global__ void move(int* to, const int* from) { *to = *from; }

/// One value in pinned memory.
class Pinned {
 public:
  explicit Pinned(int value) {
    expect_success(cudaMallocHost(&value_, sizeof(int)));
    *value_ = value;
  }
  ~Pinned() { cudaFreeHost(value_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  [[nodiscard]] int* get() const { return value_; }
  int& operator*() const { return *value_; }

 private:
  int* value_ = nullptr;
};

int64_t launches() {
  Counts counts;
  cuda_on_cpu_read_counts(&counts);
  return counts.launches;
}

constexpr size_t kOne = sizeof(int);

TEST(Stream, ABufferThatIsUsedAgainTooEarlyShows) {
  const TestStream stream;
  const DeviceArray<int> on_device(1);
  const Pinned buffer(1);
  expect_success(cudaMemcpyAsync(on_device.data(), buffer.get(), kOne, cudaMemcpyHostToDevice, stream));
  *buffer = 2;
  EXPECT_EQ(on_device.get()[0], 2);
}

TEST(Stream, ADownloadThatIsNotWaitedForIsNotThere) {
  const TestStream stream;
  const DeviceArray<int> on_device(std::vector<int>{1});
  const Pinned buffer(0);
  expect_success(launch({1, 1, 0, stream}, add, on_device.data(), 4));
  expect_success(cudaMemcpyAsync(buffer.get(), on_device.data(), kOne, cudaMemcpyDeviceToHost, stream));
  EXPECT_EQ(*buffer, 0);
  expect_success(cudaStreamSynchronize(stream));
  EXPECT_EQ(*buffer, 5);
}

TEST(Stream, KernelsRunLateAndInOrderWithTheArgumentsOfTheirLaunch) {
  const TestStream stream;
  const DeviceArray<int> on_device(std::vector<int>{1});
  const int64_t before = launches();
  int value = 10;
  expect_success(launch({1, 1, 0, stream}, add, on_device.data(), value));
  value = 1000;
  expect_success(launch({1, 1, 0, stream}, multiply, on_device.data(), 3));
  EXPECT_EQ(launches(), before);
  expect_success(cudaStreamSynchronize(stream));
  EXPECT_EQ(launches(), before + 2);
  EXPECT_EQ(on_device.get()[0], 33);
}

TEST(Stream, DestroyedRunsWhatIsQueued) {
  const DeviceArray<int> on_device(std::vector<int>{1});
  {
    const TestStream stream;
    expect_success(launch({1, 1, 0, stream}, add, on_device.data(), 4));
  }
  EXPECT_EQ(on_device.get()[0], 5);
}

TEST(Stream, OthersWaitForEventsOnly) {
  const TestStream first, second;
  const DeviceArray<int> source(std::vector<int>{0}), result(std::vector<int>{0});
  const auto work = [&](bool wait) {
    cudaEvent_t event = nullptr;
    expect_success(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    expect_success(launch({1, 1, 0, first}, add, source.data(), 1));
    expect_success(cudaEventRecord(event, first));
    expect_success(launch({1, 1, 0, first}, add, source.data(), 100));
    if (wait) expect_success(cudaStreamWaitEvent(second, event));
    // The wait is for what was recorded before it.
    expect_success(cudaEventRecord(event, first));
    expect_success(launch({1, 1, 0, second}, move, result.data(), source.data()));
    expect_success(cudaStreamSynchronize(second));
    expect_success(cudaEventDestroy(event));
    return result.get()[0];  // and now everything has run
  };
  EXPECT_EQ(work(false), 0);
  EXPECT_EQ(source.get()[0], 101);
  EXPECT_EQ(work(true), 102);
  EXPECT_EQ(source.get()[0], 202);
}

TEST(Event, IsNotReadyUntilItsStreamGetsThere) {
  const TestStream stream;
  const DeviceArray<int> on_device(std::vector<int>{0});
  cudaEvent_t begin = nullptr, end = nullptr;
  expect_success(cudaEventCreate(&begin));
  expect_success(cudaEventCreate(&end));
  float ms = -1.0F;
  EXPECT_EQ(cudaEventElapsedTime(&ms, begin, end), cudaErrorInvalidResourceHandle);
  expect_success(cudaEventQuery(begin));  // never recorded: nothing to wait for
  expect_success(cudaEventRecord(begin, stream));
  for (int i = 0; i < 3; ++i) expect_success(launch({1, 1, 0, stream}, add, on_device.data(), 1));
  expect_success(cudaEventRecord(end, stream));
  EXPECT_EQ(cudaEventElapsedTime(&ms, begin, end), cudaErrorNotReady);
  EXPECT_EQ(cudaEventQuery(end), cudaErrorNotReady);
  // Asking gets there in the end.
  int asked = 0;
  while (cudaEventQuery(end) == cudaErrorNotReady) ASSERT_LT(++asked, 100);
  expect_success(cudaEventElapsedTime(&ms, begin, end));
  EXPECT_GE(ms, 0.0F);
  EXPECT_EQ(on_device.get()[0], 3);
  expect_success(cudaStreamQuery(stream));
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  EXPECT_EQ(cudaEventSynchronize(end), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

TEST(DefaultStream, KeepsOrderWithBlockingStreamsAlone) {
  cudaStream_t blocking = nullptr;
  expect_success(cudaStreamCreate(&blocking));
  const TestStream free_stream;
  const DeviceArray<int> a(std::vector<int>{1}), b(std::vector<int>{1});
  expect_success(launch({1, 1, 0, blocking}, add, a.data(), 1));
  expect_success(launch({1, 1, 0, free_stream}, add, b.data(), 1));
  int values[2] = {};
  expect_success(cudaMemcpy(&values[0], a.data(), kOne, cudaMemcpyDeviceToHost));
  expect_success(cudaMemcpy(&values[1], b.data(), kOne, cudaMemcpyDeviceToHost));
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[1], 1);
  // The other way round: a blocking stream waits for what the default stream was given before.
  expect_success(launch({}, multiply, a.data(), 10));
  expect_success(launch({1, 1, 0, blocking}, add, a.data(), 3));
  expect_success(launch({}, multiply, a.data(), 10));
  expect_success(cudaStreamSynchronize(blocking));
  expect_success(cudaStreamDestroy(blocking));
  EXPECT_EQ(a.get()[0], 230);
}

TEST(DefaultStreamDeathTest, ACopyFromPageableMemoryMayReturnBeforeTheDeviceHasIt) {
  const TestStream stream;
  const DeviceArray<int> weights(1), result(std::vector<int>{0});
  const int value = 3;
  expect_success(cudaMemcpy(weights.data(), &value, kOne, cudaMemcpyHostToDevice));
  const auto use_at_once = [&] {
    launch({1, 1, 0, stream}, move, result.data(), weights.data());
    cudaStreamSynchronize(stream);
  };
  EXPECT_DEATH(use_at_once(), "kernel .*move.* uses allocation .* before a cudaMemcpy to it has reached the device");
  expect_success(cudaStreamSynchronize(nullptr));
  use_at_once();
  EXPECT_EQ(result.get()[0], 3);
}

TEST(DefaultStream, ACopyFromPinnedMemoryIsDoneWhenItReturns) {
  const TestStream stream;
  const DeviceArray<int> weights(1), result(1);
  const Pinned value(3);
  expect_success(cudaMemcpy(weights.data(), value.get(), kOne, cudaMemcpyHostToDevice));
  expect_success(launch({1, 1, 0, stream}, move, result.data(), weights.data()));
  expect_success(cudaStreamSynchronize(stream));
  EXPECT_EQ(result.get()[0], 3);
}

TEST(Stream, HandlesThatAreNoneAreRefused) {
  cudaStream_t gone = nullptr;
  expect_success(cudaStreamCreate(&gone));
  expect_success(cudaStreamDestroy(gone));
  EXPECT_EQ(cudaStreamSynchronize(gone), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(gone), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamCreateWithFlags(&gone, 2), cudaErrorInvalidValue);
  cudaGetLastError();
}

__global__ void sum_of_block(int* sums, const int* values) {
  int sum = values[threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, distance);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

TEST(Streams, OfSeveralHostThreadsDoNotMeet) {
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back([id, &right] {
      const TestStream stream;
      const DeviceArray<int> values(std::vector<int>(32, id));
      for (int i = 0; i < 20; ++i) {
        int* sums = nullptr;
        cudaMallocAsync(&sums, 8 * kOne, stream);
        launch({8, 32, 0, stream}, sum_of_block, sums, values.data());
        std::vector<int> result(8);
        cudaMemcpyAsync(result.data(), sums, 8 * kOne, cudaMemcpyDeviceToHost, stream);
        cudaFreeAsync(sums, stream);
        cudaStreamSynchronize(stream);
        if (result == std::vector<int>(8, 32 * id)) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 80);
}

}  // namespace
}  // namespace cuda_on_cpu::test
