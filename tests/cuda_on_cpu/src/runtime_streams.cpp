// SPDX-License-Identifier: Apache-2.0
// The runtime API's calls about streams and events.
#include <set>

#include "device_memory.hpp"
#include "runtime_error.hpp"
#include "streams.hpp"

namespace cuda_on_cpu {
namespace {

std::set<CUevent_st*>& events() {
  static auto* const set = new std::set<CUevent_st*>;
  return *set;
}

bool is_event(cudaEvent_t event) { return events().contains(event); }

/// Queries must get on, or a program that asks again and again would never end.
cudaError_t step(CUstream_st& stream) {
  run_one(stream);
  return stream.queue.empty() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t elapsed(float& ms, const CUevent_st& start, const CUevent_st& end) {
  if (!start.timing || !end.timing || start.record == nullptr || end.record == nullptr)
    return cudaErrorInvalidResourceHandle;
  if (!start.record->done || !end.record->done) return cudaErrorNotReady;
  ms = std::chrono::duration<float, std::milli>(end.record->time - start.record->time).count();
  return cudaSuccess;
}

}  // namespace
}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

cudaError_t cudaDeviceSynchronize() {
  return api_call([] {
    run_everything();
    trim_all();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreate(cudaStream_t* pStream) { return cudaStreamCreateWithFlags(pStream, cudaStreamDefault); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags) {
  return api_call([&] {
    if (pStream == nullptr || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking))
      return cudaErrorInvalidValue;
    *pStream = new_stream(flags == cudaStreamDefault);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api_call([&] {
    CUstream_st* const s = find_stream(stream);
    if (s == nullptr || stream == nullptr) return cudaErrorInvalidResourceHandle;
    delete_stream(s);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return api_call([&] {
    CUstream_st* const s = find_stream(stream);
    if (s == nullptr) return cudaErrorInvalidResourceHandle;
    run_all(*s);
    trim_all();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return api_call([&] {
    CUstream_st* const s = find_stream(stream);
    return s == nullptr ? cudaErrorInvalidResourceHandle : step(*s);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return api_call([&] {
    CUstream_st* const s = find_stream(stream);
    if (s == nullptr || !is_event(event)) return cudaErrorInvalidResourceHandle;
    if (flags != cudaEventWaitDefault) return cudaErrorInvalidValue;
    if (event->record != nullptr) enqueue(*s, [record = event->record] { run_until(*record); });
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return api_call([&] {
    if (event == nullptr || (flags & ~unsigned{cudaEventBlockingSync | cudaEventDisableTiming}) != 0)
      return cudaErrorInvalidValue;
    *event = new CUevent_st{(flags & cudaEventDisableTiming) == 0, nullptr};
    events().insert(*event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return api_call([&] {
    CUstream_st* const s = find_stream(stream);
    if (s == nullptr || !is_event(event)) return cudaErrorInvalidResourceHandle;
    event->record = enqueue_record(*s);
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api_call([&] {
    if (!is_event(event)) return cudaErrorInvalidResourceHandle;
    if (event->record == nullptr || event->record->done) return cudaSuccess;
    run_one(*event->record->stream);
    return event->record->done ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return api_call([&] {
    if (!is_event(event)) return cudaErrorInvalidResourceHandle;
    if (event->record != nullptr) run_until(*event->record);
    trim_all();
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return api_call([&] {
    if (ms == nullptr) return cudaErrorInvalidValue;
    if (!is_event(start) || !is_event(end)) return cudaErrorInvalidResourceHandle;
    return elapsed(*ms, *start, *end);
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api_call([&] {
    if (!is_event(event)) return cudaErrorInvalidResourceHandle;
    events().erase(event);
    delete event;
    return cudaSuccess;
  });
}
