// SPDX-License-Identifier: Apache-2.0
// Threads, barriers and shuffles of the emulation.
#include <algorithm>
#include <numeric>

#include "device/cuda/ptx.cuh"
#include "test_helpers.hpp"

namespace cuda_on_cpu::test {
namespace {

using hayakoe::device::cuda::shared_memory;

constexpr unsigned kAll = 0xffffffffU;

__global__ void write_indices(uint3* threads, uint3* blocks) {
  const unsigned in_block = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned i = block * blockDim.x * blockDim.y * blockDim.z + in_block;
  threads[i] = threadIdx;
  blocks[i] = blockIdx;
}

TEST(Threads, EachRunsOnceWithItsIndices) {
  const dim3 grid(3, 2, 2), block(5, 4, 3);
  const size_t count = 12 * 60;
  const DeviceArray<uint3> threads(count), blocks(count);
  for (const Order order : kOrders) {
    const InOrder in_order(order);
    expect_success(launch({grid, block}, write_indices, threads.data(), blocks.data()));
    const auto t = threads.get(), b = blocks.get();
    size_t i = 0;
    for (unsigned bz = 0; bz < 2; ++bz)
      for (unsigned by = 0; by < 2; ++by)
        for (unsigned bx = 0; bx < 3; ++bx)
          for (unsigned z = 0; z < 3; ++z)
            for (unsigned y = 0; y < 4; ++y)
              for (unsigned x = 0; x < 5; ++x, ++i) {
                EXPECT_TRUE(t[i].x == x && t[i].y == y && t[i].z == z) << i;
                EXPECT_TRUE(b[i].x == bx && b[i].y == by && b[i].z == bz) << i;
              }
  }
}

// No device could promise what these two see: they look at the emulation's order.
__global__ void note_turn(int* next, int* turns) { turns[(*next)++] = static_cast<int>(threadIdx.x); }
std::vector<int> turns_of_64(Order order, uint64_t seed) {
  const InOrder in_order(order, seed);
  const DeviceArray<int> next(std::vector<int>{0}), turns(64);
  expect_success(launch({1, 64}, note_turn, next.data(), turns.data()));
  return turns.get();
}

TEST(Threads, RunInTheOrderThatIsSet) {
  std::vector<int> forward(64);
  std::iota(forward.begin(), forward.end(), 0);
  EXPECT_EQ(turns_of_64(Order::kForward, 0), forward);
  EXPECT_EQ(turns_of_64(Order::kReverse, 0), std::vector<int>(forward.rbegin(), forward.rend()));
  const std::vector<int> random = turns_of_64(Order::kRandom, 7);
  EXPECT_EQ(turns_of_64(Order::kRandom, 7), random);
  EXPECT_NE(turns_of_64(Order::kRandom, 8), random);
  std::vector<int> sorted = random;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, forward);
}

struct Numbers {
  int of[256];
};

template <bool kBarrier, int kRounds>
__global__ void rotate(int* values) {
  auto& shared = shared_memory<Numbers>();
  for (int round = 0; round < kRounds; ++round) {
    shared.of[threadIdx.x] = values[threadIdx.x];
    if (kBarrier) __syncthreads();
    values[threadIdx.x] = shared.of[(threadIdx.x + 1) % blockDim.x];
    if (kBarrier) __syncthreads();
  }
}

std::vector<int> rotated(void (*kernel)(int*), unsigned threads) {
  std::vector<int> values(threads);
  std::iota(values.begin(), values.end(), 0);
  const DeviceArray<int> on_device(values);
  expect_success(launch({1, threads, sizeof(Numbers)}, kernel, on_device.data()));
  return on_device.get();
}

TEST(Barrier, SeparatesWritesFromReadsInEveryOrder) {
  for (const Order order : kOrders) {
    const InOrder in_order(order);
    for (const unsigned threads : {1U, 32U, 50U, 256U}) {
      const std::vector<int> values = rotated(rotate<true, 3>, threads);
      for (unsigned i = 0; i < threads; ++i) EXPECT_EQ(values[i], static_cast<int>((i + 3) % threads));
    }
  }
}

TEST(Barrier, WithoutItTheOrderShows) {
  const auto unguarded = [](Order order) {
    const InOrder in_order(order);
    return rotated(rotate<false, 1>, 256);
  };
  // Forward only the last thread finds a value, in reverse all but it; what isn't written is -1.
  std::vector<int> forward(256, -1), reverse(256);
  forward.back() = 0;
  std::iota(reverse.begin(), reverse.end(), 1);
  reverse.back() = -1;
  EXPECT_EQ(unguarded(Order::kForward), forward);
  EXPECT_EQ(unguarded(Order::kReverse), reverse);
}

__global__ void last_block_wins(unsigned* winner) { *winner = blockIdx.x; }

TEST(Blocks, ARaceBetweenThemShowsInAnotherOrder) {
  const DeviceArray<unsigned> winner(1);
  for (const auto& [order, expected] : {std::pair{Order::kForward, 7U}, std::pair{Order::kReverse, 0U}}) {
    const InOrder in_order(order);
    expect_success(launch({8, 32}, last_block_wins, winner.data()));
    EXPECT_EQ(winner.get()[0], expected);
  }
}

__global__ void rotate_in_warp(int* values) {
  auto& shared = shared_memory<Numbers>();
  shared.of[threadIdx.x] = values[threadIdx.x];
  __syncwarp();
  values[threadIdx.x] = shared.of[threadIdx.x / 32 * 32 + (threadIdx.x + 1) % 32];
}

TEST(Barrier, OfAWarpOrdersItsLanes) {
  for (const Order order : kOrders) {
    const InOrder in_order(order);
    const std::vector<int> values = rotated(rotate_in_warp, 64);
    for (int i = 0; i < 64; ++i) EXPECT_EQ(values[static_cast<size_t>(i)], i / 32 * 32 + (i + 1) % 32);
  }
}

enum class Shuffle { kFrom, kUp, kDown, kXor };

template <Shuffle kKind, typename T>
__global__ void shuffle(T* values, int argument, int width) {
  T value = values[threadIdx.x];
  const auto delta = static_cast<unsigned>(argument);
  // Twice, so that the second meets the lanes of the first that are late.
  for (int i = 0; i < 2; ++i) {
    if (kKind == Shuffle::kFrom) value = __shfl_sync(kAll, value, argument, width);
    if (kKind == Shuffle::kUp) value = __shfl_up_sync(kAll, value, delta, width);
    if (kKind == Shuffle::kDown) value = __shfl_down_sync(kAll, value, delta, width);
    if (kKind == Shuffle::kXor) value = __shfl_xor_sync(kAll, value, argument, width);
  }
  values[threadIdx.x] = value;
}

/// The lane that a shuffle reads, from the words of the CUDA programming guide, "Warp shuffle functions".
int source_lane(Shuffle kind, int lane, int argument, int width) {
  const int group = lane / width, in_group = lane % width;
  switch (kind) {
    case Shuffle::kFrom:
      return group * width + argument % width;
    case Shuffle::kUp:
      return in_group - argument >= 0 ? lane - argument : lane;
    case Shuffle::kDown:
      return in_group + argument < width ? lane + argument : lane;
    case Shuffle::kXor:
      return (lane ^ argument) / width <= group ? lane ^ argument : lane;
  }
  return -1;
}

template <Shuffle kKind, typename T>
void expect_shuffles() {
  for (const int width : {32, 16, 4}) {
    for (const int argument : {0, 1, 3, 8, 17, 31}) {
      std::vector<T> values(64), expected(64);
      for (size_t i = 0; i < 64; ++i) values[i] = static_cast<T>(1000 + i * i);
      const DeviceArray<T> on_device(values);
      expect_success(launch({1, 64}, shuffle<kKind, T>, on_device.data(), argument, width));
      for (int i = 0; i < 64; ++i) {
        const int once = source_lane(kKind, i % 32, argument, width);
        const int twice = source_lane(kKind, once, argument, width);
        expected[static_cast<size_t>(i)] = values[static_cast<size_t>(i / 32 * 32 + twice)];
      }
      EXPECT_EQ(on_device.get(), expected) << "width " << width << ", argument " << argument;
    }
  }
}

TEST(Shuffle, ReadsTheLaneThatTheGuideSays) {
  for (const Order order : kOrders) {
    const InOrder in_order(order);
    expect_shuffles<Shuffle::kFrom, int>();
    expect_shuffles<Shuffle::kUp, float>();
    expect_shuffles<Shuffle::kDown, double>();
    expect_shuffles<Shuffle::kXor, unsigned long long>();
  }
}

// Each of the following kernels is wrong.

__global__ void half_leave_early(int* values) {
  if (threadIdx.x >= 32) return;
  __syncthreads();
  values[threadIdx.x] = 1;
}
__global__ void two_barriers() {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}
__global__ void part_of_a_warp_waits() {
  if (threadIdx.x % 32 < 16) __syncthreads();
}
__global__ void one_lane_stays_away(float* values) {
  float value = values[threadIdx.x];
  if (threadIdx.x != 5) value += __shfl_xor_sync(kAll, value, 1);
  values[threadIdx.x] = value;
}
__global__ void shuffle_with_mask(unsigned mask) { __shfl_xor_sync(mask, 1.0F, 1); }
__global__ void trap() { __trap(); }

template <typename... P, typename... A>
void run_wrong(unsigned threads, void (*kernel)(P...), A... arguments) {
  launch({1, threads}, kernel, arguments...);
  cudaDeviceSynchronize();
}

TEST(WrongKernelDeathTest, IsNamedWithItsFault) {
  const InOrder in_order(Order::kForward);  // which lane finds the fault depends on it
  const DeviceArray<int> ints(64);
  const DeviceArray<float> floats(64);
  EXPECT_DEATH(run_wrong(64, half_leave_early, ints.data()),
               "half_leave_early.*__syncthreads \\(.*threads_test.cpp:[0-9]+\\), others never reach it");
  EXPECT_DEATH(run_wrong(64, two_barriers), "two_barriers.* wait at __syncthreads .*, others at __syncthreads");
  EXPECT_DEATH(run_wrong(32, part_of_a_warp_waits), "lane 0 is at __syncthreads .*, lane 16 at the end of the kernel");
  EXPECT_DEATH(run_wrong(32, one_lane_stays_away, floats.data()),
               "lane 0 is at __shfl_xor_sync .*, lane 5 at the end of the kernel");
  EXPECT_DEATH(run_wrong(33, one_lane_stays_away, floats.data()), "lane 5");
  EXPECT_DEATH(run_wrong(20, rotate_in_warp, ints.data()), "shared memory");
  EXPECT_DEATH(run_wrong(16, shuffle<Shuffle::kXor, int>, ints.data(), 1, 32), "in a warp of 16 threads");
  EXPECT_DEATH(run_wrong(32, shuffle_with_mask, 0xffffU), "mask 0x0000ffff: only full warps");
  EXPECT_DEATH(run_wrong(1, trap), "trap");
}

}  // namespace
}  // namespace cuda_on_cpu::test
