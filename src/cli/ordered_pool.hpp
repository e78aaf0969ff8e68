// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace hayakoe::cli {

/// Works on lines with several threads and hands the results on in the order of the lines, each as soon as it and those
/// before it are done. No more than a fixed number of lines is held at a time.
class OrderedPool {
 public:
  /// `work` is called by several threads at once. `emit` is called by one thread; `last` is true if no further result
  /// is ready yet, so that a buffer should be flushed.
  using Work = std::function<std::string(const std::string& line)>;
  using Emit = std::function<void(const std::string& result, bool last)>;

  OrderedPool(int threads, Work work, Emit emit);
  /// Drops what is not done yet.
  ~OrderedPool();
  OrderedPool(const OrderedPool&) = delete;
  OrderedPool& operator=(const OrderedPool&) = delete;

  /// Waits while too many lines are under way. Returns false once `work` or `emit` has failed: nothing more will come.
  bool add(std::string line);

  /// Waits until everything has been handed on. Throws what `work` or `emit` threw.
  void finish();

 private:
  struct Job {
    std::string text;  // the line, then its result
    bool done = false;
  };

  void work_on_lines();
  void emit_results();
  void fail();

  Work work_;
  Emit emit_;
  std::size_t most_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> jobs_;  // in order; the front is the next to be handed on
  std::size_t started_ = 0;                // of jobs_, how many some thread has taken
  bool closed_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

}  // namespace hayakoe::cli
