// SPDX-License-Identifier: Apache-2.0
// Words of one spelling and several readings, told apart by what stands around them (data/homographs.tsv).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/njd/dictionary.hpp"

namespace hayakoe::text {

/// A reading that a word has in some surroundings. The conditions are alternatives, of which one must hold; a condition
/// without alternatives always holds.
struct Homograph {
  std::string surface;
  std::string reading;              ///< katakana as it is pronounced
  int accent = 0;                   ///< of the reading alone
  std::vector<std::string> before;  ///< the text before the word ends so (`^`: it begins there)
  std::vector<std::string> after;   ///< the text behind it begins so (`$`: it ends there)
  std::vector<std::string> near;    ///< somewhere in the sentence
};

/// The table that comes with the program. Loaded once, safe to call from any thread.
const std::vector<Homograph>& homographs();

/// The same from any text of that form: surface, reading, accent, and `before=…`, `after=…`, `near=…` with alternatives
/// divided by `|`, all divided by tabs. Throws Error that names the line if one is wrong.
std::vector<Homograph> parse_homographs(std::string_view lines);

/// Gives the words of a sentence that the table knows the reading of the first row that fits. A row may cover several
/// words, which become one, of the grammar of the first. Linear in the length of the text.
void read_homographs(std::vector<njd::Node>& nodes);

}  // namespace hayakoe::text
