// SPDX-License-Identifier: Apache-2.0
#include "device_memory.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "cuda_on_cpu/block.hpp"
#include "cuda_on_cpu/emulator.hpp"
#include "faults.hpp"

namespace cuda_on_cpu {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kAlign = 16;
/// How many freed allocations stay out of reach, so that their use is found.
constexpr size_t kRemembered = 4096;

size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

struct Memory {
  std::map<const char*, std::unique_ptr<Allocation>> by_pages;
  std::deque<Allocation*> freed;
  std::set<std::unique_ptr<CUmemPoolHandle_st>> pools;
  CUmemPoolHandle_st* default_pool = nullptr;
  size_t total = size_t{4} << 30;
  size_t used = 0;  ///< outside pools
  uint64_t count = 0;
  int access = 0;
  pthread_t worker{};  ///< who has access
  std::vector<Allocation*> open;
};

size_t total_from_environment(size_t otherwise) {
  const char* const value = std::getenv("HAYAKOE_CUDA_MEMORY");
  if (value == nullptr || *value == '\0') return otherwise;
  char* end = nullptr;
  const unsigned long long bytes = std::strtoull(value, &end, 10);
  if (*end != '\0') device_fault("HAYAKOE_CUDA_MEMORY is \"%s\"; it must be a number of bytes", value);
  return bytes;
}

Memory& memory() {
  // Never destroyed: the end of the program may still free things.
  static Memory* const m = [] {
    auto* const made = new Memory;
    made->total = total_from_environment(made->total);
    auto pool = std::make_unique<CUmemPoolHandle_st>();
    made->default_pool = pool.get();
    made->pools.insert(std::move(pool));
    return made;
  }();
  return *m;
}

size_t pools_hold() {
  size_t sum = 0;
  for (const auto& pool : memory().pools) sum += pool->reserved;
  return sum;
}

/// Counts `size` bytes as used, if there are so many.
bool take(size_t size, CUmemPoolHandle_st* pool) {
  Memory& m = memory();
  const size_t held = m.used + pools_hold();
  if (pool == nullptr) {
    if (held > m.total || size > m.total - held) return false;
    m.used += size;
    return true;
  }
  const size_t idle = pool->reserved - pool->used;
  const size_t grow = size > idle ? size - idle : 0;
  if (grow > 0 && (held > m.total || grow > m.total - held)) return false;
  if (pool->limit != 0 && pool->used + size > pool->limit) return false;
  pool->used += size;
  pool->reserved += grow;
  pool->used_high = std::max(pool->used_high, pool->used);
  pool->reserved_high = std::max(pool->reserved_high, pool->reserved);
  return true;
}

char* inner_pages(const Allocation& a) { return a.pages + kPage; }
size_t inner_bytes(const Allocation& a) { return a.page_bytes - 2 * kPage; }

void protect(const Allocation& a, int protection) {
  if (mprotect(inner_pages(a), inner_bytes(a), protection) != 0) {
    std::perror("cuda_on_cpu: the protection of device memory cannot be changed");
    std::abort();
  }
}

Allocation* map_allocation(size_t size, Allocation::Kind kind) {
  Memory& m = memory();
  install_fault_handler();
  auto a = std::make_unique<Allocation>();
  const size_t inner = round_up(std::max(size, size_t{1}), kPage);
  a->kind = kind;
  a->page_bytes = inner + 2 * kPage;
  void* const pages = mmap(nullptr, a->page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  a->pages = static_cast<char*>(pages);
  a->begin = inner_pages(*a) + inner - round_up(size, kAlign);
  a->size = size;
  a->number = ++m.count;
  Allocation* const result = a.get();
  m.by_pages.emplace(a->pages, std::move(a));
  // The handler of a fault must not allocate.
  if (m.open.capacity() < m.by_pages.size()) m.open.reserve(2 * m.by_pages.size());
  return result;
}

void fill(const Allocation& a) { std::memset(inner_pages(a), 0xff, inner_bytes(a)); }

void forget_oldest() {
  Memory& m = memory();
  Allocation* const oldest = m.freed.front();
  m.freed.pop_front();
  munmap(oldest->pages, oldest->page_bytes);
  m.by_pages.erase(oldest->pages);
}

/// The bytes of its pages around an allocation must be as they were.
void check_surroundings(const Allocation& a) {
  static const auto fresh = [] {
    std::array<char, kPage> bytes{};
    bytes.fill('\xff');
    return bytes;
  }();
  const auto untouched = [](const char* from, const char* to) {
    return std::memcmp(from, fresh.data(), static_cast<size_t>(to - from)) == 0;
  };
  if (!untouched(inner_pages(a), a.begin)) device_fault("something wrote before %s", describe(a).c_str());
  if (!untouched(a.begin + a.size, inner_pages(a) + inner_bytes(a)))
    device_fault("something wrote behind %s", describe(a).c_str());
}

void open(Allocation& a) {
  protect(a, PROT_READ | PROT_WRITE);
  a.open = true;
  memory().open.push_back(&a);
}

void close_all() {
  for (Allocation* const a : memory().open) {
    check_surroundings(*a);
    protect(*a, PROT_NONE);
    a->open = false;
  }
  memory().open.clear();
}

}  // namespace

Allocation* allocate_device(size_t size, CUmemPoolHandle_st* pool, Allocation::State state) {
  if (!take(size, pool)) return nullptr;
  Allocation* const a = map_allocation(size, Allocation::Kind::kDevice);
  if (a == nullptr) return nullptr;
  a->pool = pool;
  a->state = Allocation::State::kPromised;
  if (state == Allocation::State::kLive) keep_promise(*a);
  return a;
}

Allocation* allocate_pinned(size_t size) {
  Allocation* const a = map_allocation(size, Allocation::Kind::kPinned);
  if (a == nullptr) return nullptr;
  protect(*a, PROT_READ | PROT_WRITE);
  fill(*a);
  return a;
}

void keep_promise(Allocation& a) {
  a.state = Allocation::State::kLive;
  open(a);
  fill(a);
  if (memory().access == 0) close_all();
}

void count_as_free(const Allocation& a) {
  if (a.kind == Allocation::Kind::kDevice) (a.pool != nullptr ? a.pool->used : memory().used) -= a.size;
}

void release(Allocation& a) {
  Memory& m = memory();
  protect(a, PROT_READ | PROT_WRITE);
  check_surroundings(a);
  protect(a, PROT_NONE);
  if (a.open) std::erase(m.open, &a);
  a.open = false;
  madvise(inner_pages(a), inner_bytes(a), MADV_DONTNEED);
  a.state = Allocation::State::kFreed;
  m.freed.push_back(&a);
  if (m.freed.size() > kRemembered) forget_oldest();
}

Allocation* find_allocation(const void* address) {
  auto& map = memory().by_pages;
  auto it = map.upper_bound(static_cast<const char*>(address));
  if (it == map.begin()) return nullptr;
  --it;
  Allocation* const a = it->second.get();
  return static_cast<const char*>(address) < a->pages + a->page_bytes ? a : nullptr;
}

std::string describe(const Allocation& a) {
  char text[128];
  std::snprintf(text, sizeof(text), "allocation %llu, %zu bytes of %s memory at %p",
                static_cast<unsigned long long>(a.number), a.size,
                a.kind == Allocation::Kind::kDevice ? "device" : "pinned", static_cast<const void*>(a.begin));
  return text;
}

void check_copies_done(const Allocation& a, const char* user) {
  if (a.copies_on_the_way == 0) return;
  device_fault(
      "%s uses %s before a cudaMemcpy to it has reached the device: from memory that isn't pinned that returns as soon "
      "as the values are staged, and a non-blocking stream doesn't wait for the rest; synchronise the default stream "
      "after it",
      user, describe(a).c_str());
}

void memory_info(size_t& free, size_t& total) {
  const Memory& m = memory();
  const size_t held = m.used + pools_hold();
  total = m.total;
  free = held < total ? total - held : 0;
}

void trim(CUmemPoolHandle_st& pool, uint64_t keep) {
  pool.reserved = std::min(pool.reserved, std::max(pool.used, keep));
}

void trim_all() {
  for (const auto& pool : memory().pools) trim(*pool, pool->threshold);
}

CUmemPoolHandle_st* default_pool() { return memory().default_pool; }

CUmemPoolHandle_st* new_pool(uint64_t limit) {
  auto pool = std::make_unique<CUmemPoolHandle_st>();
  pool->limit = limit;
  return memory().pools.insert(std::move(pool)).first->get();
}

bool is_pool(const CUmemPoolHandle_st* pool) {
  const auto& pools = memory().pools;
  return std::any_of(pools.begin(), pools.end(), [&](const auto& p) { return p.get() == pool && !p->destroyed; });
}

void delete_pool(CUmemPoolHandle_st* pool) {
  pool->destroyed = true;
  pool->threshold = 0;
  trim(*pool, 0);
}

bool open_on_touch(const void* address) {
  if (!runs_device_work()) return false;
  Allocation* const a = find_allocation(address);
  if (a == nullptr || a->kind != Allocation::Kind::kDevice || a->state != Allocation::State::kLive || a->open)
    return false;
  const char* const at = static_cast<const char*>(address);
  if (at < inner_pages(*a) || at >= inner_pages(*a) + inner_bytes(*a)) return false;
  open(*a);
  return true;
}

bool runs_device_work() { return memory().access > 0 && pthread_equal(memory().worker, pthread_self()) != 0; }

DeviceAccess::DeviceAccess() {
  if (memory().access++ == 0) memory().worker = pthread_self();
}

DeviceAccess::~DeviceAccess() {
  if (--memory().access == 0) close_all();
}

}  // namespace cuda_on_cpu

void cuda_on_cpu_set_memory(size_t bytes) { cuda_on_cpu::memory().total = bytes; }
