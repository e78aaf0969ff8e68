// SPDX-License-Identifier: Apache-2.0
// Words of data/words.tsv: what everyday texts need and the dictionary lacks or misreads.
#pragma once

#include <string>
#include <vector>

#include "text/types.hpp"

namespace hayakoe::text {

/// A word that comes with the program.
struct BuiltInWord : UserWord {
  /// A word of the dictionary whose part of speech and neighbours this one has; empty: a proper noun.
  std::string like;
};

/// All of them, in the order of the file. Loaded once, safe to call from any thread.
const std::vector<BuiltInWord>& built_in_words();

/// The same from any text of that form: surface, reading in katakana, accent and, if need be, `like`, divided by tabs;
/// lines that begin with # and empty ones are skipped. Throws Error that names the line if a word is wrong.
std::vector<BuiltInWord> parse_built_in_words(std::string_view lines);

}  // namespace hayakoe::text
