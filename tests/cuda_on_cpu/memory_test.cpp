// SPDX-License-Identifier: Apache-2.0
// Device, pinned and shared memory of the emulation: what is in it, and what watches over it.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <thread>

#include "device/cuda/ptx.cuh"
#include "test_helpers.hpp"

namespace cuda_on_cpu::test {
namespace {

using hayakoe::device::cuda::shared_memory;

__global__ void put(int* to, int64_t index, int value) { to[index] = value; }
__global__ void copy_one(int* to, const int* from) { *to = *from; }

/// Starts a kernel that may fault, and waits.
template <typename... P, typename... A>
void run(void (*kernel)(P...), A... arguments) {
  launch({}, kernel, arguments...);
  cudaDeviceSynchronize();
}

size_t free_bytes() {
  size_t free = 0, total = 0;
  expect_success(cudaMemGetInfo(&free, &total));
  return free;
}

TEST(DeviceMemory, HoldsNanUntilItIsWritten) {
  const DeviceArray<float> floats(1000);
  for (const float x : floats.get()) EXPECT_TRUE(std::isnan(x));
  const DeviceArray<int> ints(1000);
  EXPECT_EQ(ints.get(), std::vector<int>(1000, -1));
}

TEST(DeviceMemory, IsCopiedInRowsAndFilled) {
  std::vector<int> values(12);
  std::iota(values.begin(), values.end(), 0);
  const DeviceArray<int> from(values), to(20);
  expect_success(cudaMemset(to.data(), 0, 20 * sizeof(int)));
  // Columns 1 and 2 of three rows of four, to columns 2 and 3 of rows of six.
  expect_success(cudaMemcpy2DAsync(to.data() + 2, 24, from.data() + 1, 16, 8, 3, cudaMemcpyDeviceToDevice));
  const std::vector<int> expected = {0, 0, 1, 2, 0, 0, 0, 0, 5, 6, 0, 0, 0, 0, 9, 10, 0, 0, 0, 0};
  EXPECT_EQ(to.get(), expected);
}

TEST(DeviceMemory, CopiesThatDoNotFitAreRefused) {
  const DeviceArray<int> a(4), b(4);
  int host[8] = {};
  const size_t bytes = 4 * sizeof(int);
  EXPECT_EQ(cudaMemcpy(a.data(), host, bytes + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(a.data() + 1, host, bytes, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, a.data(), bytes, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(a.data(), host, bytes, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(a.data(), host, bytes, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(a.data(), b.data(), bytes, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DAsync(a.data(), 4, b.data(), 8, 8, 2, cudaMemcpyDeviceToDevice), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2DAsync(a.data(), 8, b.data(), 8, 8, 3, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(a.data(), 0, bytes + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(host, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  expect_success(cudaGetLastError());
  expect_success(cudaMemcpy(host, a.data(), bytes, cudaMemcpyDefault));
  EXPECT_EQ(host[0], -1);
}

TEST(DeviceMemoryDeathTest, TheHostCannotTouchIt) {
  const DeviceArray<int> values(std::vector<int>{1, 2, 3, 4});
  EXPECT_DEATH(values.data()[2] = 5, "the host touched device memory: byte 8 of allocation .* 16 bytes of device");
  EXPECT_DEATH(static_cast<void>(*const_cast<volatile int*>(values.data())), "the host touched device memory");
  // Not after work has run, either.
  run(put, values.data(), 0, 9);
  EXPECT_DEATH(static_cast<void>(*const_cast<volatile int*>(values.data())), "the host touched device memory");
}

__global__ void let_the_host_touch(int* values) {
  std::thread([values] { *values = 1; }).join();
}

TEST(DeviceMemoryDeathTest, TheHostCannotTouchItWhileAKernelRuns) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer has no threads in the child of a death test";
#endif
  const DeviceArray<int> values(4);
  EXPECT_DEATH(run(let_the_host_touch, values.data()), "cuda_on_cpu: the host touched device memory: byte 0 of");
}

TEST(DeviceMemoryDeathTest, OutOfBoundsFaults) {
  const DeviceArray<int> values(4), odd(5);
  EXPECT_DEATH(run(put, values.data(), 4, 0),
               "kernel .*put.*, block \\(0, 0, 0\\).*out of bounds: 0 bytes behind the end of allocation");
  EXPECT_DEATH(run(put, values.data(), 14, 0), "out of bounds: 40 bytes behind");
  EXPECT_DEATH(run(put, values.data(), -2000, 0), "out of bounds by 8000 bytes before");
  // What lies in the same page as the memory is looked at after the kernel.
  EXPECT_DEATH(run(put, odd.data(), 5, 0), "something wrote behind allocation .* 20 bytes");
  EXPECT_DEATH(run(put, odd.data(), -1, 0), "something wrote before allocation");
}

TEST(DeviceMemoryDeathTest, UseAfterFreeFaults) {
  int* data = nullptr;
  expect_success(cudaMalloc(&data, 16));
  expect_success(cudaFree(data));
  EXPECT_EQ(cudaFree(data), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(data, 0, 4), cudaErrorInvalidValue);
  EXPECT_DEATH(run(put, data, 1, 0), "use after free of allocation .* 16 bytes");
}

TEST(DeviceMemoryDeathTest, HostMemoryIsNoArgument) {
  int on_stack = 0;
  const std::vector<int> on_heap(4);
  const DeviceArray<int> values(1);
  EXPECT_DEATH(run(copy_one, values.data(), &on_stack), "kernel .*copy_one.* a pointer to host memory");
  EXPECT_DEATH(run(copy_one, values.data(), on_heap.data()), "kernel .*copy_one.* a pointer to host memory");
}

TEST(PinnedMemory, IsWithinReachOfBoth) {
  int* pinned = nullptr;
  expect_success(cudaMallocHost(&pinned, 4 * sizeof(int)));
  EXPECT_EQ(pinned[3], -1);
  pinned[0] = 7;
  const DeviceArray<int> value(1);
  run(copy_one, value.data(), pinned);
  EXPECT_EQ(value.get()[0], 7);
  expect_success(cudaFreeHost(pinned));
  EXPECT_EQ(cudaFreeHost(pinned), cudaErrorInvalidValue);
}

TEST(PinnedMemoryDeathTest, FreedUnderACopyIsFound) {
  const DeviceArray<int> values(4);
  const auto free_too_early = [&] {
    const TestStream stream;
    int* pinned = nullptr;
    cudaMallocHost(&pinned, 16);
    cudaMemcpyAsync(values.data(), pinned, 16, cudaMemcpyHostToDevice, stream);
    cudaFreeHost(pinned);
    cudaStreamSynchronize(stream);
  };
  EXPECT_DEATH(free_too_early(), "a copy of allocation .*16 bytes of pinned memory.* runs after its free");
}

TEST(Pool, FreesInTheOrderOfTheStream) {
  const TestStream stream;
  int* data = nullptr;
  expect_success(cudaMallocAsync(&data, 16, stream));
  const DeviceArray<int> result(1);
  expect_success(launch({1, 1, 0, stream}, put, data, 0, 5));
  expect_success(launch({1, 1, 0, stream}, copy_one, result.data(), data));
  // Queued behind the kernels, which haven't run yet.
  expect_success(cudaFreeAsync(data, stream));
  EXPECT_EQ(cudaFreeAsync(data, stream), cudaErrorInvalidValue);
  expect_success(cudaStreamSynchronize(stream));
  EXPECT_EQ(result.get()[0], 5);
  EXPECT_DEATH(run(put, data, 0, 0), "use after free");
}

TEST(PoolDeathTest, AnotherStreamMayNotHurry) {
  const auto hurry = [] {
    const TestStream first, second;
    int* data = nullptr;
    cudaMallocAsync(&data, 16, first);
    launch({1, 1, 0, second}, put, data, 0, 5);
    cudaStreamSynchronize(second);
  };
  EXPECT_DEATH(hurry(), "is used before its stream has allocated it");
}

uint64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr attr) {
  uint64_t value = 0;
  expect_success(cudaMemPoolGetAttribute(pool, attr, &value));
  return value;
}

cudaMemPool_t make_pool() {
  cudaMemPoolProps props{};
  props.allocType = cudaMemAllocationTypePinned;
  props.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool = nullptr;
  expect_success(cudaMemPoolCreate(&pool, &props));
  return pool;
}

TEST(Pool, KeepsWhatIsFreedUpToItsThreshold) {
  const size_t free_before = free_bytes();
  cudaMemPool_t pool = make_pool();
  uint64_t threshold = 3000;
  expect_success(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  const TestStream stream;
  void *a = nullptr, *b = nullptr;
  expect_success(cudaMallocFromPoolAsync(&a, 4000, pool, stream));
  expect_success(cudaMallocFromPoolAsync(&b, 1000, pool, stream));
  EXPECT_EQ(attribute(pool, cudaMemPoolAttrUsedMemCurrent), 5000U);
  EXPECT_EQ(free_bytes(), free_before - 5000);
  // The next allocation of the stream may take the place of what it has freed, before anything has run.
  expect_success(cudaFreeAsync(a, stream));
  expect_success(cudaMallocFromPoolAsync(&a, 3500, pool, stream));
  EXPECT_EQ(attribute(pool, cudaMemPoolAttrReservedMemCurrent), 5000U);
  expect_success(cudaFreeAsync(a, stream));
  expect_success(cudaFreeAsync(b, stream));
  EXPECT_EQ(attribute(pool, cudaMemPoolAttrUsedMemCurrent), 0U);
  EXPECT_EQ(attribute(pool, cudaMemPoolAttrUsedMemHigh), 5000U);
  EXPECT_EQ(free_bytes(), free_before - 5000);
  expect_success(cudaStreamSynchronize(stream));
  EXPECT_EQ(attribute(pool, cudaMemPoolAttrReservedMemCurrent), 3000U);
  expect_success(cudaMemPoolTrimTo(pool, 1000));
  EXPECT_EQ(free_bytes(), free_before - 1000);
  uint64_t zero = 0;
  expect_success(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
  EXPECT_EQ(attribute(pool, cudaMemPoolAttrUsedMemHigh), 0U);
  expect_success(cudaMemPoolDestroy(pool));
  EXPECT_EQ(free_bytes(), free_before);
  EXPECT_EQ(cudaMemPoolTrimTo(pool, 0), cudaErrorInvalidValue);
}

/// The device has so many bytes while it lives.
class WithMemory {
 public:
  explicit WithMemory(size_t bytes) { cuda_on_cpu_set_memory(bytes); }
  ~WithMemory() { cuda_on_cpu_set_memory(size_t{4} << 30); }
  WithMemory(const WithMemory&) = delete;
  WithMemory& operator=(const WithMemory&) = delete;
};

TEST(DeviceMemory, Ends) {
  size_t free = 0, total = 0;
  expect_success(cudaMemGetInfo(&free, &total));
  EXPECT_EQ(total, size_t{4} << 30);
  const WithMemory limit(total - free + 10000);
  EXPECT_EQ(free_bytes(), 10000U);
  void *a = nullptr, *b = nullptr;
  EXPECT_EQ(cudaMalloc(&a, 10001), cudaErrorMemoryAllocation);
  EXPECT_EQ(a, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  expect_success(cudaMalloc(&a, 6000));
  EXPECT_EQ(cudaMallocAsync(&b, 4001, nullptr), cudaErrorMemoryAllocation);
  expect_success(cudaMallocAsync(&b, 4000, nullptr));
  EXPECT_EQ(free_bytes(), 0U);
  expect_success(cudaFree(a));
  expect_success(cudaFree(b));
  EXPECT_EQ(free_bytes(), 10000U);
  expect_success(cudaMalloc(&a, 10000));
  expect_success(cudaFree(a));
}

struct Floats {
  float of[100];
};

__global__ void show_shared(float* out, int* clean) {
  auto& shared = shared_memory<Floats>();
  if (threadIdx.x == 0) clean[blockIdx.x] = 1;
  for (const float x : shared.of)
    if (!isnan(x)) clean[blockIdx.x] = 0;
  __syncthreads();
  shared.of[threadIdx.x] = 1.0F;
  __syncthreads();
  out[threadIdx.x] = shared.of[threadIdx.x];
}
__global__ void write_shared(int index) { shared_memory<Floats>().of[index] = 1.0F; }

TEST(SharedMemory, IsUndefinedWhenABlockBegins) {
  const DeviceArray<float> out(100);
  const DeviceArray<int> clean(3);
  expect_success(launch({3, 100, sizeof(Floats)}, show_shared, out.data(), clean.data()));
  EXPECT_EQ(clean.get(), std::vector<int>(3, 1));
}

TEST(SharedMemoryDeathTest, IsAsLargeAsTheLaunchSays) {
  const auto write = [](size_t bytes, int index) {
    launch({1, 1, bytes}, write_shared, index);
    cudaDeviceSynchronize();
  };
  EXPECT_DEATH(write(sizeof(Floats) - 4, 0),
               "write_shared.* uses 400 bytes of shared memory, the launch asked for 396");
  EXPECT_DEATH(write(sizeof(Floats), 100), "out of bounds: 0 bytes behind the end of 400 bytes of shared memory");
}

__global__ void use_up_the_stack(int* out, int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  if (depth > 0) use_up_the_stack(out, depth - 1);
  *out = frame[0];
}

TEST(StackDeathTest, ThatIsUsedUpIsNamed) {
  const DeviceArray<int> out(1);
  run(use_up_the_stack, out.data(), 3);
  EXPECT_EQ(out.get()[0], 3);
  EXPECT_DEATH(run(use_up_the_stack, out.data(), 1000), "use_up_the_stack.*a thread's stack is used up");
}

}  // namespace
}  // namespace cuda_on_cpu::test
