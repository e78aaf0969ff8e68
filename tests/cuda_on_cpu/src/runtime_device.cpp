// SPDX-License-Identifier: Apache-2.0
// The runtime API's calls about errors, the device and kernels.
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "block_runner.hpp"
#include "cuda_on_cpu/block.hpp"
#include "cuda_on_cpu/emulator.hpp"
#include "cuda_on_cpu/launch.hpp"
#include "device_memory.hpp"
#include "kernel_name.hpp"
#include "runtime_counts.hpp"
#include "runtime_error.hpp"
#include "shared_area.hpp"

namespace cuda_on_cpu {
namespace {

constexpr unsigned kMaxThreads = 1024;

thread_local cudaError_t t_last_error = cudaSuccess;

struct ErrorText {
  cudaError_t error;
  const char *name, *text;
};
#define CUDA_ON_CPU_ERROR(name, text) \
  { name, #name, text }
constexpr ErrorText kErrors[] = {
    CUDA_ON_CPU_ERROR(cudaSuccess, "no error"),
    CUDA_ON_CPU_ERROR(cudaErrorInvalidValue, "invalid argument"),
    CUDA_ON_CPU_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    CUDA_ON_CPU_ERROR(cudaErrorInitializationError, "initialization error"),
    CUDA_ON_CPU_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    CUDA_ON_CPU_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    CUDA_ON_CPU_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    CUDA_ON_CPU_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    CUDA_ON_CPU_ERROR(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    CUDA_ON_CPU_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    CUDA_ON_CPU_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    CUDA_ON_CPU_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    CUDA_ON_CPU_ERROR(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
    CUDA_ON_CPU_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    CUDA_ON_CPU_ERROR(cudaErrorNotReady, "device not ready"),
    CUDA_ON_CPU_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    CUDA_ON_CPU_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    CUDA_ON_CPU_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    CUDA_ON_CPU_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    CUDA_ON_CPU_ERROR(cudaErrorNotSupported, "operation not supported"),
    CUDA_ON_CPU_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef CUDA_ON_CPU_ERROR

const ErrorText* find_error(cudaError_t error) {
  for (const ErrorText& e : kErrors) {
    if (e.error == error) return &e;
  }
  return nullptr;
}

/// A number that a test has set, or another.
int from_environment(const char* name, int otherwise) {
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return otherwise;
  char* end = nullptr;
  const long number = std::strtol(value, &end, 10);
  if (*end != '\0' || number < 0) device_fault("%s is \"%s\"; it must be a number", name, value);
  return static_cast<int>(number);
}

/// Versions as CUDA packs them, 13.0 as 13000; 0: no driver.
int driver_version() { return from_environment("HAYAKOE_CUDA_DRIVER", CUDART_VERSION); }

int capability_from_environment() {
  const char* const value = std::getenv("HAYAKOE_CUDA_CC");
  if (value == nullptr || *value == '\0') return 90;
  int major = 0, minor = 0, end = 0;
  if (std::sscanf(value, "%d.%d%n", &major, &minor, &end) != 2 || value[end] != '\0' || minor > 9)
    device_fault("HAYAKOE_CUDA_CC is \"%s\"; it must be a compute capability like 9.0", value);
  return 10 * major + minor;
}

int& capability() {
  static int value = capability_from_environment();
  return value;
}

/// Shared memory that a block may have when it asks for more than usual, by compute capability.
int largest_shared() {
  switch (capability()) {
    case 75:
      return 64 << 10;
    case 80:
    case 87:
      return 163 << 10;
    case 86:
    case 89:
    case 120:
      return 99 << 10;
    default:
      return static_cast<int>(kSharedLargest);
  }
}

/// Shared memory that kernels may ask for, where it isn't the usual limit.
std::unordered_map<const void*, size_t>& shared_limits() {
  static auto* const limits = new std::unordered_map<const void*, size_t>;
  return *limits;
}

size_t shared_limit(const void* kernel) {
  const auto it = shared_limits().find(kernel);
  return it == shared_limits().end() ? kSharedDefault : it->second;
}

bool valid_size(const dim3& grid, const dim3& block) {
  const bool grid_fits =
      grid.x >= 1 && grid.x <= 0x7fffffffU && grid.y >= 1 && grid.y <= 65535 && grid.z >= 1 && grid.z <= 65535;
  const bool block_fits = block.x >= 1 && block.x <= kMaxThreads && block.y >= 1 && block.y <= kMaxThreads &&
                          block.z >= 1 && block.z <= 64 && block.x * block.y * block.z <= kMaxThreads;
  return grid_fits && block_fits;
}

/// What the arguments point to must have arrived.
void check_arrived(const Launch& launch) {
  for (const uint64_t word : launch.words) {
    const Allocation* const a = find_allocation(reinterpret_cast<const void*>(word));
    if (a != nullptr && a->copies_on_the_way > 0)
      check_copies_done(*a, ("kernel " + kernel_name(launch.kernel)).c_str());
  }
}

/// Host memory is out of a kernel's reach, but the emulated kernel would read it without complaint.
void check_words(const Launch& launch) {
  for (size_t i = 0; i < launch.words.size(); ++i) {
    const uint64_t word = launch.words[i];
    // Lower ones are numbers, higher ones are no addresses of a process.
    if (word < (uint64_t{1} << 32) || word >= (uint64_t{1} << 47)) continue;
    const auto* const address = reinterpret_cast<const char*>(word);
    if (find_allocation(address) != nullptr) continue;
    unsigned char resident = 0;
    if (mincore(const_cast<char*>(address) - word % 4096, 1, &resident) == 0) {
      device_fault("kernel %s is given a pointer to host memory (%p, word %zu of its arguments)",
                   kernel_name(launch.kernel).c_str(), static_cast<const void*>(address), i);
    }
  }
}

void fill_properties(cudaDeviceProp& p) {
  p = {};
  std::snprintf(p.name, sizeof(p.name), "emulated on the CPU");
  size_t free = 0;
  memory_info(free, p.totalGlobalMem);
  p.sharedMemPerBlock = kSharedDefault;
  p.regsPerBlock = 65536;
  p.warpSize = 32;
  p.maxThreadsPerBlock = kMaxThreads;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = kMaxThreads;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 0x7fffffff;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.major = capability() / 10;
  p.minor = capability() % 10;
  p.multiProcessorCount = 2;
  p.concurrentKernels = p.unifiedAddressing = p.canMapHostMemory = p.memoryPoolsSupported = 1;
  p.l2CacheSize = 4 << 20;
  p.maxThreadsPerMultiProcessor = capability() == 75 ? 1024 : 2048;
  p.sharedMemPerBlockOptin = static_cast<size_t>(largest_shared());
  p.sharedMemPerMultiprocessor = p.sharedMemPerBlockOptin + 1024;
}

}  // namespace

int compute_capability() { return capability(); }

Counts& counts() {
  static Counts c;
  return c;
}

cudaError_t device_state() {
  static const cudaError_t state = [] {
    if (driver_version() < CUDART_VERSION) return cudaErrorInsufficientDriver;
    return from_environment("HAYAKOE_CUDA_DEVICES", 1) == 0 ? cudaErrorNoDevice : cudaSuccess;
  }();
  return state;
}

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) t_last_error = error;
  return error;
}

cudaError_t unsupported_launch() { return remember(cudaErrorNotSupported); }

cudaError_t enqueue(Launch&& launch, cudaStream_t handle) {
  return api_call([&] {
    CUstream_st* const stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (launch.kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    if (!valid_size(launch.grid, launch.block)) return cudaErrorInvalidConfiguration;
    if (launch.shared_bytes > shared_limit(launch.kernel)) return cudaErrorInvalidValue;
    check_words(launch);
    enqueue(*stream, [l = std::move(launch)] {
      ++counts().launches;
      check_arrived(l);
      run_kernel(l);
    });
    return cudaSuccess;
  });
}

}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

void cuda_on_cpu_set_compute_capability(int capability) { cuda_on_cpu::capability() = capability; }
void cuda_on_cpu_read_counts(Counts* to) {
  const std::lock_guard lock(runtime_mutex());
  *to = counts();
}

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* const e = find_error(error);
  return e != nullptr ? e->text : "unrecognized error code";
}

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* const e = find_error(error);
  return e != nullptr ? e->name : "unrecognized error code";
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = t_last_error;
  t_last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() { return t_last_error; }

cudaError_t cudaGetDeviceCount(int* count) {
  if (count != nullptr) *count = 0;
  return api_call([&] {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = 1;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return api_call([&] { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaGetDevice(int* device) {
  return api_call([&] {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  return api_call([&] {
    if (prop == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    fill_properties(*prop);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  return api_call([&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    cudaDeviceProp p;
    fill_properties(p);
    switch (attr) {
      case cudaDevAttrMaxThreadsPerBlock:
        *value = p.maxThreadsPerBlock;
        break;
      case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = static_cast<int>(p.sharedMemPerBlock);
        break;
      case cudaDevAttrWarpSize:
        *value = p.warpSize;
        break;
      case cudaDevAttrMultiProcessorCount:
        *value = p.multiProcessorCount;
        break;
      case cudaDevAttrIntegrated:
        *value = p.integrated;
        break;
      case cudaDevAttrUnifiedAddressing:
        *value = p.unifiedAddressing;
        break;
      case cudaDevAttrComputeCapabilityMajor:
        *value = p.major;
        break;
      case cudaDevAttrComputeCapabilityMinor:
        *value = p.minor;
        break;
      case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = static_cast<int>(p.sharedMemPerBlockOptin);
        break;
      case cudaDevAttrMemoryPoolsSupported:
        *value = p.memoryPoolsSupported;
        break;
      default:
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* driverVersion) {
  if (driverVersion == nullptr) return remember(cudaErrorInvalidValue);
  *driverVersion = driver_version();
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) {
  if (runtimeVersion == nullptr) return remember(cudaErrorInvalidValue);
  *runtimeVersion = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* func, cudaFuncAttribute attr, int value) {
  return api_call([&] {
    if (func == nullptr) return cudaErrorInvalidDeviceFunction;
    if (attr == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
    if (attr != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 || value > largest_shared())
      return cudaErrorInvalidValue;
    shared_limits()[func] = static_cast<size_t>(value);
    return cudaSuccess;
  });
}
