// SPDX-License-Identifier: Apache-2.0
#include "text/homographs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <hayakoe/error.hpp>
#include <map>

#include "text/table_lines.hpp"
#include "text/user_words.hpp"

extern "C" const char hayakoe_homographs_begin[], hayakoe_homographs_end[];

namespace hayakoe::text {
namespace {

[[noreturn]] void fail(std::size_t line, const std::string& what) {
  throw Error(fmt::format("Line {} of the homograph table: {}.", line, what));
}

Homograph parse_row(const std::vector<std::string_view>& fields, std::size_t line) {
  if (fields.size() < 4) fail(line, "it needs surface, reading, accent and a condition");
  Homograph row{std::string(fields[0]), std::string(fields[1]), 0, {}, {}, {}};
  const auto [end, error] = std::from_chars(fields[2].data(), fields[2].data() + fields[2].size(), row.accent);
  if (error != std::errc() || end != fields[2].data() + fields[2].size()) fail(line, "the accent is no number");
  check_user_word({row.surface, row.reading, row.accent});
  for (std::size_t i = 3; i < fields.size(); ++i) {
    const auto equals = fields[i].find('=');
    const auto name = fields[i].substr(0, equals);
    auto* condition = name == "before"  ? &row.before
                      : name == "after" ? &row.after
                      : name == "near"  ? &row.near
                                        : nullptr;
    if (condition == nullptr || equals == std::string_view::npos)
      fail(line, fmt::format("\"{}\" is not before=, after= or near=", fields[i]));
    const auto alternatives = split(fields[i].substr(equals + 1), '|');
    condition->assign(alternatives.begin(), alternatives.end());
  }
  return row;
}

// The rows by their surface, in the order of the table.
using Index = std::map<std::string_view, std::vector<const Homograph*>, std::less<>>;

const Index& index() {
  static const Index instance = [] {
    Index rows;
    for (const Homograph& row : homographs()) rows[row.surface].push_back(&row);
    return rows;
  }();
  return instance;
}

template <typename F>
bool holds(const std::vector<std::string>& condition, F&& is_true) {
  return condition.empty() || std::any_of(condition.begin(), condition.end(), is_true);
}

bool fits(const Homograph& row, std::string_view text, std::size_t begin) {
  const auto before = text.substr(0, begin);
  const auto after = text.substr(begin + row.surface.size());
  return holds(row.before, [&](const auto& s) { return s == "^" ? before.empty() : before.ends_with(s); }) &&
         holds(row.after, [&](const auto& s) { return s == "$" ? after.empty() : after.starts_with(s); }) &&
         holds(row.near, [&](const auto& s) { return text.find(s) != std::string_view::npos; });
}

constexpr int kReading = 7;  // fields of a feature before it, and the pronunciation behind it

std::string_view pronunciation_of(std::string_view feature) {
  const auto fields = split(feature, ',');
  return fields.size() > kReading + 1 ? fields[kReading + 1] : std::string_view();
}

// `feature` with another reading, pronunciation and accent.
std::string with_reading(std::string_view feature, const Homograph& row) {
  const auto fields = split(feature, ',');
  std::string out;
  for (int i = 0; i < kReading; ++i)
    out += fmt::format("{},", i < std::ssize(fields) ? fields[static_cast<std::size_t>(i)] : "*");
  out += fmt::format("{0},{0},{1}/{2}", row.reading, row.accent, count_moras(row.reading));
  for (std::size_t i = kReading + 3; i < fields.size(); ++i) out += fmt::format(",{}", fields[i]);
  return out;
}

struct Place {
  std::size_t word = 0;
  std::size_t offset = 0;  // in the text
};

// The row that fits the words from `place` on, the longest surface first.
const Homograph* find_row(const std::vector<njd::Node>& nodes, const Place& place, std::string_view text,
                          std::size_t* words) {
  const Homograph* best = nullptr;
  std::size_t length = 0;
  for (std::size_t i = place.word; i < nodes.size(); ++i) {
    length += nodes[i].surface.size();
    const auto joined = text.substr(place.offset, length);
    const auto rows = index().lower_bound(joined);
    if (rows == index().end() || !rows->first.starts_with(joined)) break;
    if (rows->first.size() != length) continue;
    const auto row = std::find_if(rows->second.begin(), rows->second.end(),
                                  [&](const Homograph* h) { return fits(*h, text, place.offset); });
    if (row == rows->second.end()) continue;
    best = *row;
    *words = i + 1 - place.word;
  }
  return best;
}

}  // namespace

std::vector<Homograph> parse_homographs(std::string_view lines) {
  std::vector<Homograph> rows;
  for_each_row(lines, [&](const auto& fields, std::size_t line) { rows.push_back(parse_row(fields, line)); });
  return rows;
}

const std::vector<Homograph>& homographs() {
  static const std::vector<Homograph> rows = parse_homographs(
      {hayakoe_homographs_begin, static_cast<std::size_t>(hayakoe_homographs_end - hayakoe_homographs_begin)});
  return rows;
}

void read_homographs(std::vector<njd::Node>& nodes) {
  std::string text;
  for (const njd::Node& node : nodes) text += node.surface;
  std::vector<njd::Node> out;
  out.reserve(nodes.size());
  Place place;
  while (place.word < nodes.size()) {
    std::size_t words = 1;
    const Homograph* row = find_row(nodes, place, text, &words);
    njd::Node node = std::move(nodes[place.word]);
    // What the dictionary reads so already keeps its accent.
    if (row != nullptr && !(words == 1 && pronunciation_of(node.feature) == row->reading))
      node = {row->surface, with_reading(node.feature, *row)};
    place.offset += node.surface.size();
    place.word += words;
    out.push_back(std::move(node));
  }
  nodes = std::move(out);
}

}  // namespace hayakoe::text
