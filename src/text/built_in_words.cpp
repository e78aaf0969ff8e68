// SPDX-License-Identifier: Apache-2.0
#include "text/built_in_words.hpp"

#include <fmt/format.h>

#include <charconv>
#include <hayakoe/error.hpp>
#include <string_view>

#include "text/table_lines.hpp"
#include "text/user_words.hpp"

extern "C" const char hayakoe_words_begin[], hayakoe_words_end[];

namespace hayakoe::text {
namespace {

BuiltInWord parse_word(const std::vector<std::string_view>& fields, std::size_t number) {
  if (fields.size() < 3 || fields.size() > 4) {
    throw Error(
        fmt::format("Line {} of the word table has {} fields; it should be surface, reading, accent and perhaps "
                    "a word that it is like.",
                    number, fields.size()));
  }
  BuiltInWord word;
  word.surface = fields[0];
  word.reading = fields[1];
  const auto [end, error] = std::from_chars(fields[2].data(), fields[2].data() + fields[2].size(), word.accent);
  if (error != std::errc() || end != fields[2].data() + fields[2].size()) {
    throw Error(fmt::format("Line {} of the word table: \"{}\" is not an accent.", number, fields[2]));
  }
  if (fields.size() == 4) word.like = fields[3];
  check_user_word(word);
  return word;
}

}  // namespace

std::vector<BuiltInWord> parse_built_in_words(std::string_view lines) {
  std::vector<BuiltInWord> words;
  for_each_row(lines, [&](const std::vector<std::string_view>& fields, std::size_t number) {
    words.push_back(parse_word(fields, number));
  });
  return words;
}

const std::vector<BuiltInWord>& built_in_words() {
  static const std::vector<BuiltInWord> words =
      parse_built_in_words({hayakoe_words_begin, static_cast<std::size_t>(hayakoe_words_end - hayakoe_words_begin)});
  return words;
}

}  // namespace hayakoe::text
