// SPDX-License-Identifier: Apache-2.0
// How a text is heard, held against how it should be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/frontend.hpp"
#include "text/types.hpp"

namespace hayakoe::text {

/// A text and the readings that are right. In a file: input, readings divided by `|`, and perhaps tones, divided by
/// tabs.
struct ReadingCase {
  std::string input;
  std::vector<std::string>
      readings;       ///< katakana as it is pronounced, with a mark (、。！？…) wherever a pause is heard
  std::string tones;  ///< `H` or `L` for each mora of the first reading; empty: any
  std::size_t line = 0;
};

/// Reads such lines; those that are empty or begin with `#` are skipped. Throws Error naming the line if one has no
/// reading, or tones that do not fit it.
std::vector<ReadingCase> parse_reading_cases(std::string_view lines);

/// What a listener hears: moras in a canonical spelling, in which オウ and オー, エイ and エー, ヅ and ズ are the same,
/// and where the pauses are. Quotation marks and dashes are no pauses; those at the ends do not count.
struct Heard {
  std::vector<std::string> moras;  ///< katakana; `、` for a pause
  std::string tones;               ///< H or L for each mora but the pauses
  std::string text() const;        ///< the moras in one string
};

/// How the front end reads a text, split into sentences as for speech.
Heard hear(const Frontend& frontend, std::string_view text, Rules rules);

/// How a reading in katakana and marks is heard.
Heard hear_reading(std::string_view reading);

/// True if `heard` is one of the case's readings, with its tones where it has any.
bool is_right(const ReadingCase& expected, const Heard& heard);

}  // namespace hayakoe::text
