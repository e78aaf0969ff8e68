// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/dtype.hpp"

namespace hayakoe::tensor {

/// One tensor as the header of a safetensors file describes it. Nothing here has been compared with the file's size.
struct TensorEntry {
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;  ///< no negative axis, at most SafeTensors::kMaxAxes of them
  std::uint64_t begin = 0;          ///< in bytes after the header
  std::uint64_t end = 0;            ///< one past the last byte
};

struct SafeTensorsHeader {
  std::map<std::string, TensorEntry> tensors;
  std::map<std::string, std::string> metadata;
};

/// Parses the JSON header. It is read as a stream of events, so its depth costs no stack and nothing but the result is
/// built. Throws Error for whatever is not a header: broken JSON, repeated keys, missing or unknown fields, wrong
/// types, negative or too large numbers. `file` is named in the messages.
[[nodiscard]] SafeTensorsHeader parse_safetensors_header(std::string_view json, std::string_view file);

/// `text` in double quotes, fit for a message: control characters replaced, and cut if it is very long.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace hayakoe::tensor
