// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace hayakoe::tensor {

/// A file that appears under its name only when all of it is written: until commit() the bytes lie in a temporary file
/// beside it, which goes with the object. Every Error names the path and what stands in the way.
class NewFile {
 public:
  /// `bytes`: how many will be written. Throws Error if the folder is missing or the disk has no room for them.
  NewFile(std::filesystem::path path, std::uint64_t bytes);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Throws Error when the disk is full.
  void append(std::span<const std::byte> bytes);

  /// Gives the file its name, replacing one that has it.
  void commit();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int fd_ = -1;
  bool committed_ = false;
};

}  // namespace hayakoe::tensor
