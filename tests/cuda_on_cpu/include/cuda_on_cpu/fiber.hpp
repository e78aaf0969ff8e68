// SPDX-License-Identifier: Apache-2.0
// Fibers over Boost.Context's bare switch, with guarded stacks that are used again and again.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace cuda_on_cpu {

class Fiber {
 public:
  /// The OS thread of the caller, as something to switch back to.
  Fiber() = default;
  /// A fiber that runs `main` (which never returns) when it is first switched to. `number` spreads the stacks' ends
  /// over the cache's sets. It lives as long as the process.
  Fiber(void (*main)(), unsigned number);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Leaves `from`, which must be the running one, until someone switches to it again.
  // Inline: the processor foresees no return from a function that was called in another fiber, so the fewer functions
  // lie between a kernel and its switch, the better.
  static void switch_to(Fiber& to, Fiber& from) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&from.sanitizer_state_, to.stack_low_, to.stack_size_);
#endif
#if defined(__SANITIZE_THREAD__)
    if (from.stack_ == nullptr) from.sanitizer_state_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to.sanitizer_state_, 0);
#endif
    from.arrive(boost::context::detail::jump_fcontext(to.context_, &from));
  }

  /// Whether an address lies in a fiber's guard page: its stack is used up.
  static bool is_stack_guard(const void* address);

 private:
  static void enter(boost::context::detail::transfer_t from);
  /// Back in this fiber: the one that was left can be switched to again.
  void arrive(boost::context::detail::transfer_t from) {
    auto* const left = static_cast<Fiber*>(from.data);
    left->context_ = from.fctx;
#if defined(__SANITIZE_ADDRESS__)
    const void* low = nullptr;
    size_t size = 0;
    __sanitizer_finish_switch_fiber(sanitizer_state_, &low, &size);
    if (left->stack_ == nullptr) {
      left->stack_low_ = low;
      left->stack_size_ = size;
    }
#endif
  }

  boost::context::detail::fcontext_t context_ = nullptr;
  void (*main_)() = nullptr;
  char* stack_ = nullptr;
  // What the sanitizers must know of a switch.
  void* sanitizer_state_ = nullptr;
  const void* stack_low_ = nullptr;
  size_t stack_size_ = 0;
};

}  // namespace cuda_on_cpu
