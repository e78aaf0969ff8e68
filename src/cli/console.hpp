// SPDX-License-Identifier: Apache-2.0
// What the program says, and where: results to stdout, everything else to stderr.
#pragma once

#include <string>
#include <string_view>

namespace hayakoe::cli {

/// `text` on one line: line breaks and control characters become spaces, so that a text cannot steer the terminal.
std::string one_line(std::string_view text);

/// `hayakoe: MESSAGE` on stderr.
void complain(std::string_view message);

/// `hayakoe: warning: MESSAGE` on stderr.
void warn(std::string_view message);

/// Bytes to stdout, and out of the program's buffers if `flush`. @throws Error if they cannot be written
void print(std::string_view bytes, bool flush = true);

/// Columns of a text on a terminal: two for kana, kanji and full-width forms.
std::size_t columns(std::string_view utf8);

/// `text` with spaces behind it up to `width` columns.
std::string padded(std::string_view text, std::size_t width);

/// How far a long text has come, on one line of stderr that is written again and again.
class Progress {
 public:
  /// Shows nothing unless `wanted` and stderr is a terminal.
  explicit Progress(bool wanted);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `audio` and `elapsed` in seconds. Texts of a few sentences show nothing.
  void show(long done, long total, double audio, double elapsed);

  /// Takes the line away, so that something else can be written.
  void clear();

 private:
  bool enabled_;
  bool visible_ = false;
};

}  // namespace hayakoe::cli
