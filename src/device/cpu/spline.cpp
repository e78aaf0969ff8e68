// SPDX-License-Identifier: Apache-2.0
#include "device/spline.hpp"

#include "device/cpu/cpu_device.hpp"

namespace hayakoe::device {

void CpuStream::spline_inverse_in_place(Tensor& y, const Tensor& params, float scale) {
  const auto bins = static_cast<int>((params.cols() + 1) / 3);
  for (int64_t r = 0; r < y.rows(); ++r) {
    float& value = *row_of(y, r);
    value = static_cast<float>(spline_inverse(value, row_of(params, r), bins, scale));
  }
}

}  // namespace hayakoe::device
