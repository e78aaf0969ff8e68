// SPDX-License-Identifier: Apache-2.0
#include "cli/input.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <hayakoe/error.hpp>
#include <iostream>
#include <iterator>

#include "cli/command.hpp"

namespace hayakoe::cli {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

// Opening a folder succeeds; only reading it fails, and without a reason.
void refuse_folder(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    throw Error(fmt::format("cannot read {}: this is a folder; give a text file", path));
  }
}

// The stream of a path, "-" being the standard input.
class Input {
 public:
  explicit Input(const std::string& path) : name_(path == "-" ? "the standard input" : path) {
    if (path == "-") {
      std::ios::sync_with_stdio(false);  // stdin is read through one buffer only
      return;
    }
    refuse_folder(path);
    file_.open(path, std::ios::binary);
    if (!file_) throw Error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }

  std::istream& stream() { return file_.is_open() ? static_cast<std::istream&>(file_) : std::cin; }

  void check() {
    if (stream().bad()) throw Error(fmt::format("cannot read {}: {}", name_, std::strerror(errno)));
  }

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::ifstream file_;
};

std::string read_all(const std::string& path) {
  Input input(path);
  std::string text{std::istreambuf_iterator<char>(input.stream()), std::istreambuf_iterator<char>()};
  input.check();
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw Error(fmt::format("{}: this is UTF-16; save the text as UTF-8", input.name()));
  }
  if (text.starts_with(kUtf8Mark)) text.erase(0, kUtf8Mark.size());
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

}  // namespace

void add_text_source(CLI::App& app, TextSource& source) {
  app.add_option_function<std::string>(
         "TEXT", [&source](const std::string& text) { source.text = text; },
         "The text, UTF-8; without it, the standard input is read")
      ->type_name("");
  app.add_option_function<std::string>(
         "-f,--file", [&source](const std::string& file) { source.file = file; },
         "Take the text from a file, - for the standard input")
      ->type_name("FILE");
}

std::string read_text(const TextSource& source) {
  if (source.text && source.file) throw UsageError("give the text either as an argument or with -f FILE, not both");
  if (source.text) return *source.text;
  if (source.file) return read_all(*source.file);
  if (isatty(STDIN_FILENO) == 1) {
    throw UsageError("there is no text; give it as an argument, with -f FILE, or on the standard input");
  }
  return read_all("-");
}

void for_each_line(const std::string& path, const std::function<bool(std::string)>& line) {
  Input input(path);
  std::string text;
  while (std::getline(input.stream(), text, '\n')) {
    if (!line(std::move(text))) return;
    text.clear();
  }
  input.check();
}

}  // namespace hayakoe::cli
