// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/dtype.hpp"
#include "tensor/new_file.hpp"

namespace hayakoe::tensor {

/// A tensor that a file is going to hold.
struct TensorEntry {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;

  /// Throws Error for a negative axis or a product that does not fit.
  [[nodiscard]] std::uint64_t bytes() const;
};

/// Writes a safetensors file without ever holding more of it than its caller does: the header first, from a list of
/// what will come, then the data, tensor by tensor in the order of that list. The file appears under its name only in
/// finish().
///
/// The data begin at a multiple of 64 bytes and the format knows no gaps, so a list that begins with the widest types
/// has every tensor aligned for its type.
class SafeTensorsWriter {
 public:
  /// Throws Error if a name occurs twice or is "__metadata__", if there are more axes than the format allows, if the
  /// header gets too long, or if the disk has no room for the file.
  SafeTensorsWriter(const std::filesystem::path& path, std::vector<TensorEntry> tensors,
                    const std::map<std::string, std::string>& metadata = {});

  /// The next bytes, in C order and little-endian, of the tensor `name`, which is the first of the list that is not yet
  /// complete. Throws Error if it is another one, if there are more bytes than it holds, or if the disk is full.
  void write(std::string_view name, std::span<const std::byte> bytes);

  /// Gives the file its name. Throws Error if a tensor is missing or incomplete.
  void finish();

  /// Bytes of the whole file, header included.
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  // Steps over tensors that have all their bytes, empty ones among them.
  void skip_complete();

  std::vector<TensorEntry> tensors_;
  std::string header_;
  std::uint64_t size_ = 0;
  NewFile file_;
  std::size_t next_ = 0;       // of tensors_
  std::uint64_t written_ = 0;  // bytes of tensors_[next_]
};

}  // namespace hayakoe::tensor
