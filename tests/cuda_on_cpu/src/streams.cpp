// SPDX-License-Identifier: Apache-2.0
#include "streams.hpp"

#include <limits>
#include <set>

#include "device_memory.hpp"
#include "faults.hpp"

namespace cuda_on_cpu {
namespace {

struct Streams {
  CUstream_st null_stream;
  std::set<CUstream_st*> made;
  uint64_t last_number = 0;
};

Streams& streams() {
  static auto* const s = new Streams;  // never destroyed: the end of the program may still use it
  return *s;
}

/// What an operation of a blocking stream comes after in the null stream, and the other way round.
void run_what_comes_before(CUstream_st& stream, uint64_t number) {
  Streams& s = streams();
  if (&stream != &s.null_stream) {
    if (stream.blocking) run_until(s.null_stream, number - 1);
    return;
  }
  for (CUstream_st* const other : s.made) {
    if (other->blocking) run_until(*other, number - 1);
  }
}

}  // namespace

std::recursive_mutex& runtime_mutex() {
  static auto* const mutex = new std::recursive_mutex;
  return *mutex;
}

CUstream_st* find_stream(cudaStream_t handle) {
  Streams& s = streams();
  if (handle == nullptr) return &s.null_stream;
  return s.made.contains(handle) ? handle : nullptr;
}

CUstream_st* new_stream(bool blocking) {
  auto* const stream = new CUstream_st;
  stream->blocking = blocking;
  streams().made.insert(stream);
  return stream;
}

void delete_stream(CUstream_st* stream) {
  run_all(*stream);
  streams().made.erase(stream);
  delete stream;
}

uint64_t enqueue(CUstream_st& stream, std::function<void()> work) {
  const uint64_t number = ++streams().last_number;
  stream.queue.push_back({number, std::move(work)});
  return number;
}

bool run_one(CUstream_st& stream) {
  if (stream.queue.empty()) return false;
  prepare_thread_for_faults();
  const DeviceAccess access;
  CUstream_st::Operation operation = std::move(stream.queue.front());
  stream.queue.pop_front();
  run_what_comes_before(stream, operation.number);
  operation.work();
  return true;
}

void run_until(CUstream_st& stream, uint64_t number) {
  if (stream.queue.empty() || stream.queue.front().number > number) return;
  const DeviceAccess access;  // once for all of them
  while (!stream.queue.empty() && stream.queue.front().number <= number) run_one(stream);
}

void run_all(CUstream_st& stream) { run_until(stream, std::numeric_limits<uint64_t>::max()); }

void run_everything() {
  Streams& s = streams();
  const DeviceAccess access;
  run_all(s.null_stream);
  for (CUstream_st* const stream : s.made) run_all(*stream);
}

std::shared_ptr<Record> enqueue_record(CUstream_st& stream) {
  auto record = std::make_shared<Record>();
  record->stream = &stream;
  record->number = enqueue(stream, [record] {
    record->done = true;
    record->time = std::chrono::steady_clock::now();
  });
  return record;
}

void run_until(const Record& record) {
  // A stream that is gone has run everything first.
  if (!record.done) run_until(*record.stream, record.number);
}

}  // namespace cuda_on_cpu
