// SPDX-License-Identifier: Apache-2.0
#include "cli/ordered_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>

namespace hayakoe::cli {
namespace {

TEST(OrderedPool, HandsResultsOnInOrder) {
  std::string all;
  OrderedPool pool(
      4,
      [](const std::string& line) {
        // Every seventh takes longer, so that those behind it are done first.
        if (std::stoi(line) % 7 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return line + ",";
      },
      [&](const std::string& result, bool) { all += result; });
  std::string expected;
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(pool.add(std::to_string(i)));
    expected += std::to_string(i) + ",";
  }
  pool.finish();
  EXPECT_EQ(all, expected);
}

TEST(OrderedPool, AnswersBeforeTheNextLineComes) {
  std::atomic<int> answered{0};
  OrderedPool pool(
      2, [](const std::string& line) { return line; },
      [&](const std::string&, bool last) { answered += last ? 1 : 0; });
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(pool.add("x"));
    while (answered < i) std::this_thread::yield();  // would hang, were lines gathered first
  }
  pool.finish();
}

TEST(OrderedPool, HoldsAFewLinesOnly) {
  std::atomic<bool> open{false};
  std::atomic<int> added{0};
  OrderedPool pool(
      2,
      [&](const std::string& line) {
        while (!open) std::this_thread::yield();
        return line;
      },
      [](const std::string&, bool) {});
  std::thread feeder([&] {
    for (int i = 0; i < 1000; ++i) {
      pool.add("x");
      ++added;
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_LE(added, 32);
  open = true;
  feeder.join();
  pool.finish();
  EXPECT_EQ(added, 1000);
}

TEST(OrderedPool, FailureOfTheReceiverEndsIt) {
  OrderedPool pool(
      2, [](const std::string& line) { return line; },
      [](const std::string&, bool) { throw std::runtime_error("full"); });
  while (pool.add("x")) {
  }
  EXPECT_THROW(pool.finish(), std::runtime_error);
}

TEST(OrderedPool, CanBeLeftEarly) {
  OrderedPool pool(
      2, [](const std::string& line) { return line; }, [](const std::string&, bool) {});
  for (int i = 0; i < 10; ++i) pool.add("x");
}

}  // namespace
}  // namespace hayakoe::cli
