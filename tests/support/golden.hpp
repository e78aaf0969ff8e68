// SPDX-License-Identifier: Apache-2.0
// Golden tensors: reading them, laying them out as rows, and comparing.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "tensor/safetensors.hpp"

namespace hayakoe::test {

inline std::string data(const std::string& name) { return std::string(HAYAKOE_TEST_DATA) + "/" + name; }
inline std::string voices(const std::string& name) { return std::string(HAYAKOE_TEST_VOICES) + "/" + name; }

/// A matrix on the host, row-major.
struct Matrix {
  std::vector<float> values;
  int64_t rows = 0, cols = 0;
};

/// [1, channels, time] (or [channels, time]) as [time, channels].
inline Matrix channels_last(const tensor::SafeTensors& file, const std::string& name) {
  const auto& shape = file.get(name).shape;
  const int64_t time = shape[shape.size() - 1];
  const int64_t channels = shape[shape.size() - 2];
  const std::vector<float> v = file.read_f32(name);
  Matrix m{std::vector<float>(v.size()), time, channels};
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t t = 0; t < time; ++t)
      m.values[static_cast<size_t>(t * channels + c)] = v[static_cast<size_t>(c * time + t)];
  }
  return m;
}

/// [1, rows, cols] (or [rows, cols]) as it stands.
inline Matrix rows_of(const tensor::SafeTensors& file, const std::string& name) {
  const auto& shape = file.get(name).shape;
  const int64_t cols = shape.back();
  Matrix m{file.read_f32(name), 0, cols};
  m.rows = static_cast<int64_t>(m.values.size()) / cols;
  return m;
}

inline std::vector<int32_t> integers(const tensor::SafeTensors& file, const std::string& name) {
  const auto v = file.read_i64(name);
  return {v.begin(), v.end()};
}

inline device::Tensor upload(device::Stream& s, const Matrix& m) { return s.upload(m.values, m.rows, m.cols); }

inline Matrix download(device::Stream& s, const device::Tensor& t) {
  Matrix m{std::vector<float>(static_cast<size_t>(t.rows() * t.cols())), t.rows(), t.cols()};
  s.download(t, std::span<float>(m.values));
  return m;
}

/// Largest difference relative to the largest golden value (at least 1e-3, so that zeros compare).
inline double distance(const std::vector<float>& got, const std::vector<float>& want) {
  if (got.size() != want.size()) return INFINITY;
  double largest = 1e-3;
  double worst = 0.0;
  for (size_t i = 0; i < want.size(); ++i) {
    largest = std::max(largest, std::abs(double{want[i]}));
    const double d = std::abs(double{got[i]} - want[i]);
    worst = d <= worst ? worst : d;  // a NaN stays
  }
  return worst / largest;
}

/// Every stage in f32 is within this of the reference.
inline constexpr double kTolerance = 1e-4;

inline void expect_close(device::Stream& s, const device::Tensor& got, const Matrix& want, const std::string& what,
                         double tolerance = kTolerance) {
  const Matrix m = download(s, got);
  ASSERT_EQ(m.rows, want.rows) << what;
  ASSERT_EQ(m.cols, want.cols) << what;
  EXPECT_LE(distance(m.values, want.values), tolerance) << what;
}

}  // namespace hayakoe::test
