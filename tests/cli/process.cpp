// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace hayakoe::test {
namespace fs = std::filesystem;
namespace {

// The environment, with what would make a difference set or taken out.
std::vector<std::string> environment(const fs::path& home, const std::vector<std::string>& more) {
  std::vector<std::string> all = more;
  const auto add = [&all](const std::string& variable) {
    const std::string name = variable.substr(0, variable.find('=') + 1);
    const bool given = std::any_of(all.begin(), all.end(), [&](const std::string& o) { return o.starts_with(name); });
    if (!given) all.push_back(variable);
  };
  add("HAYAKOE_VOICES=" HAYAKOE_TEST_VOICES);
  add("XDG_DATA_HOME=" + home.string());
  add("HAYAKOE_BERT=");
  add("HAYAKOE_CUDA_PLUGIN=/no/plug-in");
  add("OMP_WAIT_POLICY=passive");  // several tests share the cores
  for (char** entry = environ; *entry != nullptr; ++entry) add(*entry);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& s : strings) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "hayakoe-cli-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ec;
  fs::remove_all(path_, ec);
}

std::vector<std::string> ScratchFolder::names() const {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(path_)) all.push_back(entry.path().filename().string());
  std::sort(all.begin(), all.end());
  return all;
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void copy_voice(const fs::path& folder) {
  fs::create_directories(folder);
  for (const char* name : {"config.json", "style_vectors.npy", "model.safetensors"}) {
    fs::copy_file(fs::path(HAYAKOE_TEST_DATA) / "voice-tiny" / name, folder / name);
  }
}

Process::Process(const std::vector<std::string>& arguments, const std::string& input,
                 const std::vector<std::string>& more) {
  write_file(folder_.path() / "in", input);
  std::vector<std::string> words{HAYAKOE_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment(folder_.path(), more);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
  constexpr mode_t kMode = 0600;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, folder_.file("in").c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, folder_.file("out").c_str(), kNew, kMode);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, folder_.file("err").c_str(), kNew, kMode);
  const int fault =
      posix_spawn(&pid_, HAYAKOE_PROGRAM, &actions, nullptr, pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (fault != 0) throw std::runtime_error("cannot start " HAYAKOE_PROGRAM);
}

Process::~Process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    wait();
  }
}

void Process::send(int signal) const { kill(pid_, signal); }

Result Process::wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  Result result;
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.out = read_file(folder_.path() / "out");
  result.err = read_file(folder_.path() / "err");
  return result;
}

Result run(const std::vector<std::string>& arguments, const std::string& input,
           const std::vector<std::string>& variables) {
  return Process(arguments, input, variables).wait();
}

nlohmann::json json_line(const std::string& err) {
  std::istringstream lines(err);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.starts_with('{')) return nlohmann::json::parse(line);
  }
  throw std::runtime_error("no JSON in: " + err);
}

}  // namespace hayakoe::test
