// SPDX-License-Identifier: Apache-2.0
// Device and pinned memory. Each allocation has its own pages between guard pages and ends where its pages end; device
// memory is out of reach unless device work runs; freed memory stays out of reach for a while.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cuda_on_cpu/runtime_api.hpp"

/// A pool hands out the device's memory and keeps what is freed up to its threshold.
struct CUmemPoolHandle_st {
  uint64_t threshold = 0, limit = 0;
  uint64_t used = 0, used_high = 0;
  uint64_t reserved = 0, reserved_high = 0;
  bool destroyed = false;  ///< and only there for what is still allocated from it
};

namespace cuda_on_cpu {

struct Allocation {
  enum class Kind : uint8_t { kDevice, kPinned };
  enum class State : uint8_t {
    kPromised,  ///< by cudaMallocAsync, until its stream gets there
    kLive,
    kFreed
  };
  Kind kind = Kind::kDevice;
  State state = State::kLive;
  bool free_queued = false;  ///< cudaFreeAsync has been called
  bool open = false;         ///< device work has touched it and is not yet done
  char* pages = nullptr;     ///< the guard page before it
  size_t page_bytes = 0;     ///< with both guard pages
  char* begin = nullptr;
  size_t size = 0;
  uint64_t number = 0;  ///< which one since the process began
  CUmemPoolHandle_st* pool = nullptr;
  int copies_on_the_way = 0;  ///< of cudaMemcpy, which had let go of the host's memory and not reached the device

  [[nodiscard]] bool holds(const void* p, size_t bytes) const {
    const char* const at = static_cast<const char*>(p);
    return at >= begin && at <= begin + size && bytes <= static_cast<size_t>(begin + size - at);
  }
};

/// New memory, filled with 0xFF. Null where the device (or the pool) hasn't that much left.
Allocation* allocate_device(size_t size, CUmemPoolHandle_st* pool, Allocation::State state);
Allocation* allocate_pinned(size_t size);
/// A promised allocation's stream has got there.
void keep_promise(Allocation& allocation);
/// Its bytes may be handed out again. For a free in a stream's order that is at once: what comes later in the stream
/// may have them.
void count_as_free(const Allocation& allocation);
/// Takes it out of reach.
void release(Allocation& allocation);

/// The allocation, live or not, in whose pages an address lies, guards included.
Allocation* find_allocation(const void* address);
/// The device may use what a plain cudaMemcpy wrote only when that has got there.
void check_copies_done(const Allocation& allocation, const char* user);
/// "allocation 12 of 4096 bytes of device memory at 0x…"
std::string describe(const Allocation& allocation);

void memory_info(size_t& free, size_t& total);
void trim(CUmemPoolHandle_st& pool, uint64_t keep);
/// What a synchronisation does: pools give back what they hold beyond their thresholds.
void trim_all();
CUmemPoolHandle_st* default_pool();
CUmemPoolHandle_st* new_pool(uint64_t limit);
bool is_pool(const CUmemPoolHandle_st* pool);
void delete_pool(CUmemPoolHandle_st* pool);

/// Opens a live allocation of the device that device work has touched for the first time, in the handler of the fault
/// that this makes: opening all of them each time would take longer than the work. False if it is not that.
bool open_on_touch(const void* address);

/// Whether the calling OS thread is the one that runs device work now.
bool runs_device_work();

/// While one lives, its thread runs device work and has access to the device's memory. They nest.
class DeviceAccess {
 public:
  DeviceAccess();
  ~DeviceAccess();
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;
};

}  // namespace cuda_on_cpu
