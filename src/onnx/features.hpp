// SPDX-License-Identifier: Apache-2.0
// BERT's features on their way from a BERT to the graphs of a voice. They stay where BERT ran, a GPU's memory or the
// host's, and are joined and repeated for the phones there, by tiny graphs of our own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "onnx/session.hpp"

namespace hayakoe::onnx {

/// The features of tokens that stand behind one another in a text.
struct Features {
  DeviceTensor values;       ///< [rows, width] or [batch, rows, width]: also of padding and other tokens
  std::vector<int64_t> row;  ///< of each token, counted through all of `values`

  [[nodiscard]] int64_t tokens() const { return static_cast<int64_t>(row.size()); }
};

/// The last `tokens` of them. Nothing is copied.
[[nodiscard]] Features last_of(const Features& features, int64_t tokens);

/// The tokens of `a`, then those of `b`, which must be in the same memory. @throws Error
[[nodiscard]] Features join(const Features& a, const Features& b);

/// What the graphs of a voice take, [1, width, phones]: column p has the features of token `token_of_phone[p]`, each of
/// which must be one of `features`. @throws Error
[[nodiscard]] DeviceTensor expand(const Features& features, std::span<const int32_t> token_of_phone);

/// Why ONNX models cannot run on NVIDIA GPU `device`: this ONNX Runtime has no CUDA, or its CUDA does not work here.
/// Empty if they can. Found out once in a process. @throws Error if ONNX Runtime cannot be loaded
[[nodiscard]] std::string why_not_on_cuda(int device);

}  // namespace hayakoe::onnx
