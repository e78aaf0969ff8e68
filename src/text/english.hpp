// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace hayakoe::text {

/// English words and their katakana. Cheap to copy; all look-ups are const and safe from any thread.
class English {
 public:
  /// Reads a file of `word<TAB>kana` lines in UTF-8 (a BOM, CR LF, empty lines and lines that begin with `#` are fine).
  /// Of several lines for one word the last counts. Words are looked up in lower case; words with capitals in them
  /// are found by `lookup_as_written` only.
  /// Throws Error, naming file and line, if the file cannot be read or a line is not like that.
  static English from_file(const std::filesystem::path& path);

  /// The table that comes with the program (data/english/english.tsv). Costs nothing to get: it is searched in place.
  static const English& built_in();

  /// Knows no word.
  static English empty();

  /// The katakana of a word in lower case; empty if it is not known. The view lives as long as this object.
  std::string_view lookup(std::string_view lowercase_word) const;

  /// The katakana of a word that is written with capitals just so (`IT` アイティー, while `it` is イット);
  /// empty if there is no such entry or the word has no capital letter.
  std::string_view lookup_as_written(std::string_view word) const;

  /// All entries, `word<TAB>kana<LF>` each, in byte order of the words; comment lines may stand first.
  std::string_view lines() const { return data_; }

 private:
  English() = default;

  std::shared_ptr<const std::string> owned_;  // null for embedded data
  std::string_view data_;
};

}  // namespace hayakoe::text
