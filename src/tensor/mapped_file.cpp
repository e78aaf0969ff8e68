// SPDX-License-Identifier: Apache-2.0
#include "tensor/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <hayakoe/error.hpp>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

namespace hayakoe::tensor {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view reason) {
  throw Error(fmt::format("cannot read {}: {}", path.string(), reason));
}

[[noreturn]] void fail_errno(const std::filesystem::path& path, int error) {
  fail(path, std::generic_category().message(error));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

void check_regular(const std::filesystem::path& path, const struct stat& info) {
  if (S_ISDIR(info.st_mode)) {
    fail(path, "it is a folder, but a file is needed");
  }
  if (!S_ISREG(info.st_mode)) {
    fail(path, "it is a pipe, a socket or a device, but a regular file is needed");
  }
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  struct stat info {};
  // Looked at before opening, because merely opening some devices does something. Looked at again after opening, and
  // opened without waiting, because the name may stand for something else by then.
  if (::stat(path.c_str(), &info) != 0) {
    fail_errno(path, errno);
  }
  check_regular(path, info);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0) {
    fail_errno(path, errno);
  }
  check_regular(path, info);
  if (info.st_size <= 0) {
    fail(path, "the file is empty");
  }
  if (static_cast<std::uint64_t>(info.st_size) > std::numeric_limits<std::size_t>::max() / 2) {
    fail(path, "the file is too large for the address space");
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) {
    fail_errno(path, errno);
  }
  try {
    return std::shared_ptr<const MappedFile>(new MappedFile(static_cast<const std::byte*>(data), size));
  } catch (...) {
    ::munmap(data, size);
    throw;
  }
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::byte*>(data_), size_); }

}  // namespace hayakoe::tensor
