// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "device/device.hpp"

namespace hayakoe::engine {

/// Where ONNX models run.
struct OnnxPlace {
  std::optional<int> cuda;  ///< the NVIDIA GPU; nothing: the CPU
  std::string why_not;      ///< why not on the GPU, if the engine's device is one; else empty
};

/// Where they run for an engine with this device: on the same GPU if ONNX Runtime can do that, else on the CPU.
/// @throws Error if ONNX Runtime cannot be loaded to ask it
[[nodiscard]] OnnxPlace onnx_place(const device::Device& device);

}  // namespace hayakoe::engine
