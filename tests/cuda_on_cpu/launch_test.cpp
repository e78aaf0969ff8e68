// SPDX-License-Identifier: Apache-2.0
// Launches and the device of the emulation: limits, errors and what it says of itself.
#include <cstdlib>
#include <string>

#include "test_helpers.hpp"

namespace cuda_on_cpu::test {
namespace {

__global__ void nothing() {}
__global__ void count_threads(unsigned* count) { ++*count; }

cudaError_t launched(dim3 grid, dim3 block, size_t shared_bytes = 0) {
  const cudaError_t error = launch({grid, block, shared_bytes}, nothing);
  cudaGetLastError();
  return error;
}

TEST(Launch, SizesThatNoDeviceTakesAreRefused) {
  EXPECT_EQ(launched(1, 1025), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launched(1, dim3(32, 32, 2)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launched(1, dim3(1, 1, 65)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launched(1, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launched(0, 1), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launched(dim3(1, 65536), 1), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launched(dim3(1, 1, 65536), 1), cudaErrorInvalidConfiguration);
  expect_success(launched(1, dim3(4, 4, 64)));
}

TEST(Launch, RunsEveryThreadOfTheLargestBlock) {
  const DeviceArray<unsigned> count(std::vector<unsigned>{0});
  expect_success(launch({dim3(7, 2, 3), 1024}, count_threads, count.data()));
  EXPECT_EQ(count.get()[0], 7U * 2 * 3 * 1024);
}

TEST(Launch, MoreThan48KilobytesOfSharedMemoryMustBeAskedFor) {
  expect_success(launched(1, 1, 48 << 10));
  EXPECT_EQ(launched(1, 1, (48 << 10) + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, (227 << 10) + 1),
            cudaErrorInvalidValue);
  cudaGetLastError();
  expect_success(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
  expect_success(launched(1, 1, 100 << 10));
  EXPECT_EQ(launched(1, 1, (100 << 10) + 1), cudaErrorInvalidValue);
  expect_success(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 48 << 10));
}

TEST(Errors, StayUntilTheyAreRead) {
  EXPECT_EQ(launch({1, 2000}, nothing), cudaErrorInvalidConfiguration);
  expect_success(cudaSetDevice(0));
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
}

TEST(Device, SaysWhatItIs) {
  int count = 0, device = -1, driver = 0, runtime = 0;
  expect_success(cudaGetDeviceCount(&count));
  expect_success(cudaGetDevice(&device));
  EXPECT_EQ(count, 1);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  cudaGetLastError();
  expect_success(cudaDriverGetVersion(&driver));
  expect_success(cudaRuntimeGetVersion(&runtime));
  EXPECT_GE(driver, runtime);
  cuda_on_cpu_set_compute_capability(86);
  cudaDeviceProp p;
  expect_success(cudaGetDeviceProperties(&p, 0));
  cuda_on_cpu_set_compute_capability(90);
  EXPECT_STREQ(p.name, "emulated on the CPU");
  EXPECT_EQ(10 * p.major + p.minor, 86);
  EXPECT_EQ(p.sharedMemPerBlockOptin, 99U << 10);
  EXPECT_EQ(p.totalGlobalMem, size_t{4} << 30);
}

/// What the variables change is read once a process, so each is tried in a new one: the child of a death test.
void in_new_process(const char* name, const char* value, void (*check)()) {
  EXPECT_EXIT(
      {
        setenv(name, value, 1);
        check();
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "")
      << name << "=" << value;
}

class EnvironmentDeathTest : public testing::Test {
 protected:
  // A new process that has called nothing yet.
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  void TearDown() override { GTEST_FLAG_SET(death_test_style, "fast"); }
};

TEST_F(EnvironmentDeathTest, DecidesWhatThereIs) {
  in_new_process("HAYAKOE_CUDA_DEVICES", "0", [] {
    int count = -1;
    EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
    EXPECT_EQ(count, 0);
  });
  in_new_process("HAYAKOE_CUDA_DRIVER", "0", [] {
    int count = -1, driver = -1;
    EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
    expect_success(cudaDriverGetVersion(&driver));
    EXPECT_EQ(driver, 0);
  });
  in_new_process("HAYAKOE_CUDA_MEMORY", "12345", [] {
    size_t free = 0, total = 0;
    expect_success(cudaMemGetInfo(&free, &total));
    EXPECT_EQ(total, 12345U);
    void* data = nullptr;
    EXPECT_EQ(cudaMalloc(&data, 12346), cudaErrorMemoryAllocation);
  });
  in_new_process("HAYAKOE_CUDA_CC", "7.5", [] {
    cudaDeviceProp p;
    expect_success(cudaGetDeviceProperties(&p, 0));
    EXPECT_EQ(10 * p.major + p.minor, 75);
  });
}

}  // namespace
}  // namespace cuda_on_cpu::test
