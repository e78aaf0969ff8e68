// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "device/device.hpp"
#include "device/philox.hpp"
#include "support/device.hpp"
#include "support/golden.hpp"

namespace hayakoe::device {
namespace {

TEST(Philox, KnownAnswers) {
  // The test vectors published with the paper (Random123, kat_vectors: philox4x32 with 10 rounds).
  using Words = PhiloxWords;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t kAll = 0xffffffff;
  EXPECT_EQ(philox4x32({kAll, kAll, kAll, kAll}, {kAll, kAll}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Noise, DependsOnlyOnKeyAndPlace) {
  const auto device = test::open_device(2);
  const auto s = device->stream();
  const std::vector<int64_t> lengths{30, 7, 30};
  const std::vector<uint64_t> keys{11, 22, 33};
  const auto together = test::download(*s, s->normal(Segments::of_lengths(lengths), 6, keys));
  const std::vector<uint64_t> second{22};
  const auto alone = test::download(*s, s->normal(Segments::single(7), 6, second));
  EXPECT_TRUE(std::equal(alone.values.begin(), alone.values.end(), together.values.begin() + 30 * 6));
  // Another key is another noise.
  EXPECT_FALSE(std::equal(together.values.begin(), together.values.begin() + 180, together.values.begin() + 37 * 6));
}

// The values of a segment, computed here in double precision.
TEST(Noise, IsBoxAndMullersOfThePhiloxWords) {
  const auto device = test::open_device(2);
  const auto s = device->stream();
  const std::vector<int64_t> lengths{3, 0, 20};
  constexpr int64_t kCols = 7;
  const std::vector<uint64_t> keys{1, 2, 0xFEDCBA9876543210};
  const auto got = test::download(*s, s->normal(Segments::of_lengths(lengths), kCols, keys));
  const auto uniform = [](uint32_t word) { return (static_cast<double>(word >> 8U) + 1.0) / 16777216.0; };
  for (uint32_t row = 0; row < 20; ++row) {
    for (uint32_t c = 0; c < kCols; ++c) {
      const PhiloxWords w = philox4x32({{c / 4, row, 0, 0}}, {{0x76543210, 0xFEDCBA98}});
      const uint32_t pair = c % 4 / 2 * 2;
      const double radius = std::sqrt(-2.0 * std::log(uniform(w.word[pair])));
      const double angle = 2.0 * std::numbers::pi * uniform(w.word[pair + 1]);
      const double want = radius * (c % 2 == 0 ? std::cos(angle) : std::sin(angle));
      EXPECT_NEAR(got.values[(3 + row) * kCols + c], want, 5e-6) << row << " " << c;
    }
  }
}

TEST(Noise, IsStandardNormal) {
  const auto device = test::open_device(2);
  const auto s = device->stream();
  const std::vector<uint64_t> key{1234567};
  const auto m = test::download(*s, s->normal(Segments::single(2000), 100, key));
  const double n = static_cast<double>(m.values.size());
  double sum = 0;
  double squares = 0;
  double fourth = 0;
  double neighbours = 0;
  for (size_t i = 0; i < m.values.size(); ++i) {
    const double v = m.values[i];
    sum += v;
    squares += v * v;
    fourth += v * v * v * v;
    if (i > 0) neighbours += v * m.values[i - 1];
  }
  // Five standard errors each.
  EXPECT_NEAR(sum / n, 0.0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1.0, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(fourth / n, 3.0, 5 * std::sqrt(96 / n));
  EXPECT_NEAR(neighbours / n, 0.0, 5 / std::sqrt(n));
}

}  // namespace
}  // namespace hayakoe::device
