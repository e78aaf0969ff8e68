// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/thread_pool.hpp"

namespace hayakoe::device {
namespace {

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// One operation follows the next within microseconds, less than sleeping and waking costs; more would be stolen from
// others. About 20 µs.
constexpr int kSpins = 500;

}  // namespace

bool& ThreadPool::inside_task() {
  thread_local bool inside = false;
  return inside;
}

ThreadPool::ThreadPool(int threads) {
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { worker(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& t : workers_) t.join();
}

void ThreadPool::work_on(Job& job) {
  inside_task() = true;
  for (int64_t i = job.next.fetch_add(1); i < job.count; i = job.next.fetch_add(1)) job.call(job.task, i);
  inside_task() = false;
}

void ThreadPool::run_shared(int64_t n, Call call, const void* task) {
  Job job;
  job.call = call;
  job.task = task;
  job.count = n;
  bool alone = false;
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(&job);
    posted_.fetch_add(1);
    alone = crowded();
  }
  if (alone) {
    // There is a caller for every core.
  } else if (n == 2) {
    wake_.notify_one();
  } else {
    wake_.notify_all();
  }
  work_on(job);
  {
    // Nobody can join in from here on.
    const std::lock_guard lock(mutex_);
    jobs_.remove(&job);
  }
  for (int spins = 0; job.helpers.load() != 0; ++spins) {
    if (spins < kSpins) {
      pause_briefly();
    } else {
      // A helper was kept from running in the midst of its task: let it.
      std::this_thread::yield();
    }
  }
}

ThreadPool::Job* ThreadPool::attach() {
  for (auto it = jobs_.begin(); it != jobs_.end(); ++it) {
    Job* job = *it;
    if (job->next.load() >= job->count) continue;
    job->helpers.fetch_add(1);
    helping_.fetch_add(1);
    // The next worker looks at another job first.
    jobs_.splice(jobs_.end(), jobs_, it);
    return job;
  }
  return nullptr;
}

void ThreadPool::worker() {
  while (true) {
    const uint64_t seen = posted_.load();
    Job* job = nullptr;
    bool wanted = false;
    {
      const std::lock_guard lock(mutex_);
      if (stop_) return;
      wanted = !crowded();
      if (wanted) job = attach();
    }
    if (job != nullptr) {
      work_on(*job);
      job->helpers.fetch_sub(1);
      helping_.fetch_sub(1);
      continue;
    }
    for (int spins = 0; wanted && spins < kSpins && posted_.load() == seen; ++spins) pause_briefly();
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return stop_ || (posted_.load() != seen && !crowded()); });
  }
}

}  // namespace hayakoe::device
