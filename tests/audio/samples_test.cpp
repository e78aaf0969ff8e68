// SPDX-License-Identifier: Apache-2.0
#include "audio/samples.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace hayakoe::audio {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kMax = std::numeric_limits<float>::max();

TEST(Samples, Pcm16) {
  EXPECT_EQ(to_pcm16(0.0F), 0);
  EXPECT_EQ(to_pcm16(-0.0F), 0);
  EXPECT_EQ(to_pcm16(1.0F), 32767);
  EXPECT_EQ(to_pcm16(-1.0F), -32767);
  EXPECT_EQ(to_pcm16(0.5F), 16384);    // 16383.5
  EXPECT_EQ(to_pcm16(-0.5F), -16384);  // and symmetric
  EXPECT_EQ(to_pcm16(0.25F), 8192);    // 8191.75
  EXPECT_EQ(to_pcm16(1.4F / 32767), 1);
  EXPECT_EQ(to_pcm16(1.6F / 32767), 2);
  EXPECT_EQ(to_pcm16(-1.6F / 32767), -2);
  EXPECT_EQ(to_pcm16(0.49F / 32767), 0);
  EXPECT_EQ(to_pcm16(std::numeric_limits<float>::denorm_min()), 0);
}

TEST(Samples, Pcm16ClipsAndNeverWraps) {
  for (const float loud : {1.0001F, 1.5F, 2.0F, 65536.0F, 1e10F, kMax, kInf}) {
    EXPECT_EQ(to_pcm16(loud), 32767) << loud;
    EXPECT_EQ(to_pcm16(-loud), -32767) << loud;
    EXPECT_EQ(to_pcm24(loud), 8388607) << loud;
    EXPECT_EQ(to_pcm24(-loud), -8388607) << loud;
  }
  EXPECT_EQ(to_pcm16(kNan), 0);
  EXPECT_EQ(to_pcm16(-kNan), 0);
  EXPECT_EQ(to_pcm24(kNan), 0);
}

// Every value a 16-bit file can hold comes back from its float.
TEST(Samples, Pcm16InvertsEveryValue) {
  for (int value = -32767; value <= 32767; ++value) {
    ASSERT_EQ(to_pcm16(static_cast<float>(value) / 32767.0F), value);
  }
}

TEST(Samples, FloatsAreMadeFinite) {
  EXPECT_EQ(to_finite(1.5F), 1.5F);
  EXPECT_EQ(to_finite(-kMax), -kMax);
  EXPECT_EQ(to_finite(kInf), 1.0F);
  EXPECT_EQ(to_finite(-kInf), -1.0F);
  EXPECT_EQ(to_finite(kNan), 0.0F);
  EXPECT_EQ(to_unit(1.5F), 1.0F);
  EXPECT_EQ(to_unit(-1.5F), -1.0F);
  EXPECT_EQ(to_unit(0.3F), 0.3F);
  EXPECT_EQ(to_unit(kNan), 0.0F);
}

TEST(Samples, Peak) {
  EXPECT_EQ(peak({}), 0.0F);
  EXPECT_EQ(peak(std::vector{0.0F, -0.0F}), 0.0F);
  EXPECT_EQ(peak(std::vector{0.1F, -0.7F, 0.3F}), 0.7F);
  EXPECT_EQ(peak(std::vector{kNan, 0.2F, kNan}), 0.2F);
  EXPECT_EQ(peak(std::vector{-kInf}), kInf);
}

TEST(Samples, ScaleToPeak) {
  std::vector<float> samples = {0.1F, -0.4F, 0.2F};
  scale_to_peak(samples, 0.8F);
  EXPECT_FLOAT_EQ(samples[0], 0.2F);
  EXPECT_EQ(samples[1], -0.8F);
  EXPECT_FLOAT_EQ(samples[2], 0.4F);
  scale_to_peak(samples, 0.0F);
  EXPECT_EQ(peak(samples), 0.0F);
}

TEST(Samples, ScaleToPeakKeepsSilence) {
  std::vector<float> silence(100, 0.0F);
  scale_to_peak(silence, 1.0F);
  EXPECT_EQ(silence, std::vector<float>(100, 0.0F));
  scale_to_peak({}, 1.0F);
}

TEST(Samples, ScaleToPeakOfExtremes) {
  std::vector<float> faint = {std::numeric_limits<float>::denorm_min(), 0.0F};
  scale_to_peak(faint, 1.0F);
  EXPECT_EQ(faint, (std::vector<float>{1.0F, 0.0F}));
  std::vector<float> loud = {kMax, -kMax / 2};
  scale_to_peak(loud, 1.0F);
  EXPECT_EQ(loud, (std::vector<float>{1.0F, -0.5F}));
  std::vector<float> infinite = {kInf, 0.5F};
  scale_to_peak(infinite, 1.0F);
  EXPECT_EQ(infinite, (std::vector<float>{kInf, 0.5F}));
}

}  // namespace
}  // namespace hayakoe::audio
