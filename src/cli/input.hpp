// SPDX-License-Identifier: Apache-2.0
// The text of a command: an argument, a file, or the standard input.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace hayakoe::cli {

struct TextSource {
  std::optional<std::string> text;
  std::optional<std::string> file;  ///< "-" for the standard input
};

/// Adds TEXT and -f FILE.
void add_text_source(CLI::App& app, TextSource& source);

/// The text. From a file or the standard input, which is read unless it is a terminal, without a byte order mark and
/// the line ends behind its last line. @throws UsageError if there is no text, or two; Error for an unreadable file
std::string read_text(const TextSource& source);

/// Calls `line` with each line of a file ("-": the standard input) as it comes, without its LF. Lines end at LF only.
/// Stops when `line` returns false. @throws Error for an unreadable file
void for_each_line(const std::string& path, const std::function<bool(std::string)>& line);

}  // namespace hayakoe::cli
