// SPDX-License-Identifier: Apache-2.0
#include "tensor/npy_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <hayakoe/error.hpp>
#include <string>

#include "tensor/array.hpp"
#include "tensor/new_file.hpp"

namespace hayakoe::tensor {

void write_npy(const std::filesystem::path& path, std::span<const std::int64_t> shape, std::span<const float> values) {
  static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");
  if (element_count(shape) != static_cast<std::int64_t>(values.size())) {
    throw Error(
        fmt::format("{}: the shape {} does not fit {} values", path.string(), shape_string(shape), values.size()));
  }
  // A tuple of one number has a comma behind it in Python.
  std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}{}), }}",
                                   fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t kAlignment = 64;
  constexpr std::size_t kPreamble = 10;  // magic, version and the length of the header in two bytes
  header.append(kAlignment - 1 - (kPreamble + header.size()) % kAlignment, ' ');
  header += '\n';

  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(header.size() & 0xFFU);
  start += static_cast<char>(header.size() >> 8U);
  start += header;
  NewFile file(path, start.size() + values.size_bytes());
  file.append(std::as_bytes(std::span(start)));
  file.append(std::as_bytes(values));
  file.commit();
}

}  // namespace hayakoe::tensor
