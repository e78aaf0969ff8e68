// SPDX-License-Identifier: Apache-2.0
// Streams are lazy: work is queued, and runs when someone waits for it. Every operation has a number that grows over
// all streams; whoever must come after it has it run up to that number.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "cuda_on_cpu/runtime_api.hpp"

struct CUstream_st {
  struct Operation {
    uint64_t number = 0;
    std::function<void()> work;
  };
  bool blocking = true;  ///< keeps order with the null stream
  std::deque<Operation> queue;
};

namespace cuda_on_cpu {

/// An event's place in a stream.
struct Record {
  CUstream_st* stream = nullptr;
  uint64_t number = 0;
  bool done = false;
  std::chrono::steady_clock::time_point time;
};

/// Every entry of the API holds this: one OS thread at a time does anything.
std::recursive_mutex& runtime_mutex();

/// The stream behind a handle (null: the default stream); null if there is none.
CUstream_st* find_stream(cudaStream_t handle);
CUstream_st* new_stream(bool blocking);
/// Runs what is queued, and deletes it.
void delete_stream(CUstream_st* stream);

/// Queues work and returns its number.
uint64_t enqueue(CUstream_st& stream, std::function<void()> work);
/// Runs a stream's operations up to a number.
void run_until(CUstream_st& stream, uint64_t number);
void run_all(CUstream_st& stream);
void run_everything();
/// Runs the next operation; whether there was one.
bool run_one(CUstream_st& stream);

std::shared_ptr<Record> enqueue_record(CUstream_st& stream);
void run_until(const Record& record);

}  // namespace cuda_on_cpu

struct CUevent_st {
  bool timing = true;
  std::shared_ptr<cuda_on_cpu::Record> record;  ///< the latest
};
