// SPDX-License-Identifier: Apache-2.0
// The runtime API's copies and fills.
#include <cstring>
#include <vector>

#include "cuda_on_cpu/block.hpp"
#include "device_memory.hpp"
#include "runtime_counts.hpp"
#include "runtime_error.hpp"
#include "streams.hpp"

namespace cuda_on_cpu {
namespace {

/// Rows of `width` bytes.
struct Copy {
  char* to = nullptr;
  size_t to_pitch = 0;
  const char* from = nullptr;
  size_t from_pitch = 0;
  size_t width = 0, height = 0;
  cudaMemcpyKind kind = cudaMemcpyDefault;

  [[nodiscard]] size_t to_bytes() const { return (height - 1) * to_pitch + width; }
  [[nodiscard]] size_t from_bytes() const { return (height - 1) * from_pitch + width; }
};

bool on_device(const void* p) {
  const Allocation* const a = find_allocation(p);
  return a != nullptr && a->kind == Allocation::Kind::kDevice;
}
bool is_pinned(const void* p) {
  const Allocation* const a = find_allocation(p);
  return a != nullptr && a->kind == Allocation::Kind::kPinned;
}

/// Whether a range lies in one live allocation of the device, or else in the host's memory.
bool valid_range(const void* p, size_t bytes, bool device) {
  const Allocation* const a = find_allocation(p);
  if (a == nullptr) return !device && p != nullptr;
  if ((a->kind == Allocation::Kind::kDevice) != device) return false;
  return a->state != Allocation::State::kFreed && !a->free_queued && a->holds(p, bytes);
}

void infer_kind(Copy& copy) {
  if (copy.kind != cudaMemcpyDefault) return;
  if (on_device(copy.from)) {
    copy.kind = on_device(copy.to) ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
  } else {
    copy.kind = on_device(copy.to) ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
  }
}

cudaError_t check(Copy& copy) {
  if (copy.kind < cudaMemcpyHostToHost || copy.kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  infer_kind(copy);
  if (copy.width > copy.to_pitch || copy.width > copy.from_pitch) return cudaErrorInvalidPitchValue;
  const bool to_device = copy.kind == cudaMemcpyHostToDevice || copy.kind == cudaMemcpyDeviceToDevice;
  const bool from_device = copy.kind == cudaMemcpyDeviceToHost || copy.kind == cudaMemcpyDeviceToDevice;
  if (!valid_range(copy.to, copy.to_bytes(), to_device)) return cudaErrorInvalidValue;
  if (!valid_range(copy.from, copy.from_bytes(), from_device)) return cudaErrorInvalidValue;
  return cudaSuccess;
}

/// What was there when the copy was queued may be gone when it runs, or what it reads not there yet.
void check_still_there(const void* p, const char* what) {
  const Allocation* const a = find_allocation(p);
  if (a == nullptr) return;
  if (a->state == Allocation::State::kFreed) device_fault("%s of %s runs after its free", what, describe(*a).c_str());
  if (a->state == Allocation::State::kPromised)
    device_fault("%s of %s runs before its stream has allocated it", what, describe(*a).c_str());
  check_copies_done(*a, what);
}

void run_copy(const Copy& copy) {
  ++counts().copies;
  check_still_there(copy.from, "a copy");
  check_still_there(copy.to, "a copy");
  for (size_t i = 0; i < copy.height; ++i)
    std::memmove(copy.to + i * copy.to_pitch, copy.from + i * copy.from_pitch, copy.width);
}

/// Lets go of the caller's memory at once; the device gets the values when it gets there.
void enqueue_staged(CUstream_st& stream, Copy copy) {
  auto staged = std::make_shared<std::vector<char>>(copy.width * copy.height);
  for (size_t i = 0; i < copy.height; ++i)
    std::memcpy(staged->data() + i * copy.width, copy.from + i * copy.from_pitch, copy.width);
  copy.from = staged->data();
  copy.from_pitch = copy.width;
  Allocation* const to = find_allocation(copy.to);
  ++to->copies_on_the_way;
  enqueue(stream, [copy, staged, to] {
    --to->copies_on_the_way;
    run_copy(copy);
  });
}

/// As "API synchronization behavior" of the runtime's manual has it for the calls without Async.
cudaError_t copy_and_wait(Copy copy) {
  if (copy.width == 0 || copy.height == 0) return cudaSuccess;
  if (const cudaError_t error = check(copy); error != cudaSuccess) return error;
  CUstream_st& stream = *find_stream(nullptr);
  if (copy.kind == cudaMemcpyHostToDevice && !is_pinned(copy.from)) {
    run_all(stream);
    enqueue_staged(stream, copy);
    return cudaSuccess;
  }
  enqueue(stream, [copy] { run_copy(copy); });
  if (copy.kind != cudaMemcpyDeviceToDevice) run_all(stream);
  return cudaSuccess;
}

/// Memory that isn't pinned may be read and written late, too: nothing promises that it isn't.
cudaError_t copy_in_order(Copy copy, cudaStream_t handle) {
  CUstream_st* const stream = find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (copy.width == 0 || copy.height == 0) return cudaSuccess;
  if (const cudaError_t error = check(copy); error != cudaSuccess) return error;
  enqueue(*stream, [copy] { run_copy(copy); });
  if (copy.kind == cudaMemcpyHostToHost) run_all(*stream);
  return cudaSuccess;
}

Copy flat(void* to, const void* from, size_t count, cudaMemcpyKind kind) {
  return {static_cast<char*>(to), count, static_cast<const char*>(from), count, count, 1, kind};
}

}  // namespace
}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return api_call([&] { return copy_and_wait(flat(dst, src, count, kind)); });
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return api_call([&] { return copy_in_order(flat(dst, src, count, kind), stream); });
}

cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return api_call([&] {
    return copy_and_wait({static_cast<char*>(dst), dpitch, static_cast<const char*>(src), spitch, width, height, kind});
  });
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return api_call([&] {
    return copy_in_order({static_cast<char*>(dst), dpitch, static_cast<const char*>(src), spitch, width, height, kind},
                         stream);
  });
}

cudaError_t cudaMemset(void* devPtr, int value, size_t count) {
  // Of device memory it doesn't wait, in spite of its name.
  return cudaMemsetAsync(devPtr, value, count, nullptr);
}

cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
  return api_call([&] {
    CUstream_st* const s = find_stream(stream);
    if (s == nullptr) return cudaErrorInvalidResourceHandle;
    if (count == 0) return cudaSuccess;
    if (!valid_range(devPtr, count, true)) return cudaErrorInvalidValue;
    enqueue(*s, [devPtr, value, count] {
      ++counts().fills;
      check_still_there(devPtr, "a fill");
      std::memset(devPtr, value, count);
    });
    return cudaSuccess;
  });
}
