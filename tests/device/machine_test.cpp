// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <hayakoe/error.hpp>
#include <thread>

#include "device/cpu/thread_pool.hpp"
#include "device/cpu/threads.hpp"
#include "device/device.hpp"
#include "device/plugin.hpp"

namespace hayakoe::device {
namespace {

TEST(Threads, ContainerQuotas) {
  EXPECT_EQ(parse_cgroup_cpu_max("max 100000"), 0);
  EXPECT_EQ(parse_cgroup_cpu_max("150000 100000"), 2);
  EXPECT_EQ(parse_cgroup_cpu_max("50000 100000"), 1);
  EXPECT_EQ(parse_cgroup_cpu_max("400000 100000"), 4);
  EXPECT_EQ(parse_cgroup_cpu_max("-1 100000"), 0);
  EXPECT_EQ(parse_cgroup_cpu_max(""), 0);
  EXPECT_EQ(parse_cgroup_cpu_max("1 0"), 0);
}

TEST(Threads, AtLeastOne) { EXPECT_GE(available_threads(), 1); }

TEST(ThreadPool, EveryTaskRunsOnceForEveryCaller) {
  ThreadPool pool(4);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int c = 0; c < 3; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 300; ++round) {
        std::vector<std::atomic<int>> runs(static_cast<size_t>(1 + round % 67));
        pool.run(static_cast<int64_t>(runs.size()), [&](int64_t i) {
          // A loop inside a task runs on the spot.
          pool.run(2, [&](int64_t) { ++runs[static_cast<size_t>(i)]; });
        });
        for (const auto& n : runs) wrong += n == 2 ? 0 : 1;
      }
    });
  }
  for (auto& t : callers) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, ForEachCoversTheRange) {
  ThreadPool pool(3);
  for (const int64_t n : {0, 1, 2, 5, 1000}) {
    std::vector<std::atomic<int>> runs(static_cast<size_t>(n));
    pool.for_each(n, 100000, [&](int64_t i) { ++runs[static_cast<size_t>(i)]; });
    for (const auto& r : runs) EXPECT_EQ(r, 1);
  }
}

TEST(OpenDevice, UnknownNamesAreRefused) {
  EXPECT_THROW((void)open_device("tpu", 1), Error);
  EXPECT_THROW((void)open_device("cpu", -1), Error);
  EXPECT_EQ(open_device("auto", 1)->name(), first_usable_cuda() ? "cuda:0" : "cpu");
}

}  // namespace
}  // namespace hayakoe::device
