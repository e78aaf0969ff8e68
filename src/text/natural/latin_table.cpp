// SPDX-License-Identifier: Apache-2.0
#include "text/natural/latin_table.hpp"

#include <fmt/format.h>

#include <charconv>
#include <hayakoe/error.hpp>
#include <unordered_map>

#include "text/natural/letters.hpp"
#include "text/table_lines.hpp"
#include "text/unicode.hpp"
#include "text/user_words.hpp"

extern "C" const char hayakoe_latin_begin[], hayakoe_latin_end[];

namespace hayakoe::text::natural {
namespace {

LatinEntry parse_entry(const std::vector<std::string_view>& fields, std::size_t line) {
  LatinEntry entry;
  entry.surface = to_u32(fields[0]);
  if (fields.size() == 2 && fields[1] == "-") {
    entry.how = LatinEntry::How::kSpelt;
    return entry;
  }
  if (fields.size() == 2 && fields[1] == "=") {
    entry.how = LatinEntry::How::kWord;
    return entry;
  }
  const auto bad = [&] { return Error(fmt::format("Line {} of the table of Latin words is wrong.", line)); };
  if (fields.size() != 3 || entry.surface.empty()) throw bad();
  entry.reading = fields[1];
  const char* end = fields[2].data() + fields[2].size();
  if (std::from_chars(fields[2].data(), end, entry.accent).ptr != end) throw bad();
  check_user_word({std::string(fields[0]), entry.reading, entry.accent});
  return entry;
}

std::vector<LatinEntry> parse_entries(std::string_view lines) {
  std::vector<LatinEntry> entries;
  for_each_row(lines, [&](const auto& fields, std::size_t line) { entries.push_back(parse_entry(fields, line)); });
  return entries;
}

std::u32string small(std::u32string_view word) {
  std::u32string out(word);
  for (char32_t& c : out) {
    if (is_capital(c)) c += U'a' - U'A';
  }
  return out;
}

}  // namespace

const std::vector<LatinEntry>& latin_entries() {
  static const std::vector<LatinEntry> entries =
      parse_entries({hayakoe_latin_begin, static_cast<std::size_t>(hayakoe_latin_end - hayakoe_latin_begin)});
  return entries;
}

const LatinEntry* find_latin_entry(std::u32string_view word) {
  static const auto index = [] {
    std::unordered_map<std::u32string_view, const LatinEntry*> map;
    for (const LatinEntry& entry : latin_entries()) map.emplace(entry.surface, &entry);
    return map;
  }();
  auto found = index.find(word);
  if (found == index.end()) found = index.find(small(word));
  return found == index.end() ? nullptr : found->second;
}

}  // namespace hayakoe::text::natural
