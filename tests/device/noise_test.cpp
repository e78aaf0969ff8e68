// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "device/device.hpp"
#include "device/philox.hpp"
#include "support/golden.hpp"

namespace hayakoe::device {
namespace {

TEST(Philox, KnownAnswers) {
  // The test vectors published with the paper (Random123, kat_vectors: philox4x32 with 10 rounds).
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t kAll = 0xffffffff;
  EXPECT_EQ(philox4x32({kAll, kAll, kAll, kAll}, {kAll, kAll}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Noise, DependsOnlyOnKeyAndPlace) {
  const auto device = open_device("cpu", 2);
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

TEST(Noise, IsStandardNormal) {
  const auto device = open_device("cpu", 2);
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
