// SPDX-License-Identifier: Apache-2.0
// The runtime API's calls that allocate and free.
#include <algorithm>

#include "cuda_on_cpu/block.hpp"
#include "device_memory.hpp"
#include "runtime_error.hpp"
#include "streams.hpp"

namespace cuda_on_cpu {
namespace {

/// Where there is too little memory, frees that are queued may help.
Allocation* allocate_or_wait(size_t size, CUmemPoolHandle_st* pool, Allocation::State state) {
  Allocation* a = allocate_device(size, pool, state);
  if (a != nullptr) return a;
  run_everything();
  trim_all();
  return allocate_device(size, pool, state);
}

/// The allocation that begins here and that nobody has freed.
Allocation* find_beginning(void* pointer, Allocation::Kind kind) {
  Allocation* const a = find_allocation(pointer);
  const bool fits = a != nullptr && a->begin == pointer && a->kind == kind && !a->free_queued &&
                    a->state != Allocation::State::kFreed;
  return fits ? a : nullptr;
}

cudaError_t allocate_in_order(void** pointer, size_t size, CUmemPoolHandle_st* pool, cudaStream_t handle) {
  CUstream_st* const stream = find_stream(handle);
  if (pointer == nullptr || pool == nullptr) return cudaErrorInvalidValue;
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  *pointer = nullptr;
  if (size == 0) return cudaSuccess;
  Allocation* const a = allocate_or_wait(size, pool, Allocation::State::kPromised);
  if (a == nullptr) return cudaErrorMemoryAllocation;
  enqueue(*stream, [a] { keep_promise(*a); });
  *pointer = a->begin;
  return cudaSuccess;
}

cudaError_t set_attribute(CUmemPoolHandle_st& pool, cudaMemPoolAttr attr, const void* value) {
  switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      return cudaSuccess;  // nothing is reused here
    case cudaMemPoolAttrReleaseThreshold:
      pool.threshold = *static_cast<const uint64_t*>(value);
      return cudaSuccess;
    default:
      break;
  }
  // High-water marks can be reset to zero, which means to what there is now.
  if (*static_cast<const uint64_t*>(value) != 0) return cudaErrorInvalidValue;
  if (attr == cudaMemPoolAttrUsedMemHigh) {
    pool.used_high = pool.used;
  } else if (attr == cudaMemPoolAttrReservedMemHigh) {
    pool.reserved_high = pool.reserved;
  } else {
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

cudaError_t get_attribute(const CUmemPoolHandle_st& pool, cudaMemPoolAttr attr, void* value) {
  const auto give = [&](uint64_t v) {
    *static_cast<uint64_t*>(value) = v;
    return cudaSuccess;
  };
  switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      *static_cast<int*>(value) = 1;
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
      return give(pool.threshold);
    case cudaMemPoolAttrReservedMemCurrent:
      return give(pool.reserved);
    case cudaMemPoolAttrReservedMemHigh:
      return give(pool.reserved_high);
    case cudaMemPoolAttrUsedMemCurrent:
      return give(pool.used);
    case cudaMemPoolAttrUsedMemHigh:
      return give(pool.used_high);
  }
  return cudaErrorInvalidValue;
}

}  // namespace
}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return api_call([&] {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    memory_info(*free, *total);
    return cudaSuccess;
  });
}

cudaError_t cudaMalloc(void** devPtr, size_t size) {
  return api_call([&] {
    if (devPtr == nullptr) return cudaErrorInvalidValue;
    *devPtr = nullptr;
    if (size == 0) return cudaSuccess;
    const Allocation* const a = allocate_or_wait(size, nullptr, Allocation::State::kLive);
    if (a == nullptr) return cudaErrorMemoryAllocation;
    *devPtr = a->begin;
    return cudaSuccess;
  });
}

cudaError_t cudaFree(void* devPtr) {
  return api_call([&] {
    run_everything();
    if (devPtr == nullptr) return cudaSuccess;
    Allocation* const a = find_beginning(devPtr, Allocation::Kind::kDevice);
    if (a == nullptr) return cudaErrorInvalidValue;
    count_as_free(*a);
    release(*a);
    trim_all();
    return cudaSuccess;
  });
}

cudaError_t cudaMallocHost(void** ptr, size_t size) { return cudaHostAlloc(ptr, size, cudaHostAllocDefault); }

cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int flags) {
  return api_call([&] {
    constexpr unsigned kKnown = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (pHost == nullptr || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    *pHost = nullptr;
    if (size == 0) return cudaSuccess;
    const Allocation* const a = allocate_pinned(size);
    if (a == nullptr) return cudaErrorMemoryAllocation;
    *pHost = a->begin;
    return cudaSuccess;
  });
}

cudaError_t cudaFreeHost(void* ptr) {
  return api_call([&] {
    if (ptr == nullptr) return cudaSuccess;
    // Nothing says that this waits for copies in flight.
    Allocation* const a = find_beginning(ptr, Allocation::Kind::kPinned);
    if (a == nullptr) return cudaErrorInvalidValue;
    release(*a);
    return cudaSuccess;
  });
}

cudaError_t cudaMallocAsync(void** devPtr, size_t size, cudaStream_t hStream) {
  return api_call([&] { return allocate_in_order(devPtr, size, default_pool(), hStream); });
}

cudaError_t cudaMallocFromPoolAsync(void** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  return api_call([&] { return allocate_in_order(ptr, size, is_pool(memPool) ? memPool : nullptr, stream); });
}

cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t hStream) {
  return api_call([&] {
    CUstream_st* const stream = find_stream(hStream);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (devPtr == nullptr) return cudaSuccess;
    Allocation* const a = find_beginning(devPtr, Allocation::Kind::kDevice);
    if (a == nullptr) return cudaErrorInvalidValue;
    a->free_queued = true;
    count_as_free(*a);
    enqueue(*stream, [a] {
      if (a->state == Allocation::State::kPromised)
        device_fault("%s is freed before its stream has allocated it", describe(*a).c_str());
      release(*a);
    });
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* memPool, int device) {
  return api_call([&] {
    if (memPool == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *memPool = default_pool();
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* memPool, const cudaMemPoolProps* poolProps) {
  return api_call([&] {
    if (memPool == nullptr || poolProps == nullptr) return cudaErrorInvalidValue;
    const cudaMemPoolProps& p = *poolProps;
    const bool reserved_clear =
        std::all_of(std::begin(p.reserved), std::end(p.reserved), [](auto c) { return c == 0; });
    if (p.allocType != cudaMemAllocationTypePinned || p.location.type != cudaMemLocationTypeDevice ||
        p.win32SecurityAttributes != nullptr || !reserved_clear)
      return cudaErrorInvalidValue;
    if (p.location.id != 0) return cudaErrorInvalidDevice;
    *memPool = new_pool(p.maxSize);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool) {
  return api_call([&] {
    if (!is_pool(memPool) || memPool == default_pool()) return cudaErrorInvalidValue;
    // What is still allocated lives on; the pool goes when the last of it has been freed.
    delete_pool(memPool);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
  return api_call([&] {
    if (!is_pool(memPool) || value == nullptr) return cudaErrorInvalidValue;
    return set_attribute(*memPool, attr, value);
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
  return api_call([&] {
    if (!is_pool(memPool) || value == nullptr) return cudaErrorInvalidValue;
    return get_attribute(*memPool, attr, value);
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep) {
  return api_call([&] {
    if (!is_pool(memPool)) return cudaErrorInvalidValue;
    trim(*memPool, minBytesToKeep);
    return cudaSuccess;
  });
}
