// SPDX-License-Identifier: Apache-2.0
// BERT's features on their way from a BERT to a voice.
#pragma once

#include <cstdint>
#include <variant>

#include "device/device.hpp"
#include "onnx/features.hpp"

namespace hayakoe::engine {

/// Features of tokens that stand behind one another: on the device, [tokens, width]; or, where BERT and voice are both
/// ONNX models, where ONNX Runtime has them.
using Features = std::variant<device::Tensor, onnx::Features>;

/// How many tokens they are of.
[[nodiscard]] int64_t tokens_of(const Features& features);
/// The last `tokens` of them; nothing is copied.
[[nodiscard]] Features last_of(const Features& features, int64_t tokens);
/// The tokens of `a`, then those of `b`, which must be of the same kind.
[[nodiscard]] Features join(device::Stream& stream, const Features& a, const Features& b);

}  // namespace hayakoe::engine
