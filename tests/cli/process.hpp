// SPDX-License-Identifier: Apache-2.0
// Runs the program as its users do.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hayakoe::test {

/// A folder of its own, removed in the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// Names of what is in it, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& bytes);

/// Makes `folder` a copy of the small voice of the test data, which shares its folder with the golden tensors.
void copy_voice(const std::filesystem::path& folder);

struct Result {
  int status = -1;  ///< exit status; -1 if a signal ended it
  int signal = 0;
  std::string out;
  std::string err;
};

/// A run of the program, which finds the voices of the source tree and nothing of the user's, and no GPU.
class Process {
 public:
  /// With `input` on its standard input, and more variables ("NAME=VALUE") in its environment.
  explicit Process(const std::vector<std::string>& arguments, const std::string& input = "",
                   const std::vector<std::string>& variables = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal) const;
  Result wait();

 private:
  ScratchFolder folder_;
  pid_t pid_ = -1;
};

Result run(const std::vector<std::string>& arguments, const std::string& input = "",
           const std::vector<std::string>& variables = {});

/// The object on the line of `err` that is one.
nlohmann::json json_line(const std::string& err);

}  // namespace hayakoe::test
