// SPDX-License-Identifier: Apache-2.0
// The handler reads tables without a lock: the thread that changes them holds the runtime's mutex and is this one, or
// the process is about to end. It formats text only then.
#include "faults.hpp"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

#include "block_runner.hpp"
#include "cuda_on_cpu/block.hpp"
#include "device_memory.hpp"
#include "kernel_name.hpp"
#include "shared_area.hpp"

namespace cuda_on_cpu {
namespace {

struct sigaction g_previous_segv, g_previous_bus;

const Launch* kernel_of_this_thread() { return runs_device_work() ? running_kernel() : nullptr; }

void print_who() {
  if (const Launch* const launch = kernel_of_this_thread(); launch != nullptr) {
    std::fprintf(stderr, "cuda_on_cpu: kernel %s, block (%u, %u, %u), thread (%u, %u, %u): ",
                 kernel_name(launch->kernel).c_str(), block_index.x, block_index.y, block_index.z, thread_index.x,
                 thread_index.y, thread_index.z);
  } else {
    std::fputs("cuda_on_cpu: ", stderr);
  }
}

void print_allocation(const Allocation& a, const char* at) {
  const std::string name = describe(a);
  if (a.state == Allocation::State::kFreed) {
    std::fprintf(stderr, "use after free of %s\n", name.c_str());
  } else if (at < a.begin) {
    std::fprintf(stderr, "out of bounds by %td bytes before %s\n", a.begin - at, name.c_str());
  } else if (at >= a.begin + a.size) {
    std::fprintf(stderr, "out of bounds: %td bytes behind the end of %s\n", at - (a.begin + a.size), name.c_str());
  } else if (a.state == Allocation::State::kPromised) {
    std::fprintf(stderr, "%s is used before its stream has allocated it (or by the host)\n", name.c_str());
  } else if (!runs_device_work()) {
    std::fprintf(stderr, "the host touched device memory: byte %td of %s\n", at - a.begin, name.c_str());
  } else {
    std::fprintf(stderr, "fault in %s\n", name.c_str());
  }
}

void handle(int /*signal*/, siginfo_t* info, void* /*context*/) {
  if (open_on_touch(info->si_addr)) return;  // and once more
  // Once: a fault in here must end the process.
  sigaction(SIGSEGV, &g_previous_segv, nullptr);
  sigaction(SIGBUS, &g_previous_bus, nullptr);
  const char* const at = static_cast<const char*>(info->si_addr);
  const Allocation* const a = find_allocation(at);
  const bool known = a != nullptr || is_shared_guard(at) || Fiber::is_stack_guard(at);
  if (known || kernel_of_this_thread() != nullptr) print_who();
  if (a != nullptr) {
    print_allocation(*a, at);
  } else if (is_shared_guard(at)) {
    std::fprintf(stderr, "out of bounds: %td bytes behind the end of %zu bytes of shared memory\n",
                 reinterpret_cast<const std::byte*>(at) - (shared_begin + shared_bytes), shared_bytes);
  } else if (Fiber::is_stack_guard(at)) {
    std::fputs("a thread's stack is used up\n", stderr);
  } else if (kernel_of_this_thread() != nullptr) {
    std::fprintf(stderr, "access to %p, which is no device memory\n", static_cast<const void*>(at));
  }
  std::fflush(stderr);
  // Back to the instruction, which faults again under the previous action.
}

/// A stack for signals, unless the thread has one (a sanitizer's).
class AlternateStack {
 public:
  AlternateStack() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
    memory_ = std::make_unique<char[]>(kBytes);
    set(memory_.get(), 0);
  }
  ~AlternateStack() {
    if (memory_ != nullptr) set(nullptr, SS_DISABLE);
  }
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;

 private:
  static constexpr size_t kBytes = size_t{64} << 10;
  static void set(void* memory, int flags) {
    stack_t stack{};
    stack.ss_sp = memory;
    stack.ss_size = kBytes;
    stack.ss_flags = flags;
    sigaltstack(&stack, nullptr);
  }
  std::unique_ptr<char[]> memory_;
};

}  // namespace

void install_fault_handler() {
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGSEGV, &action, &g_previous_segv) == 0 && sigaction(SIGBUS, &action, &g_previous_bus) == 0;
  }();
  static_cast<void>(installed);
}

void prepare_thread_for_faults() {
  install_fault_handler();
  thread_local const AlternateStack stack;
  static_cast<void>(stack);
}

}  // namespace cuda_on_cpu
