// SPDX-License-Identifier: Apache-2.0
// The middle of some values, the memory of a process, and tables of figures that are known.
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <vector>

#include "cli/bench_measure.hpp"
#include "cli/bench_tables.hpp"

namespace hayakoe::cli {
namespace {

TEST(Median, IsTheMiddle) {
  EXPECT_EQ(median({3.0}), 3.0);
  EXPECT_EQ(median({9.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(median({4.0, 9.0, 1.0, 2.0}), 3.0);
}

TEST(Median, OfAField) {
  const std::vector<LoadResult> runs{{.open_seconds = 3.0}, {.open_seconds = 1.0}, {.open_seconds = 7.0}};
  EXPECT_EQ(median_of(runs, &LoadResult::open_seconds), 3.0);
}

TEST(Memory, SeesWhatIsTakenAndGivenBack) {
  constexpr size_t kBytes = size_t{64} << 20;
  constexpr auto kMost = static_cast<int64_t>(kBytes);
  const MemoryState before = memory_now();
  {
    std::vector<char> block(kBytes);
    std::memset(block.data(), 1, block.size());
    EXPECT_GT(memory_now().resident_bytes, before.resident_bytes + kMost / 2);
    EXPECT_GT(memory_now().anonymous_bytes, before.anonymous_bytes + kMost / 2);
  }
  EXPECT_LT(memory_now().resident_bytes, before.resident_bytes + kMost / 2);
  EXPECT_GT(memory_now().peak_bytes, before.resident_bytes + kMost / 2);
  if (!reset_peak()) GTEST_SKIP() << "the system does not let a process set its peak back";
  EXPECT_LT(memory_now().peak_bytes, before.resident_bytes + kMost / 2);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Tables, BatchShowsBothWaysAndTheirRatio) {
  const BatchResult two{"native", 2, 43, {0.4, 2.0, 8.0, 2, 500'000'000}, {0.2, 1.0, 8.5, 1, 600'000'000}};
  const BatchResult many{"native", 16, 400, {3.0, 20.0, 80.0, 16, 500'000'000}, {2.0, 10.0, 85.0, 1, 700'000'000}};
  const auto lines = lines_of(to_table(std::vector<BatchResult>{two, many}));
  ASSERT_GE(lines.size(), 4U);
  EXPECT_EQ(lines[1],
            "  engine  sentences  characters         BERT s          total s      audio s  × real time    peak MB  "
            "BERT forwards  BERT ×  total ×");
  EXPECT_EQ(
      lines[2],
      "  native          2          43  0.400 → 0.200    2.000 → 1.000    8.0 → 8.5  4.00 → 8.50  500 → 600          "
      "2 → 1    2.00     2.00");
  EXPECT_EQ(
      lines[3],
      "  native         16         400  3.000 → 2.000  20.000 → 10.000  80.0 → 85.0  4.00 → 8.50  500 → 700         "
      "16 → 1    1.50     2.00");
}

TEST(Tables, BatchOnAGpuAlsoShowsLaunchesCopiesAndDeviceMemory) {
  BatchResult r{"native", 8, 200, {0.4, 2.0, 8.0, 8, 500'000'000}, {0.2, 1.0, 8.5, 1, 600'000'000}};
  EXPECT_EQ(to_table(std::vector<BatchResult>{r}).find("launches"), std::string::npos);
  const auto on_gpu = [](SpeakingCost& cost, int64_t calls) {
    cost.uploads = calls;
    cost.upload_bytes = 1'500;
    cost.downloads = 2 * calls;
    cost.download_bytes = 1'234'567;
    cost.kernel_launches = 600 * calls;
    cost.activation_peak_bytes = 100'000'000 / calls;
    cost.device_bytes = 700'000'000;
  };
  on_gpu(r.one_by_one, 8);
  on_gpu(r.batched, 1);
  EXPECT_EQ(r.batched.device_peak_bytes(), 800'000'000);
  const auto lines = lines_of(to_table(std::vector<BatchResult>{r}));
  ASSERT_GE(lines.size(), 7U);
  EXPECT_EQ(lines[5],
            "  engine  sentences  kernel launches  uploads   their kB  downloads         their kB  weights MB  peak "
            "device MB");
  EXPECT_EQ(lines[6],
            "  native          8       4800 → 600    8 → 1  1.5 → 1.5     16 → 2  1234.6 → 1234.6         700       "
            "712 → 800");
}

TEST(Tables, StagesShowTheDistanceFromThePeak) {
  StagesResult result;
  result.peak_gflops = 200;
  result.products = 15;
  result.texts = {{1, 30, 4.0, {{"text", 0.001, 0}, {"decoder", 0.5, 75}, {"total", 1.0, 100}}}};
  const auto lines = lines_of(to_table(result));
  ASSERT_GE(lines.size(), 6U);
  EXPECT_NE(lines[0].find("200.0 GFLOP/s in f32"), std::string::npos);
  EXPECT_EQ(lines[2], "  1 sentence, 30 characters, 4.0 s");
  EXPECT_EQ(lines[3], "    text                            0.0010          0 %");
  EXPECT_EQ(lines[4], "    decoder                          0.500         50 %   75.00    150.0         75 %");
  EXPECT_EQ(lines[5], "    total                            1.000        100 %  100.00    100.0         50 %");
}

TEST(Tables, LatencyMemoryAndLoad) {
  const std::string latency = to_table(std::vector<LatencyResult>{{"long", 8, 198, 35.0, 4.0, 0.5, 4.6}});
  EXPECT_NE(
      latency.find("long: 8 sentences, 198 characters     35.0    4.000          0.500          4.6           0.12"),
      std::string::npos)
      << latency;
  const std::string memory =
      to_table(MemoryResult{{{"BERT", 26'000'000, 11'000'000, 15'000'000, 28'000'000}}, 39'400'000});
  EXPECT_NE(memory.find("each further voice takes 39 MB"), std::string::npos) << memory;
  EXPECT_NE(memory.find("BERT            26   11            15               28"), std::string::npos) << memory;
  EXPECT_EQ(memory.find("GPU"), std::string::npos) << memory;
  MemoryResult on_gpu{{{"BERT", 26'000'000, 11'000'000, 15'000'000, 28'000'000}}, 39'400'000};
  on_gpu.states.front().device_bytes = 650'000'000;
  on_gpu.further_voice_device_bytes = 126'000'000;
  const std::string with_gpu = to_table(on_gpu);
  EXPECT_NE(with_gpu.find("takes 39 MB of the host and 126 MB of the GPU"), std::string::npos) << with_gpu;
  EXPECT_NE(with_gpu.find("28         650"), std::string::npos) << with_gpu;
  const std::string load = to_table(LoadResult{0.011, 0.02, 0.3, 0.2, 0.531});
  EXPECT_NE(load.find("start of the process                          0.011"), std::string::npos) << load;
  EXPECT_NE(load.find("all                                           0.531"), std::string::npos) << load;
}

}  // namespace
}  // namespace hayakoe::cli
