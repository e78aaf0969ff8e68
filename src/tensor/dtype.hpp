// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hayakoe::tensor {

/// Element types an array in a file may have. All are little-endian; kBool is one byte per element.
enum class DType : std::uint8_t { kF32, kF16, kBF16, kF64, kI64, kI32, kI16, kI8, kU8, kBool };

/// Bytes per element (1, 2, 4 or 8).
[[nodiscard]] std::size_t dtype_size(DType dtype);

/// The name the safetensors format uses: "F32", "F16", "BF16", "F64", "I64", "I32", "I16", "I8", "U8" or "BOOL".
[[nodiscard]] std::string_view dtype_name(DType dtype);

}  // namespace hayakoe::tensor
