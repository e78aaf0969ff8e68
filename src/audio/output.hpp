// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace hayakoe::audio {

/// Where the bytes of an audio file go. Destroying it without commit() drops what was written, as far as it can.
class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  virtual ~Output() = default;

  /// Puts `bytes` at `position` (from the start), which is at most size(). Throws Error if that fails.
  virtual void write_at(std::uint64_t position, std::string_view bytes) = 0;

  /// One past the last byte written so far.
  [[nodiscard]] virtual std::uint64_t size() const = 0;

  /// Whether what is written can still be changed. If not, bytes written over earlier ones are dropped: all the formats
  /// here only do so to state lengths, and can be played without.
  [[nodiscard]] virtual bool can_rewrite() const = 0;

  /// Everything is written. Throws Error if something could not be.
  virtual void commit() = 0;
};

/// A file. It is written under another name in the same folder and renamed by commit(), so that under `path` there is
/// never half a file; what was there before stays until then, and its permissions are kept. Pipes, devices and
/// names like /dev/stdout are written directly instead. Throws Error, naming the path and the system's reason.
[[nodiscard]] std::unique_ptr<Output> open_file_output(const std::filesystem::path& path);

/// A string, which receives everything at commit().
[[nodiscard]] std::unique_ptr<Output> open_memory_output(std::string& out);

/// A function that is given one piece after the other, in order. It may throw; what it throws is passed on.
[[nodiscard]] std::unique_ptr<Output> open_stream_output(std::function<void(std::string_view)> sink);

}  // namespace hayakoe::audio
