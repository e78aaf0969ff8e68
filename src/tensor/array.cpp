// SPDX-License-Identifier: Apache-2.0
#include "tensor/array.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <hayakoe/error.hpp>
#include <limits>

namespace hayakoe::tensor {
namespace {

// The files are little-endian and are read as they lie.
static_assert(std::endian::native == std::endian::little, "only little-endian hosts are supported");
static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559);

// `yes` if `condition`, else `no`. Not a ?:, which the compiler would turn back into the branch that keeps a loop from
// being vectorised.
inline std::uint32_t select(bool condition, std::uint32_t yes, std::uint32_t no) {
  const std::uint32_t mask = 0U - static_cast<std::uint32_t>(condition);
  return (yes & mask) | (no & ~mask);
}

// A subnormal half is magnitude * 2^-24, and 2^-24 is the unit in the last place of the floats from 0.5 to 1. No
// subnormal float occurs, so a thread that flushes these to zero gets the same result.
inline float half_to_float(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7fffU;
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t normal = (magnitude << 13) + (112U << 23);    // exponent bias 15 -> 127
  const std::uint32_t infinite = (magnitude << 13) + (224U << 23);  // exponent 31 -> 255
  const float subnormal = std::bit_cast<float>(std::bit_cast<std::uint32_t>(0.5F) + magnitude) - 0.5F;
  std::uint32_t bits = select(magnitude < 0x0400U, std::bit_cast<std::uint32_t>(subnormal), normal);
  bits = select(magnitude < 0x7c00U, bits, infinite);
  return std::bit_cast<float>(bits | sign);
}

inline float brain_to_float(std::uint16_t brain) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(brain) << 16);
}

// Unaligned elements of type T, each put through `convert`.
template <typename T, typename Out, typename Convert>
void convert_all(std::span<const std::byte> bytes, std::span<Out> out, Convert convert) {
  const std::byte* const from = bytes.data();
  Out* const to = out.data();
  const std::size_t count = out.size();
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    to[i] = convert(value);
  }
}

void check_bytes(const ArrayView& array) {
  const auto elements = static_cast<std::uint64_t>(array.elements());
  const std::size_t size = dtype_size(array.dtype);
  if (array.bytes.size() % size != 0 || array.bytes.size() / size != elements) {
    throw Error(
        fmt::format("an array of shape {} and type {} has {} bytes, but that shape needs {} elements of {} bytes",
                    shape_string(array.shape), dtype_name(array.dtype), array.bytes.size(), elements, size));
  }
}

bool is_float(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16 || dtype == DType::kF64;
}

void check_float(const ArrayView& array) {
  if (!is_float(array.dtype)) {
    throw Error(
        fmt::format("an array of type {} cannot be read as floating-point numbers; F32, F16, BF16 or F64 is right",
                    dtype_name(array.dtype)));
  }
}

template <typename T>
void integers(std::span<const std::byte> bytes, std::span<std::int64_t> out) {
  convert_all<T>(bytes, out, [](T value) { return static_cast<std::int64_t>(value); });
}

}  // namespace

std::int64_t element_count(std::span<const std::int64_t> shape) {
  std::int64_t product = 1;
  bool empty = false;
  for (const std::int64_t axis : shape) {
    if (axis < 0) {
      throw Error(fmt::format("the shape {} has a negative axis", shape_string(shape)));
    }
    if (axis == 0) {
      empty = true;
    } else if (axis > std::numeric_limits<std::int64_t>::max() / product) {
      throw Error(fmt::format("the shape {} has more elements than a 64-bit number can count", shape_string(shape)));
    } else {
      product *= axis;
    }
  }
  return empty ? 0 : product;
}

std::int64_t ArrayView::elements() const { return element_count(shape); }

std::string shape_string(std::span<const std::int64_t> shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

void to_f32(const ArrayView& array, std::span<float> out) {
  check_float(array);
  check_bytes(array);
  if (out.size() * dtype_size(array.dtype) != array.bytes.size()) {
    throw Error(fmt::format("an array of shape {} cannot be read into room for {} numbers", shape_string(array.shape),
                            out.size()));
  }
  if (out.empty()) {
    return;
  }
  switch (array.dtype) {
    case DType::kF16:
      convert_all<std::uint16_t>(array.bytes, out, half_to_float);
      break;
    case DType::kBF16:
      convert_all<std::uint16_t>(array.bytes, out, brain_to_float);
      break;
    case DType::kF64:
      convert_all<double>(array.bytes, out, [](double value) { return static_cast<float>(value); });
      break;
    default:
      std::memcpy(out.data(), array.bytes.data(), array.bytes.size());
      break;
  }
}

std::vector<float> to_f32(const ArrayView& array) {
  check_float(array);
  check_bytes(array);  // before the allocation, so that a wrong shape cannot ask for much
  std::vector<float> out(static_cast<std::size_t>(array.elements()));
  to_f32(array, out);
  return out;
}

std::vector<std::int64_t> to_i64(const ArrayView& array) {
  if (is_float(array.dtype)) {
    throw Error(fmt::format("an array of type {} cannot be read as integers; I64, I32, I16, I8, U8 or BOOL is right",
                            dtype_name(array.dtype)));
  }
  check_bytes(array);
  std::vector<std::int64_t> out(static_cast<std::size_t>(array.elements()));
  switch (array.dtype) {
    case DType::kI32:
      integers<std::int32_t>(array.bytes, out);
      break;
    case DType::kI16:
      integers<std::int16_t>(array.bytes, out);
      break;
    case DType::kI8:
      integers<std::int8_t>(array.bytes, out);
      break;
    case DType::kU8:
      integers<std::uint8_t>(array.bytes, out);
      break;
    case DType::kBool:
      convert_all<std::uint8_t>(array.bytes, std::span(out),
                                [](std::uint8_t value) -> std::int64_t { return value != 0; });
      break;
    default:
      integers<std::int64_t>(array.bytes, out);
      break;
  }
  return out;
}

float f16_to_f32(std::uint16_t bits) { return half_to_float(bits); }

float bf16_to_f32(std::uint16_t bits) { return brain_to_float(bits); }

}  // namespace hayakoe::tensor
