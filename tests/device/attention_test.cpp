// SPDX-License-Identifier: Apache-2.0
// The attentions against plain loops in double precision, at lengths around those of the blocks and panels that they
// are computed in: on the device of the tests, and with every instruction set that the CPU has.
#include <gtest/gtest.h>

#include <hwy/targets.h>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "support/device.hpp"
#include "support/golden.hpp"

namespace hayakoe::device {
namespace {

using test::Matrix;

constexpr int64_t kItsOwn = 0;  // whatever the device chooses

class AttentionTest : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override {
    if (GetParam() != kItsOwn && !test::on_cpu()) GTEST_SKIP() << "an instruction set of the CPU";
    hwy::SetSupportedTargetsForTest(GetParam());
  }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }

  Matrix noise(int64_t rows, int64_t cols) {
    std::normal_distribution<float> normal;
    Matrix m{std::vector<float>(static_cast<size_t>(rows * cols)), rows, cols};
    for (float& x : m.values) x = normal(random_);
    return m;
  }

  std::mt19937 random_{20260712};
  // Distances up to 12 have a bucket each, several share one up to 60, and beyond that all have the last. 40 rows.
  RelativeBuckets shared_buckets() {
    RelativeBuckets buckets;
    buckets.limit = 60;
    for (int64_t r = -60; r <= 60; ++r) {
      const int64_t far = std::max<int64_t>(std::abs(r) - 12, 0);
      const int64_t bucket = std::min<int64_t>(std::abs(r), 12) + (far + 7) / 8;
      buckets.row.push_back(static_cast<int32_t>(20 + (r < 0 ? -bucket : bucket)));
    }
    buckets.on_device = device_->constant(std::span<const int32_t>(buckets.row));
    return buckets;
  }

  std::shared_ptr<Device> device_ = test::open_device(2);
  std::unique_ptr<Stream> stream_ = device_->stream();
  Stream& s_ = *stream_;
};

INSTANTIATE_TEST_SUITE_P(ItsOwn, AttentionTest, testing::Values(kItsOwn));
INSTANTIATE_TEST_SUITE_P(Targets, AttentionTest, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const auto& info) { return std::string(hwy::TargetName(info.param)); });

const std::vector<int64_t> kLengths{1, 15, 16, 17, 0, 47, 48, 49, 97, 130};

double dot(const Matrix& a, int64_t a_row, int64_t a_col, const Matrix& b, int64_t b_row, int64_t b_col, int64_t n) {
  double sum = 0.0;
  for (int64_t c = 0; c < n; ++c) {
    sum += double{a.values[static_cast<size_t>(a_row * a.cols + a_col + c)]} *
           b.values[static_cast<size_t>(b_row * b.cols + b_col + c)];
  }
  return sum;
}

// out[c] = Σⱼ softmax(scores)ⱼ · value(j, c)
template <typename ValueRow>
void attend(std::vector<double> scores, const ValueRow& value, float* out, int64_t d) {
  const double top = *std::max_element(scores.begin(), scores.end());
  double sum = 0.0;
  for (double& v : scores) sum += v = std::exp(v - top);
  for (int64_t c = 0; c < d; ++c) {
    double y = 0.0;
    for (size_t j = 0; j < scores.size(); ++j) y += scores[j] / sum * value(static_cast<int64_t>(j), c);
    out[c] = static_cast<float>(y);
  }
}

// `score(first row of the segment, i, j, head)` and `more(i, j, c)`, what comes to value c of key j for query i.
template <typename Score, typename More>
Matrix plain_attention(const Matrix& qkv, const Segments& s, int64_t heads, const Score& score, const More& more) {
  const int64_t channels = qkv.cols / 3;
  const int64_t d = channels / heads;
  Matrix y{std::vector<float>(static_cast<size_t>(qkv.rows * channels)), qkv.rows, channels};
  for (int64_t segment = 0; segment < s.count(); ++segment) {
    const int64_t first = s.begin(segment);
    for (int64_t i = 0; i < s.length(segment); ++i) {
      for (int64_t h = 0; h < heads; ++h) {
        std::vector<double> scores;
        for (int64_t j = 0; j < s.length(segment); ++j) scores.push_back(score(first, i, j, h));
        const auto value = [&](int64_t j, int64_t c) {
          return qkv.values[static_cast<size_t>((first + j) * qkv.cols + 2 * channels + h * d + c)] + more(i, j, c);
        };
        attend(scores, value, y.values.data() + (first + i) * channels + h * d, d);
      }
    }
  }
  return y;
}

TEST_P(AttentionTest, BertEqualsThePlainSum) {
  constexpr int64_t kHeads = 3;
  for (const int64_t d : {int64_t{64}, int64_t{10}}) {
    const Segments segments = Segments::of_lengths(kLengths);
    const int64_t hidden = kHeads * d;
    const Matrix qkv = noise(segments.rows(), 3 * hidden);
    const Matrix pos_k = noise(40, hidden);
    const Matrix pos_q = noise(40, hidden);
    const RelativeBuckets buckets = shared_buckets();
    const auto score = [&](int64_t first, int64_t i, int64_t j, int64_t h) {
      const int64_t delta = buckets.at(i - j);
      return (dot(qkv, first + i, h * d, qkv, first + j, hidden + h * d, d) +
              dot(qkv, first + i, h * d, pos_k, delta, h * d, d) +
              dot(qkv, first + j, hidden + h * d, pos_q, delta, h * d, d)) /
             std::sqrt(3.0 * static_cast<double>(d));
    };
    const Matrix want = plain_attention(qkv, segments, kHeads, score, [](int64_t, int64_t, int64_t) { return 0.0; });
    const Tensor got = s_.bert_attention(test::upload(s_, qkv), test::upload(s_, pos_k), test::upload(s_, pos_q),
                                         segments, kHeads, buckets);
    test::expect_close(s_, got, want, "bert_attention", 1e-5);
  }
}

TEST_P(AttentionTest, WindowedEqualsThePlainSum) {
  constexpr int64_t kHeads = 2;
  constexpr int64_t kWindow = 4;
  for (const int64_t d : {int64_t{96}, int64_t{10}}) {
    const Segments segments = Segments::of_lengths(kLengths);
    Matrix qkv = noise(segments.rows(), 3 * kHeads * d);
    for (int64_t r = 0; r < qkv.rows; ++r) {
      for (int64_t c = 0; c < kHeads * d; ++c)
        qkv.values[static_cast<size_t>(r * qkv.cols + c)] /= std::sqrt(static_cast<float>(d));
    }
    const Matrix rel_k = noise(2 * kWindow + 1, d);
    const Matrix rel_v = noise(2 * kWindow + 1, d);
    const auto near = [&](int64_t i, int64_t j) { return std::abs(j - i) <= kWindow; };
    const auto score = [&](int64_t first, int64_t i, int64_t j, int64_t h) {
      return dot(qkv, first + i, h * d, qkv, first + j, (kHeads + h) * d, d) +
             (near(i, j) ? dot(qkv, first + i, h * d, rel_k, j - i + kWindow, 0, d) : 0.0);
    };
    const auto more = [&](int64_t i, int64_t j, int64_t c) {
      return near(i, j) ? double{rel_v.values[static_cast<size_t>((j - i + kWindow) * d + c)]} : 0.0;
    };
    const Tensor got = s_.windowed_attention(test::upload(s_, qkv), test::upload(s_, rel_k), test::upload(s_, rel_v),
                                             segments, kHeads);
    test::expect_close(s_, got, plain_attention(qkv, segments, kHeads, score, more), "windowed_attention", 1e-5);
  }
}

TEST_P(AttentionTest, ASegmentDoesNotDependOnItsNeighbours) {
  const Tensor qkv = test::upload(s_, noise(80, 3 * 64));
  const Tensor relative = test::upload(s_, noise(9, 32));
  const Tensor positions = test::upload(s_, noise(40, 64));
  const RelativeBuckets buckets = shared_buckets();
  const auto windowed = [&](const Tensor& x, const Segments& s) {
    return test::download(s_, s_.windowed_attention(x, relative, relative, s, 2)).values;
  };
  const auto bert = [&](const Tensor& x, const Segments& s) {
    return test::download(s_, s_.bert_attention(x, positions, positions, s, 2, buckets)).values;
  };
  const Segments two = Segments::of_lengths(std::vector<int64_t>{50, 30});
  const Tensor second = qkv.slice_rows(50, 30);
  const auto end_of = [](const std::vector<float>& v) { return std::vector<float>(v.begin() + 50 * 64, v.end()); };
  EXPECT_EQ(windowed(second, Segments::single(30)), end_of(windowed(qkv, two)));
  EXPECT_EQ(bert(second, Segments::single(30)), end_of(bert(qkv, two)));
}

}  // namespace
}  // namespace hayakoe::device
