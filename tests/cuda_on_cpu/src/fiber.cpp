// SPDX-License-Identifier: Apache-2.0
#include "cuda_on_cpu/fiber.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace cuda_on_cpu {
namespace {

constexpr size_t kPage = 4096;
// Sanitizers make frames several times larger.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kStack = 64 * kPage;
#else
constexpr size_t kStack = 16 * kPage;
#endif
// Wide, so that no frame steps over it.
constexpr size_t kGuard = 16 * kPage;
constexpr size_t kLine = 64;

const char* g_guards[1025];  // read by the handler of a fault: no container
size_t g_guard_count = 0;
Fiber* g_entered = nullptr;  // a new fiber finds itself here

}  // namespace

Fiber::Fiber(void (*main)(), unsigned number) : main_(main) {
  void* const memory = mmap(nullptr, kGuard + kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, kGuard, PROT_NONE) != 0) {
    std::perror("cuda_on_cpu: no memory for a fiber's stack");
    std::abort();
  }
  stack_ = static_cast<char*>(memory);
  if (g_guard_count < std::size(g_guards)) g_guards[g_guard_count++] = stack_;
  // Stacks that end at equal places in their pages would fight for the same few sets of the cache.
  const size_t colour = number * 7 % (kPage / kLine) * kLine;
  stack_low_ = stack_ + kGuard;
  stack_size_ = kStack - colour;
#if defined(__SANITIZE_THREAD__)
  sanitizer_state_ = __tsan_create_fiber(0);
#endif
  context_ = boost::context::detail::make_fcontext(stack_ + kGuard + stack_size_, stack_size_, enter);
  g_entered = this;
}

void Fiber::enter(boost::context::detail::transfer_t from) {
  Fiber* const self = g_entered;
  self->arrive(from);
  self->main_();
  std::abort();  // a fiber's main never returns
}

bool Fiber::is_stack_guard(const void* address) {
  for (size_t i = 0; i < g_guard_count; ++i) {
    if (address >= g_guards[i] && address < g_guards[i] + kGuard) return true;
  }
  return false;
}

}  // namespace cuda_on_cpu
