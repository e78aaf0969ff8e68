// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensor/dtype.hpp"

namespace hayakoe::tensor {

/// An array that lies in somebody else's memory, mostly a mapped file, in C order. `bytes` may start at any address, so
/// read elements through the functions below or through memcpy. Whoever fills one in sees to it that `bytes` holds
/// exactly elements() * dtype_size(dtype) bytes; the readers in this folder do, and the conversions check it again.
struct ArrayView {
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;

  /// The product of the shape; 1 for the empty shape (a scalar). Throws Error as element_count() does.
  [[nodiscard]] std::int64_t elements() const;
};

/// The product of the shape; 1 for the empty shape. Throws Error if an axis is negative or the product of the non-zero
/// axes does not fit (so that no later product of a part of the axes can overflow either).
[[nodiscard]] std::int64_t element_count(std::span<const std::int64_t> shape);

/// "[2, 3]"; "[]" for a scalar.
[[nodiscard]] std::string shape_string(std::span<const std::int64_t> shape);

/// The elements as float, for F32, F16, BF16 and F64 (F64 rounds to nearest; beyond float's range it becomes infinite).
/// Throws Error for other types and for a view whose bytes do not match its shape.
[[nodiscard]] std::vector<float> to_f32(const ArrayView& array);

/// As above, into `out`, which must have exactly elements() floats (else Error).
void to_f32(const ArrayView& array, std::span<float> out);

/// The elements as 64-bit integers, for I64, I32, I16, I8, U8 and BOOL (any non-zero byte is 1). Throws Error for
/// other types and for a view whose bytes do not match its shape.
[[nodiscard]] std::vector<std::int64_t> to_i64(const ArrayView& array);

/// One IEEE 754 binary16 number, given by its bits, as float. Exact; the payload of a NaN is kept.
[[nodiscard]] float f16_to_f32(std::uint16_t bits);

/// One bfloat16 number (the upper half of a float), given by its bits, as float. Exact.
[[nodiscard]] float bf16_to_f32(std::uint16_t bits);

}  // namespace hayakoe::tensor
