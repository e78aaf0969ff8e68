// SPDX-License-Identifier: Apache-2.0
#include "shared_area.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cuda_on_cpu/block.hpp"

namespace cuda_on_cpu {

std::byte* shared_begin = nullptr;
size_t shared_bytes = 0;

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kArea = (kSharedLargest + kPage - 1) / kPage * kPage;

std::byte* map_area() {
  void* const memory = mmap(nullptr, kArea + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(static_cast<std::byte*>(memory) + kArea, kPage, PROT_NONE) != 0) {
    std::perror("cuda_on_cpu: no memory for a block's shared memory");
    std::abort();
  }
  return static_cast<std::byte*>(memory) + kArea;
}

std::byte* area_end() {
  static std::byte* const end = map_area();
  return end;
}

}  // namespace

void ask_for_shared(size_t bytes) {
  shared_bytes = bytes;
  shared_begin = area_end() - (bytes + 15) / 16 * 16;
}

void refill_shared() {
  if (shared_bytes > 0) std::memset(shared_begin, 0xff, static_cast<size_t>(area_end() - shared_begin));
}

bool is_shared_guard(const void* address) {
  return shared_begin != nullptr && address >= area_end() && address < area_end() + kPage;
}

}  // namespace cuda_on_cpu
