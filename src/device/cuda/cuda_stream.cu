// SPDX-License-Identifier: Apache-2.0
// Memory, copies and the tables of ragged batches.
#include <algorithm>
#include <cstring>
#include <hayakoe/error.hpp>

#include "device/cuda/cuda_stream.hpp"

namespace hayakoe::device::cuda {

CudaStream::CudaStream(std::shared_ptr<Gpu> gpu) : core_(std::make_shared<StreamCore>(std::move(gpu))) {}

CudaStream::~CudaStream() {
  // The staging memory must outlive what is copied from it.
  static_cast<void>(cudaSetDevice(core_->gpu->ordinal()));
  static_cast<void>(cudaStreamSynchronize(core_->stream));
}

Tensor CudaStream::allocate(int64_t rows, int64_t cols) {
  return {take(core_, static_cast<size_t>(rows * cols) * sizeof(float)), rows, cols};
}

Tensor CudaStream::upload_bytes(const void* values, size_t bytes, int64_t rows, int64_t cols) {
  Tensor t = allocate(rows, cols);
  ++transfers_.uploads;
  transfers_.upload_bytes += static_cast<int64_t>(bytes);
  if (bytes == 0) return t;
  std::byte* const staged = staging_.room(bytes, core_->stream);
  std::memcpy(staged, values, bytes);
  check(cudaMemcpyAsync(t.data<float>(), staged, bytes, cudaMemcpyHostToDevice, core_->stream), "uploading");
  return t;
}

Tensor CudaStream::upload(std::span<const float> values, int64_t rows, int64_t cols) {
  if (static_cast<int64_t>(values.size()) != rows * cols) throw Error("upload: the shape does not fit the values");
  return upload_bytes(values.data(), values.size_bytes(), rows, cols);
}

Tensor CudaStream::upload(std::span<const int32_t> values) {
  return upload_bytes(values.data(), values.size_bytes(), static_cast<int64_t>(values.size()), 1);
}

void CudaStream::download_bytes(const Tensor& x, void* out, size_t bytes) {
  if (static_cast<int64_t>(bytes) != x.rows() * x.cols() * static_cast<int64_t>(sizeof(float)))
    throw Error("download: the shape does not fit the buffer");
  core_->gpu->use();
  if (bytes > 0) {
    // Through page-locked memory: a copy to memory that may be paged out is cut into pieces by the driver.
    std::byte* const staged = staging_.room(bytes, core_->stream);
    const size_t row = static_cast<size_t>(x.cols()) * sizeof(float);
    check(cudaMemcpy2DAsync(staged, row, x.data<float>(), static_cast<size_t>(x.stride()) * sizeof(float), row,
                            static_cast<size_t>(x.rows()), cudaMemcpyDeviceToHost, core_->stream),
          "downloading");
    wait();
    std::memcpy(out, staged, bytes);
  }
  ++transfers_.downloads;
  transfers_.download_bytes += static_cast<int64_t>(bytes);
}

void CudaStream::download(const Tensor& x, std::span<float> out) { download_bytes(x, out.data(), out.size_bytes()); }
void CudaStream::download(const Tensor& x, std::span<int32_t> out) { download_bytes(x, out.data(), out.size_bytes()); }

void CudaStream::wait() {
  core_->gpu->use();
  check(cudaStreamSynchronize(core_->stream), "computing");
  staging_.clear();
}

void CudaStream::reset_transfers() {
  transfers_ = {};
  tables_.clear();
  core_->peak = core_->in_use.load();
  // What a single very long text has taken goes back; what ordinary ones take stays for the next.
  constexpr size_t kKeep = size_t{512} << 20;
  core_->gpu->trim(kKeep);
}

namespace {

// Offsets travel as a kernel's parameter: a copy of their own would be an upload for every batch and rate.
constexpr int kOffsetsAtOnce = 500;
struct OffsetsPart {
  int32_t first, count;                 // segments [first, first + count) of the batch
  int32_t offsets[kOffsetsAtOnce + 1];  // count + 1 of them
};

__global__ void write_tables(const __grid_constant__ OffsetsPart part, int32_t* offsets, int32_t* segment) {
  const int i = static_cast<int>(blockIdx.x);
  const int begin = part.offsets[i];
  const int end = part.offsets[i + 1];
  if (threadIdx.x == 0) {
    offsets[part.first + i] = begin;
    if (i + 1 == part.count) offsets[part.first + i + 1] = end;
  }
  for (int row = begin + static_cast<int>(threadIdx.x); row < end; row += static_cast<int>(blockDim.x))
    segment[row] = part.first + i;
}

}  // namespace

Batch CudaStream::batch(const Segments& s) {
  const auto seen = std::find_if(tables_.begin(), tables_.end(), [&](const Tables& t) { return t.base == s.base(); });
  if (seen == tables_.end()) {
    const std::vector<int64_t>& base = *s.base();
    Tables t{s.base(), allocate(s.count() + 1, 1), allocate(base.back(), 1)};
    for (int64_t first = 0; first < s.count(); first += kOffsetsAtOnce) {
      OffsetsPart part{};
      part.first = static_cast<int32_t>(first);
      part.count = static_cast<int32_t>(std::min<int64_t>(kOffsetsAtOnce, s.count() - first));
      for (int32_t i = 0; i <= part.count; ++i)
        part.offsets[i] = static_cast<int32_t>(base[static_cast<size_t>(first + i)]);
      launch(write_tables, dim3(static_cast<unsigned>(part.count)), dim3(128), 0, part, t.offsets.data<int32_t>(),
             t.segment.data<int32_t>());
    }
    constexpr size_t kKept = 8;  // a request has a handful of batches at a time
    if (tables_.size() == kKept) tables_.pop_front();
    tables_.push_back(std::move(t));
    return batch(s);
  }
  return {seen->offsets.data<int32_t>(), seen->segment.data<int32_t>(), static_cast<int32_t>(s.count()),
          static_cast<int32_t>(s.factor()), static_cast<int32_t>(s.rows())};
}

}  // namespace hayakoe::device::cuda
