// SPDX-License-Identifier: Apache-2.0
// data/latin.tsv: Latin words, names and phrases that the English table does not read right.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hayakoe::text::natural {

/// One row of the table.
struct LatinEntry {
  enum class How {
    kReading,  ///< as `reading` says
    kSpelt,    ///< letter by letter
    kWord      ///< as the English word, though it is written in capitals
  };
  std::u32string surface;
  How how = How::kReading;
  std::string reading;  ///< katakana
  int accent = 0;
};

/// All rows. Throws Error, naming the line, the first time if the table is broken.
const std::vector<LatinEntry>& latin_entries();

/// The row whose surface is this word of Latin letters: as it is written, else in small letters; null if there is none.
const LatinEntry* find_latin_entry(std::u32string_view word);

}  // namespace hayakoe::text::natural
