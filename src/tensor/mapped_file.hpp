// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace hayakoe::tensor {

/// A regular file mapped into memory for reading. The pages come from the page cache, so opening a file of gigabytes
/// costs nothing until it is read. The file must not be truncated while it is mapped (reading beyond the new end would
/// raise SIGBUS); replacing it by renaming another file over it is fine.
class MappedFile {
 public:
  /// Maps the whole file. Throws Error, naming the path and the system's reason, if it cannot be opened or is a folder,
  /// a pipe, a device or empty. Never blocks on a pipe.
  [[nodiscard]] static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  /// The whole file; never empty. Starts on a page boundary.
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile(const std::byte* data, std::size_t size) : data_(data), size_(size) {}

  const std::byte* data_;
  std::size_t size_;
};

}  // namespace hayakoe::tensor
