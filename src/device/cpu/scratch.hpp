// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hayakoe::device {

/// Scratch of the calling thread, kept between calls: at least `floats` floats, their values undefined. `which` keeps
/// apart what is in use at the same time, 0 to 3.
inline float* thread_scratch(int which, int64_t floats) {
  thread_local std::vector<float> buffers[4];
  std::vector<float>& b = buffers[which];
  if (b.size() < static_cast<size_t>(floats)) {
    b.clear();  // what it holds need not be copied
    b.resize(static_cast<size_t>(floats));
  }
  return b.data();
}

}  // namespace hayakoe::device
