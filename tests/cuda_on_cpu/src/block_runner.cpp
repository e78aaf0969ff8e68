// SPDX-License-Identifier: Apache-2.0
#include "block_runner.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cuda_on_cpu/block.hpp"
#include "kernel_name.hpp"
#include "run_order.hpp"
#include "shared_area.hpp"

namespace cuda_on_cpu {

uint3 thread_index, block_index;
dim3 block_size, grid_size;
unsigned lane;
WarpExchange* warp;
Fiber* running_fiber = nullptr;

namespace {

/// Why a lane's turn is over.
enum class Stop : uint8_t { kExit, kBlockBarrier, kWarp };
constexpr Site kExitSite{"the end of the kernel", "", 0};
constexpr unsigned kEnd = ~0U;

struct Warp {
  unsigned first = 0, lanes = 0;
  std::array<uint8_t, kWarp> order{};
  WarpExchange exchange;
};

struct Thread {
  uint3 index{};
  Fiber* fiber = nullptr;  ///< null before it starts and after it ends
};

/// The grid that is running. Only one is at a time, so this lives in one object that is used again.
struct Runner {
  const Launch* launch = nullptr;
  std::vector<uint64_t> blocks;  ///< their order; empty: as they come
  uint64_t block = 0, block_count = 0;

  std::array<Thread, 1024> threads;
  std::array<Warp, 32> warps;
  unsigned warp_count = 0;
  // Sets of warps, a bit each.
  uint32_t ready = 0, at_barrier = 0, ended = 0;
  Site barrier{};  ///< where those at the barrier wait

  unsigned warp = 0;      ///< whose round it is
  unsigned position = 0;  ///< lanes of it that have stopped, or the one that runs
  unsigned thread = 0;    ///< who runs
  Stop stop = Stop::kExit;
  Site site{};  ///< where the round's first lane has stopped
  void (*last)(WarpExchange&) = nullptr;

  unsigned fiber_count = 0;
  std::vector<Fiber*> idle;
  Fiber main;
};

// Never destroyed: kernels may run until the process ends.
Runner& r = *new Runner;
bool g_running = false;

std::string describe(const Site& site) {
  if (site.line == 0) return site.what;
  return std::string(site.what) + " (" + site.file + ":" + std::to_string(site.line) + ")";
}

inline bool same_place(const Site& a, const Site& b) {
  if (a.line == b.line && a.what == b.what && a.file == b.file) return true;
  return a.line == b.line && std::strcmp(a.what, b.what) == 0 && std::strcmp(a.file, b.file) == 0;
}

bool next_block() {
  if (r.block == r.block_count) return false;
  uint64_t i = r.blocks.empty() ? r.block : r.blocks[r.block];
  ++r.block;
  block_index.x = static_cast<unsigned>(i % grid_size.x);
  i /= grid_size.x;
  block_index.y = static_cast<unsigned>(i % grid_size.y);
  block_index.z = static_cast<unsigned>(i / grid_size.y);
  refill_shared();
  r.ready = r.warp_count == 32 ? ~0U : (1U << r.warp_count) - 1;
  r.at_barrier = r.ended = 0;
  for (unsigned w = 0; w < r.warp_count; ++w) order_lanes({r.warps[w].order.data(), r.warps[w].lanes});
  return true;
}

/// Chooses the warp that runs next, and returns its first thread; kEnd after the last block.
unsigned next_round() {
  if (r.ready == 0) {
    if (r.at_barrier != 0 && r.ended != 0) {
      device_fault("some threads of the block wait at %s, others never reach it: those of warp %d have ended",
                   describe(r.barrier).c_str(), std::countr_zero(r.ended));
    }
    if (r.at_barrier != 0) {
      r.ready = r.at_barrier;
      r.at_barrier = 0;
    } else if (!next_block()) {
      return kEnd;
    }
  }
  r.warp = choose_warp(r.ready);
  r.position = 0;
  const Warp& w = r.warps[r.warp];
  return w.first + w.order[0];
}

/// All lanes of the warp have stopped, in the same place.
unsigned end_round() {
  Warp& w = r.warps[r.warp];
  const uint32_t bit = 1U << r.warp;
  switch (r.stop) {
    case Stop::kWarp:
      if (w.lanes != kWarp) {
        device_fault("%s in a warp of %u threads: all 32 lanes must be there", describe(r.site).c_str(), w.lanes);
      }
      if (r.last != nullptr) r.last(w.exchange);
      break;
    case Stop::kBlockBarrier:
      if (r.at_barrier != 0 && !same_place(r.barrier, r.site)) {
        device_fault("some threads of the block wait at %s, others at %s", describe(r.barrier).c_str(),
                     describe(r.site).c_str());
      }
      r.barrier = r.site;
      r.ready &= ~bit;
      r.at_barrier |= bit;
      break;
    case Stop::kExit:
      r.ready &= ~bit;
      r.ended |= bit;
      break;
  }
  return next_round();
}

/// The running thread stops; who is next?
inline unsigned advance(Stop stop, const Site& site) {
  if (r.position == 0) {
    r.stop = stop;
    r.site = site;
  } else if (stop != r.stop || !same_place(site, r.site)) {
    device_fault("the lanes of a warp part: lane %u is at %s, lane %u at %s", unsigned{r.warps[r.warp].order[0]},
                 describe(r.site).c_str(), lane, describe(site).c_str());
  }
  const Warp& w = r.warps[r.warp];
  if (++r.position < w.lanes) return w.first + w.order[r.position];
  return end_round();
}

inline void become(unsigned thread) {
  r.thread = thread;
  thread_index = r.threads[thread].index;
  lane = thread % kWarp;
  warp = &r.warps[r.warp].exchange;
}

void fiber_main();

Fiber& idle_fiber() {
  if (r.idle.empty()) return *new Fiber(fiber_main, r.fiber_count++);
  Fiber* const fiber = r.idle.back();
  r.idle.pop_back();
  return *fiber;
}

/// Runs threads that haven't begun, as long as their turn comes while no thread of its own waits here.
void fiber_main() {
  Fiber* const self = running_fiber;
  for (;;) {
    r.threads[r.thread].fiber = self;
    r.launch->call(r.launch->kernel, r.launch->arguments.get());
    r.threads[r.thread].fiber = nullptr;
    const unsigned next = advance(Stop::kExit, kExitSite);
    Fiber* to = &r.main;
    if (next != kEnd) {
      become(next);
      to = r.threads[next].fiber;
      if (to == nullptr) continue;
    }
    r.idle.push_back(self);
    running_fiber = to;
    Fiber::switch_to(*to, *self);
  }
}

/// The running thread stops; whose fiber is next? Null: it goes on itself.
inline Fiber* stop(Stop why, const Site& site) {
  const unsigned self = r.thread;
  const unsigned next = advance(why, site);
  become(next);
  if (next == self) return nullptr;
  Fiber* const waiting = r.threads[next].fiber;
  return waiting != nullptr ? waiting : &idle_fiber();
}

void lay_out_threads(const dim3& block) {
  const unsigned count = block.x * block.y * block.z;
  for (unsigned i = 0; i < count; ++i)
    r.threads[i] = {{i % block.x, i / block.x % block.y, i / block.x / block.y}, nullptr};
  r.warp_count = (count + kWarp - 1) / kWarp;
  for (unsigned w = 0; w < r.warp_count; ++w) {
    r.warps[w].first = w * kWarp;
    r.warps[w].lanes = std::min(kWarp, count - w * kWarp);
  }
}

}  // namespace

Fiber* stop_for_block(Site site) {
  if (!g_running) device_fault("%s outside a kernel", describe(site).c_str());
  return stop(Stop::kBlockBarrier, site);
}

Fiber* stop_for_warp(Site site, void (*last)(WarpExchange&)) {
  if (!g_running) device_fault("%s outside a kernel", describe(site).c_str());
  r.last = last;
  return stop(Stop::kWarp, site);
}

const Launch* running_kernel() { return g_running ? r.launch : nullptr; }

void run_kernel(const Launch& launch) {
  r.launch = &launch;
  grid_size = launch.grid;
  block_size = launch.block;
  r.block = 0;
  r.block_count = uint64_t{grid_size.x} * grid_size.y * grid_size.z;
  r.blocks = block_order(r.block_count);
  lay_out_threads(launch.block);
  ask_for_shared(launch.shared_bytes);
  g_running = true;
  r.ready = r.at_barrier = r.ended = 0;
  become(next_round());
  running_fiber = &idle_fiber();
  Fiber::switch_to(*running_fiber, r.main);
  g_running = false;
}

void device_fault(const char* format, ...) {
  std::fflush(stdout);
  if (const Launch* const launch = running_kernel(); launch != nullptr) {
    std::fprintf(stderr, "cuda_on_cpu: kernel %s, block (%u, %u, %u), thread (%u, %u, %u): ",
                 kernel_name(launch->kernel).c_str(), block_index.x, block_index.y, block_index.z, thread_index.x,
                 thread_index.y, thread_index.z);
  } else {
    std::fputs("cuda_on_cpu: ", stderr);
  }
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputc('\n', stderr);
  std::abort();
}

}  // namespace cuda_on_cpu
