// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx_place.hpp"

#include <string_view>

#include "onnx/features.hpp"

namespace hayakoe::engine {

OnnxPlace onnx_place(const device::Device& device) {
  constexpr std::string_view kCuda = "cuda:";
  const std::string name = device.name();
  if (!name.starts_with(kCuda)) return {};
  const int gpu = std::stoi(name.substr(kCuda.size()));
  std::string why_not = onnx::why_not_on_cuda(gpu);
  if (!why_not.empty()) return {std::nullopt, std::move(why_not)};
  return {gpu, {}};
}

}  // namespace hayakoe::engine
