// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_measure.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <hayakoe/error.hpp>

#include "cli/bench_results.hpp"

extern char** environ;

namespace hayakoe::cli {

int BenchSetup::long_sentences() const {
  constexpr int kLong = 8;
  return std::min(kLong, *std::max_element(sizes.begin(), sizes.end()));
}

double median(std::vector<double> values) {
  const size_t half = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void tell(std::string_view what) { fmt::print(stderr, "bench: {}\n", what); }

namespace {

// The two ends of a pipe, closed in the end.
class Pipe {
 public:
  Pipe() {
    if (pipe(ends_.data()) != 0) throw Error(fmt::format("bench: cannot make a pipe: {}", std::strerror(errno)));
  }
  ~Pipe() {
    close(ends_[0]);
    close_writing();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int reading() const { return ends_[0]; }
  [[nodiscard]] int writing() const { return ends_[1]; }
  void close_writing() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

std::string read_all(int from) {
  std::string all;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t n = read(from, buffer.data(), buffer.size());
    if (n > 0) {
      all.append(buffer.data(), static_cast<size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      return all;
    }
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

std::string run_self(const std::vector<std::string>& arguments) {
  constexpr const char* kSelf = "/proc/self/exe";
  std::vector<std::string> words{"hayakoe"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  Pipe out;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out.writing(), STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, out.reading());
  posix_spawn_file_actions_addclose(&actions, out.writing());
  pid_t child = -1;
  const int fault = posix_spawn(&child, kSelf, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (fault != 0) throw Error(fmt::format("bench: cannot start {}: {}", kSelf, std::strerror(fault)));
  out.close_writing();
  std::string all = read_all(out.reading());
  const int status = wait_for(child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw Error("bench: the process that measures in a fresh start has failed; what it said stands above");
  }
  return all;
}

MemoryState memory_now() {
  constexpr const char* kPath = "/proc/self/status";
  std::ifstream in(kPath);
  MemoryState m;
  const std::array<std::pair<std::string, int64_t*>, 4> wanted{{{"VmRSS:", &m.resident_bytes},
                                                                {"RssAnon:", &m.anonymous_bytes},
                                                                {"RssFile:", &m.file_bytes},
                                                                {"VmHWM:", &m.peak_bytes}}};
  std::string line;
  while (std::getline(in, line)) {
    for (const auto& [key, bytes] : wanted) {
      constexpr int64_t kKilo = 1024;  // the unit of the file
      if (line.starts_with(key)) *bytes = std::stoll(line.substr(key.size())) * kKilo;
    }
  }
  if (m.resident_bytes == 0 || m.peak_bytes == 0) {
    throw Error(fmt::format("bench: there is no VmRSS and VmHWM in {}; memory can be measured on Linux only", kPath));
  }
  return m;
}

bool reset_peak() {
  // "5" asks for just this (proc(5)).
  std::ofstream out("/proc/self/clear_refs");
  out << "5" << std::flush;
  return out.good();
}

}  // namespace hayakoe::cli
