// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace hayakoe::tensor {

/// The contents of a .npy file in C order, as float. Integers of 32 and 64 bits are rounded to the nearest float.
struct NpyArray {
  std::vector<std::int64_t> shape;  ///< empty for a scalar, which has one value
  std::vector<float> values;
};

/// Reads a .npy file (NEP 1 / numpy.lib.format, versions 1.0, 2.0 and 3.0) of little-endian floats (f2, f4, f8),
/// integers (i1..i8, u1..u8) or booleans. Fortran order is turned into C order for two axes and refused for more.
/// Throws Error, naming the file, for big-endian, complex, string, object and structured arrays, and if the length of
/// the file is not exactly what the header states.
[[nodiscard]] NpyArray read_npy(const std::filesystem::path& path);

/// The same for bytes in memory; `name` says in messages what they are.
[[nodiscard]] NpyArray parse_npy(std::span<const std::byte> bytes, std::string_view name);

}  // namespace hayakoe::tensor
