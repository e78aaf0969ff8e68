// SPDX-License-Identifier: Apache-2.0
// Operations that move rows and channels without a look at their values: floats or integers.
#include <cuda_runtime.h>

#include <hayakoe/error.hpp>

#include "device/cuda/cuda_stream.hpp"
#include "device/cuda/map.cuh"
#include "device/cuda/ptx.cuh"

namespace hayakoe::device::cuda {
namespace {

struct GatheredRows {
  View<float> table;
  View<int32_t> index;
  GatheredRows(const Tensor& from, const Tensor& rows) : table(view(from)), index(view<int32_t>(rows)) {}
  [[nodiscard]] bool wide() const { return is_wide(table); }
  template <int kWidth>
  __device__ Values<kWidth> at(int row, int column) const {
    return load<kWidth>(row_of(table, *row_of(index, row)) + column);
  }
};

struct StackedRows {
  View<float> a, b;
  StackedRows(const Tensor& above, const Tensor& below) : a(view(above)), b(view(below)) {}
  [[nodiscard]] bool wide() const { return is_wide(a) && is_wide(b); }
  template <int kWidth>
  __device__ Values<kWidth> at(int row, int column) const {
    return load<kWidth>((row < a.rows ? row_of(a, row) : row_of(b, row - a.rows)) + column);
  }
};

struct ReversedRows {
  View<float> x;
  explicit ReversedRows(const Tensor& tensor) : x(view(tensor)) {}
  [[nodiscard]] bool wide() const { return is_wide(x); }
  template <int kWidth>
  __device__ Values<kWidth> at(int row, int column) const {
    const Values<kWidth> in = load<kWidth>(row_of(x, row) + (x.cols - kWidth - column));
    Values<kWidth> out;
    for (int i = 0; i < kWidth; ++i) out.v[i] = in.v[kWidth - 1 - i];
    return out;
  }
};

constexpr int kScanThreads = 1024, kScanWarps = kScanThreads / 32;
struct ScanShared {
  int32_t end[kScanThreads];  // where the entries of each row of counts end, from the first entry of these rows
  int32_t warp_sum[kScanWarps];
};

// a + b, both 0 … most, at most `most`: wrong counts cannot overflow it.
__device__ int32_t capped_sum(int32_t a, int32_t b, int32_t most) { return a > most - b ? most : a + b; }

// Sums of the values of the lanes up to the own one.
__device__ int32_t warp_scan(int32_t value, int lane, int32_t most) {
  for (int distance = 1; distance < 32; distance *= 2) {
    const int32_t before = __shfl_up_sync(0xffffffffU, value, distance);
    if (lane >= distance) value = capped_sum(before, value, most);
  }
  return value;
}

// shared.end becomes the sums of the values of the threads up to the own one. It is not written before all have come
// here, that is, have read what the last scan left.
__device__ void block_scan(int32_t value, int32_t most, ScanShared& shared) {
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int warp = thread / 32;
  value = warp_scan(value, lane, most);
  if (lane == 31) shared.warp_sum[warp] = value;
  __syncthreads();
  if (warp == 0) {
    static_assert(kScanWarps == 32);
    shared.warp_sum[lane] = warp_scan(shared.warp_sum[lane], lane, most);
  }
  __syncthreads();
  shared.end[thread] = warp == 0 ? value : capped_sum(shared.warp_sum[warp - 1], value, most);
  __syncthreads();
}

// The first row whose entries end behind `entry`.
__device__ int row_of_entry(const ScanShared& shared, int32_t entry) {
  int below = 0;
  for (int step = kScanThreads / 2; step > 0; step /= 2) {
    if (shared.end[below + step - 1] <= entry) below += step;
  }
  return below;
}

// One block. Writes all of `index` and nothing beyond it, whatever the counts are: what they leave over gets the last
// row, so that who gathers by the index stays inside of the table.
__global__ void repeated_index_kernel(View<int32_t> counts, View<int32_t> index) {
  auto& shared = shared_memory<ScanShared>();
  const int thread = static_cast<int>(threadIdx.x);
  int32_t done = 0;
  for (int first = 0; first < counts.rows && done < index.rows; first += kScanThreads) {
    const int row = first + thread;
    const int32_t most = index.rows - done;
    block_scan(row < counts.rows ? min(max(*row_of(counts, row), 0), most) : 0, most, shared);
    const int32_t entries = shared.end[kScanThreads - 1];
    for (int32_t i = thread; i < entries; i += kScanThreads) {
      *row_of(index, done + i) = first + row_of_entry(shared, i);
    }
    done += entries;
  }
  for (int32_t i = done + thread; i < index.rows; i += kScanThreads) *row_of(index, i) = counts.rows - 1;
}

}  // namespace

Tensor CudaStream::gather_rows(const Tensor& table, const Tensor& index) {
  Tensor y = allocate(index.rows(), table.cols());
  map(y, Same{}, GatheredRows(table, index));
  return y;
}

void CudaStream::add_gathered_rows(Tensor& x, const Tensor& table, const Tensor& index) {
  map(x, Add{}, Rows(x), GatheredRows(table, index));
}

Tensor CudaStream::concat_rows(const Tensor& a, const Tensor& b) {
  Tensor y = allocate(a.rows() + b.rows(), a.cols());
  map(y, Same{}, StackedRows(a, b));
  return y;
}

void CudaStream::copy(Tensor& to, const Tensor& from) { map(to, Same{}, Rows(from)); }

Tensor CudaStream::reverse_channels(const Tensor& x) {
  Tensor y = allocate(x.rows(), x.cols());
  map(y, Same{}, ReversedRows(x));
  return y;
}

Tensor CudaStream::repeated_index(const Tensor& counts, int64_t total) {
  if (counts.rows() == 0 && total != 0) throw Error("repeated_index: the counts do not sum to the total");
  Tensor y = allocate(total, 1);
  if (total == 0) return y;
  launch(repeated_index_kernel, 1, kScanThreads, sizeof(ScanShared), view<int32_t>(counts), view<int32_t>(y));
  return y;
}

}  // namespace hayakoe::device::cuda
