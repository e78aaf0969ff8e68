// SPDX-License-Identifier: Apache-2.0
#include "cli/ordered_pool.hpp"

#include <utility>

namespace hayakoe::cli {

// Enough that no thread runs dry while one of them has a long line.
constexpr std::size_t kLinesPerThread = 16;

OrderedPool::OrderedPool(int threads, Work work, Emit emit)
    : work_(std::move(work)), emit_(std::move(emit)), most_(kLinesPerThread * static_cast<std::size_t>(threads)) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work_on_lines(); });
  threads_.emplace_back([this] { emit_results(); });
}

OrderedPool::~OrderedPool() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    // What no thread has begun is given up; the rest is waited for.
    jobs_.resize(started_);
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

bool OrderedPool::add(std::string line) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return error_ || jobs_.size() < most_; });
    if (error_) return false;
    jobs_.push_back(std::make_shared<Job>(Job{std::move(line)}));
  }
  changed_.notify_all();
  return true;
}

void OrderedPool::finish() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  if (error_) std::rethrow_exception(error_);
}

void OrderedPool::work_on_lines() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return error_ || started_ < jobs_.size() || closed_; });
    if (error_ || started_ == jobs_.size()) return;
    const std::shared_ptr<Job> job = jobs_[started_++];
    lock.unlock();
    try {
      job->text = work_(job->text);
    } catch (...) {
      fail();
    }
    lock.lock();
    job->done = true;
    changed_.notify_all();
  }
}

void OrderedPool::emit_results() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return error_ || (jobs_.empty() ? closed_ : jobs_.front()->done); });
    if (error_ || jobs_.empty()) return;
    const std::shared_ptr<Job> job = std::move(jobs_.front());
    jobs_.pop_front();
    --started_;
    const bool last = jobs_.empty() || !jobs_.front()->done;
    lock.unlock();
    changed_.notify_all();
    try {
      emit_(job->text, last);
    } catch (...) {
      fail();
    }
    lock.lock();
  }
}

void OrderedPool::fail() {
  {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
  }
  changed_.notify_all();
}

}  // namespace hayakoe::cli
