// SPDX-License-Identifier: Apache-2.0
// The threads that all requests of a device share.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace hayakoe::device {

/// A fixed set of threads for data-parallel loops. A loop is cut into tasks that threads take one by one, the caller
/// among them: where other programs keep a thread from running, the others do its share. Several callers at once share
/// the threads, and as many fewer workers help them: no more threads run than the pool has.
///
/// Not OpenMP: its teams belong to the calling thread (two requests would run twice as many threads as there are
/// cores), its barriers wait for every member, and while they wait they spin, which slows whatever else the machine
/// does.
class ThreadPool {
 public:
  /// `threads` in all, the caller counted: 1 starts none.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls task(i) once for each 0 ≤ i < n and returns when all are done. Inside a task it runs on the calling thread
  /// alone. Tasks must not throw.
  template <typename F>
  void run(int64_t n, const F& task) {
    if (n <= 1 || workers_.empty() || inside_task()) {
      for (int64_t i = 0; i < n; ++i) task(i);
      return;
    }
    run_shared(
        n, [](const void* f, int64_t i) { (*static_cast<const F*>(f))(i); }, &task);
  }

  /// Calls f(i) for 0 ≤ i < n, several to a task; `work` is the number of element operations of one.
  template <typename F>
  void for_each(int64_t n, int64_t work, const F& f) {
    // About what a core does in the few microseconds that waking another takes.
    constexpr int64_t kWorthATask = 16384;
    const int64_t most = std::max<int64_t>(1, n * std::max<int64_t>(work, 1) / kWorthATask);
    // Several tasks a thread, so that an unlucky thread holds nobody up for long.
    const int64_t tasks = std::min({n, most, int64_t{4} * threads()});
    run(tasks, [&](int64_t t) {
      for (int64_t i = n * t / tasks; i < n * (t + 1) / tasks; ++i) f(i);
    });
  }

 private:
  using Call = void (*)(const void*, int64_t);
  struct Job {
    Call call = nullptr;
    const void* task = nullptr;
    int64_t count = 0;
    std::atomic<int64_t> next{0};  // first task that nobody has taken
    std::atomic<int> helpers{0};   // workers that may still touch this job
  };

  static bool& inside_task();
  static void work_on(Job& job);
  void run_shared(int64_t n, Call call, const void* task);
  void worker();
  // Under mutex_: a job with tasks left, its helpers counted up; null if there is none.
  Job* attach();
  // Under mutex_: whether callers and workers are as many as there should be threads.
  [[nodiscard]] bool crowded() const { return jobs_.size() + helping_.load() > workers_.size(); }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::list<Job*> jobs_;             // one a caller
  std::atomic<size_t> helping_{0};   // workers that work on one
  std::atomic<uint64_t> posted_{0};  // jobs so far: what an idle worker watches before it sleeps
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace hayakoe::device
