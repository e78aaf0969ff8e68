// SPDX-License-Identifier: Apache-2.0
#include "audio/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <hayakoe/error.hpp>
#include <optional>
#include <system_error>
#include <utility>

namespace hayakoe::audio {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view reason) {
  throw Error(fmt::format("cannot write {}: {}", path.string(), reason));
}

[[noreturn]] void fail_errno(const std::filesystem::path& path, int error) {
  fail(path, std::generic_category().message(error));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  [[nodiscard]] int get() const { return fd_; }

  /// Some file systems report a full disk only here. Returns 0 or the error.
  int close() { return ::close(std::exchange(fd_, -1)) == 0 ? 0 : errno; }

 private:
  int fd_;
};

// Appends to an fd, or writes at a position where one is given.
void write_all(const Descriptor& file, const std::filesystem::path& path, std::string_view bytes,
               std::optional<std::uint64_t> position) {
  while (!bytes.empty()) {
    const ssize_t written = position ? ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(*position))
                                     : ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      fail_errno(path, errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
    if (position) {
      *position += static_cast<std::uint64_t>(written);
    }
  }
}

class FileOutput final : public Output {
 public:
  FileOutput(std::filesystem::path path, std::filesystem::path temporary, Descriptor file)
      : path_(std::move(path)), temporary_(std::move(temporary)), file_(std::move(file)) {}

  ~FileOutput() override {
    if (!committed_) {
      ::unlink(temporary_.c_str());
    }
  }

  void write_at(std::uint64_t position, std::string_view bytes) override {
    write_all(file_, path_, bytes, position);
    size_ = std::max(size_, position + bytes.size());
  }

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] bool can_rewrite() const override { return true; }

  void commit() override {
    if (const int error = file_.close(); error != 0) {
      fail_errno(path_, error);
    }
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
      fail_errno(path_, errno);
    }
    committed_ = true;
  }

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  Descriptor file_;
  std::uint64_t size_ = 0;
  bool committed_ = false;
};

class MemoryOutput final : public Output {
 public:
  explicit MemoryOutput(std::string& out) : out_(out) {}

  void write_at(std::uint64_t position, std::string_view bytes) override {
    const auto begin = static_cast<std::size_t>(position);
    if (begin + bytes.size() > bytes_.size()) {
      bytes_.resize(begin + bytes.size());
    }
    bytes.copy(bytes_.data() + begin, bytes.size());
  }

  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] bool can_rewrite() const override { return true; }
  void commit() override { out_ = std::move(bytes_); }

 private:
  std::string& out_;
  std::string bytes_;
};

class StreamOutput final : public Output {
 public:
  explicit StreamOutput(std::function<void(std::string_view)> sink) : sink_(std::move(sink)) {}

  void write_at(std::uint64_t position, std::string_view bytes) override {
    if (position < size_) {
      bytes.remove_prefix(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), size_ - position)));
    }
    if (!bytes.empty()) {
      sink_(bytes);
      size_ += bytes.size();
    }
  }

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] bool can_rewrite() const override { return false; }
  void commit() override {}

 private:
  std::function<void(std::string_view)> sink_;
  std::uint64_t size_ = 0;
};

class DeviceOutput final : public Output {
 public:
  DeviceOutput(std::filesystem::path path, Descriptor file)
      : path_(std::move(path)),
        file_(std::move(file)),
        stream_([this](std::string_view bytes) { write_all(file_, path_, bytes, std::nullopt); }) {}

  void write_at(std::uint64_t position, std::string_view bytes) override { stream_.write_at(position, bytes); }
  [[nodiscard]] std::uint64_t size() const override { return stream_.size(); }
  [[nodiscard]] bool can_rewrite() const override { return false; }

  void commit() override {
    if (const int error = file_.close(); error != 0) {
      fail_errno(path_, error);
    }
  }

 private:
  std::filesystem::path path_;
  Descriptor file_;
  StreamOutput stream_;
};

// Names that stand for what the process has open; renaming a file over them makes no sense.
bool is_open_file_name(const std::filesystem::path& path) {
  const std::string name = path.lexically_normal().string();
  return name.starts_with("/dev/std") || name.starts_with("/dev/fd/") || name.starts_with("/proc/");
}

std::unique_ptr<Output> open_device(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) {
    fail_errno(path, errno);
  }
  return std::make_unique<DeviceOutput>(path, std::move(file));
}

// A new file beside `path`. Its name is short because that of `path` may have the greatest length allowed.
std::pair<Descriptor, std::filesystem::path> create_beside(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter = 0;
  constexpr int kAttempts = 1000;  // files that a killed process with the same id left behind
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::filesystem::path temporary = path.parent_path() / fmt::format(".hayakoe-{}-{}.part", ::getpid(), counter++);
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (file.get() >= 0) {
      return {std::move(file), std::move(temporary)};
    }
    if (errno != EEXIST) {
      fail_errno(path, errno);
    }
  }
  fail(path, "too many old .hayakoe-*.part files lie beside it");
}

}  // namespace

std::unique_ptr<Output> open_file_output(const std::filesystem::path& path) {
  if (!path.has_filename()) {
    fail(path, "the name of a file is needed");
  }
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) {
    fail_errno(path, errno);
  }
  if (exists && S_ISDIR(info.st_mode)) {
    fail(path, "it is a folder, but the name of a file is needed");
  }
  if ((exists && !S_ISREG(info.st_mode)) || is_open_file_name(path)) {
    return open_device(path);
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) {
    fail_errno(path, errno);  // renaming would get around the write protection
  }
  std::error_code no_link;
  const std::filesystem::path target = exists ? std::filesystem::canonical(path, no_link) : path;
  const std::filesystem::path& final_path = no_link ? path : target;
  auto [file, temporary] = create_beside(final_path);
  if (exists) {
    // Not worth failing for: the new file then has the permissions of any new file.
    [[maybe_unused]] const int ignored = ::fchmod(file.get(), info.st_mode & 0777U);
  }
  return std::make_unique<FileOutput>(final_path, std::move(temporary), std::move(file));
}

std::unique_ptr<Output> open_memory_output(std::string& out) { return std::make_unique<MemoryOutput>(out); }

std::unique_ptr<Output> open_stream_output(std::function<void(std::string_view)> sink) {
  return std::make_unique<StreamOutput>(std::move(sink));
}

}  // namespace hayakoe::audio
