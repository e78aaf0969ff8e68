// SPDX-License-Identifier: Apache-2.0
// What packs the operands of attention on the CPU, with every instruction set of this machine.
#include "device/cpu/kernels/transpose.hpp"

#include <gtest/gtest.h>

#include <hwy/targets.h>
#include <random>
#include <vector>

#include "device/cpu/kernels/gemm.hpp"
#include "support/golden.hpp"

namespace hayakoe::device {
namespace {

using test::Matrix;

class TransposeTest : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }

  Matrix noise(int64_t rows, int64_t cols) {
    std::normal_distribution<float> normal;
    Matrix m{std::vector<float>(static_cast<size_t>(rows * cols)), rows, cols};
    for (float& x : m.values) x = normal(random_);
    return m;
  }

  std::mt19937 random_{20260712};
};

INSTANTIATE_TEST_SUITE_P(Targets, TransposeTest, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const auto& info) { return std::string(hwy::TargetName(info.param)); });

TEST_P(TransposeTest, RowsBecomeColumns) {
  for (const int64_t depth : {1, 3, 4, 7, 64, 97}) {
    const Matrix x = noise(kPanel, depth);
    const float* rows[kPanel];
    for (int64_t j = 0; j < kPanel; ++j) rows[j] = j == 5 ? nullptr : x.values.data() + j * depth;
    std::vector<float> panel(static_cast<size_t>(depth * kPanel + 1), 7.0F);
    pack_rows(rows, depth, panel.data());
    for (int64_t i = 0; i < depth; ++i) {
      for (int64_t j = 0; j < kPanel; ++j) {
        EXPECT_EQ(panel[static_cast<size_t>(i * kPanel + j)],
                  j == 5 ? 0.0F : x.values[static_cast<size_t>(j * depth + i)]);
      }
    }
    EXPECT_EQ(panel.back(), 7.0F);
  }
}

TEST_P(TransposeTest, TransposedIsAdded) {
  for (const int64_t rows : {1, 4, 7, 48}) {
    for (const int64_t cols : {1, 3, 8, 47}) {
      const Matrix from = noise(cols, rows + 2);
      const Matrix before = noise(rows, cols + 3);
      Matrix to = before;
      add_transposed(rows, cols, from.values.data(), from.cols, to.values.data(), to.cols);
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < to.cols; ++j) {
          const auto at = static_cast<size_t>(i * to.cols + j);
          const float more = j < cols ? from.values[static_cast<size_t>(j * from.cols + i)] : 0.0F;
          EXPECT_EQ(to.values[at], before.values[at] + more);
        }
      }
    }
  }
}

}  // namespace
}  // namespace hayakoe::device
