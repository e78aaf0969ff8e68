// SPDX-License-Identifier: Apache-2.0
#include "audio/resample.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace hayakoe::audio {
namespace {

std::vector<float> sine(std::size_t samples, double period) {
  std::vector<float> out(samples);
  for (std::size_t i = 0; i < samples; ++i)
    out[i] = static_cast<float>(0.5 * std::sin(2.0 * std::numbers::pi * static_cast<double>(i) / period));
  return out;
}

TEST(Resampled, StretchesASineWithoutDelay) {
  const auto in = sine(8000, 100.0);
  for (const double ratio : {0.5, 0.8, 1.25, 2.0}) {
    const auto out = resampled(in, ratio);
    ASSERT_EQ(out.size(), static_cast<std::size_t>(std::llround(8000 * ratio)));
    const auto right = sine(out.size(), 100.0 * ratio);
    for (std::size_t i = out.size() / 10; i < out.size() * 9 / 10; ++i)
      ASSERT_NEAR(out[i], right[i], 2e-3) << ratio << " " << i;
  }
}

TEST(Resampled, TakesAwayWhatWouldFoldOver) {
  for (const float sample : resampled(sine(8000, 3.0), 0.5)) ASSERT_LT(std::abs(sample), 0.1);
}

TEST(Resampled, TakesNothingAndLittle) {
  EXPECT_TRUE(resampled({}, 2.0).empty());
  const std::vector<float> one{0.25F};
  EXPECT_EQ(resampled(one, 2.0).size(), 2U);
}

}  // namespace
}  // namespace hayakoe::audio
