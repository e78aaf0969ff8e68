// SPDX-License-Identifier: Apache-2.0
#include "engine/features.hpp"

namespace hayakoe::engine {

int64_t tokens_of(const Features& features) {
  if (const auto* tensor = std::get_if<device::Tensor>(&features)) return tensor->rows();
  return std::get<onnx::Features>(features).tokens();
}

Features last_of(const Features& features, int64_t tokens) {
  if (const auto* tensor = std::get_if<device::Tensor>(&features))
    return tensor->slice_rows(tensor->rows() - tokens, tokens);
  return onnx::last_of(std::get<onnx::Features>(features), tokens);
}

Features join(device::Stream& stream, const Features& a, const Features& b) {
  if (const auto* tensor = std::get_if<device::Tensor>(&a))
    return stream.concat_rows(*tensor, std::get<device::Tensor>(b));
  return onnx::join(std::get<onnx::Features>(a), std::get<onnx::Features>(b));
}

}  // namespace hayakoe::engine
