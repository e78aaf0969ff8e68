// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace hayakoe::tensor {

/// Writes a .npy file (NEP 1, version 1.0) of little-endian floats in C order. `values` has the product of the shape.
/// The file appears under its name only when it is complete. Throws Error naming the path.
void write_npy(const std::filesystem::path& path, std::span<const std::int64_t> shape, std::span<const float> values);

}  // namespace hayakoe::tensor
