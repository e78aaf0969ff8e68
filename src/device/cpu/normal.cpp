// SPDX-License-Identifier: Apache-2.0
#include <hayakoe/error.hpp>

#include "device/cpu/cpu_device.hpp"
#include "device/philox.hpp"

namespace hayakoe::device {

Tensor CpuStream::normal(const Segments& s, int64_t cols, std::span<const uint64_t> keys) {
  if (static_cast<int64_t>(keys.size()) != s.count()) throw Error("normal: one key a segment is needed");
  Tensor y = allocate(s.rows(), cols);
  for (int64_t i = 0; i < s.count(); ++i) {
    const uint64_t key = keys[static_cast<size_t>(i)];
    pool_->for_each(s.length(i), cols * 8, [&](int64_t t) {
      float* row = row_of(y, s.begin(i) + t);
      for (int64_t c = 0; c < cols; c += 4) {
        float four[4];
        normal_quad(key, static_cast<uint32_t>(t), static_cast<uint32_t>(c / 4), four);
        for (int64_t j = 0; j < 4 && c + j < cols; ++j) row[c + j] = four[j];
      }
    });
  }
  return y;
}

}  // namespace hayakoe::device
