// SPDX-License-Identifier: Apache-2.0
#include "tensor/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <hayakoe/error.hpp>
#include <string_view>
#include <system_error>
#include <utility>

namespace hayakoe::tensor {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view reason) {
  throw Error(fmt::format("cannot write {}: {}", path.string(), reason));
}

[[noreturn]] void fail_errno(const std::filesystem::path& path, int error) {
  fail(path, std::generic_category().message(error));
}

// Told before the first byte rather than after most of a long file.
void check_room(const std::filesystem::path& path, std::uint64_t bytes) {
  std::error_code unknown;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const auto room = std::filesystem::space(folder, unknown).available;
  if (unknown || room >= bytes) return;
  constexpr double kMegabyte = 1e6;
  fail(path, fmt::format("it takes {:.1f} MB, but the disk has room for {:.1f} MB only",
                         static_cast<double>(bytes) / kMegabyte, static_cast<double>(room) / kMegabyte));
}

}  // namespace

NewFile::NewFile(std::filesystem::path path, std::uint64_t bytes) : path_(std::move(path)) {
  if (!path_.has_filename()) fail(path_, "the name of a file is needed");
  static std::atomic<unsigned> counter = 0;
  constexpr int kAttempts = 1000;  // files that a killed process with the same id left behind
  for (int attempt = 0; fd_ < 0; ++attempt) {
    if (attempt == kAttempts) fail(path_, "too many old .hayakoe-*.part files lie beside it");
    temporary_ = path_.parent_path() / fmt::format(".hayakoe-{}-{}.part", ::getpid(), counter++);
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd_ < 0 && errno != EEXIST) fail_errno(path_, errno);
  }
  try {
    check_room(path_, bytes);
  } catch (...) {
    ::close(fd_);
    ::unlink(temporary_.c_str());
    throw;
  }
}

NewFile::~NewFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!committed_) ::unlink(temporary_.c_str());
}

void NewFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) fail_errno(path_, errno);
    if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void NewFile::commit() {
  // Some file systems report a full disk only here.
  if (::close(std::exchange(fd_, -1)) != 0) fail_errno(path_, errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_errno(path_, errno);
  committed_ = true;
}

}  // namespace hayakoe::tensor
