// SPDX-License-Identifier: Apache-2.0
#include "text/english.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <hayakoe/error.hpp>
#include <sstream>
#include <vector>

#include "text/unicode.hpp"

extern "C" const char hayakoe_english_begin[], hayakoe_english_end[];

namespace hayakoe::text {
namespace {

constexpr std::string_view kBom = "\xEF\xBB\xBF";

struct Entry {
  std::string_view word;
  std::string_view kana;
};

std::string read_file(const std::filesystem::path& path) {
  std::error_code ec;
  if (std::filesystem::is_directory(path, ec)) {
    throw Error(fmt::format("The English dictionary \"{}\" is a folder, not a file.", path.string()));
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  if (!file) throw Error(fmt::format("The English dictionary \"{}\" cannot be read.", path.string()));
  return std::move(content).str();
}

Entry parse_line(std::string_view line, const std::filesystem::path& path, std::size_t number) {
  const auto fail = [&](std::string_view what) {
    throw Error(
        fmt::format("Line {} of the English dictionary \"{}\" {}; it should be an English word, a tab and its "
                    "reading in katakana.",
                    number, path.string(), what));
  };
  const auto tab = line.find('\t');
  if (tab == std::string_view::npos) fail("has no tab");
  if (line.find('\t', tab + 1) != std::string_view::npos) fail("has more than one tab");
  const Entry entry{line.substr(0, tab), line.substr(tab + 1)};
  if (entry.word.empty()) fail("has no word");
  if (entry.kana.empty()) fail("has no reading");
  if (to_utf8(to_u32(line)) != line) fail("is not UTF-8");
  return entry;
}

std::vector<Entry> parse(std::string_view rest, const std::filesystem::path& path) {
  std::vector<Entry> entries;
  if (rest.starts_with(kBom)) rest.remove_prefix(kBom.size());
  for (std::size_t number = 1; !rest.empty(); ++number) {
    auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    entries.push_back(parse_line(line, path, number));
  }
  return entries;
}

// One text in byte order of the words, for the binary search; the last of equal words stays.
std::string sorted_lines(std::vector<Entry> entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.word < b.word; });
  std::string out;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i + 1 < entries.size() && entries[i + 1].word == entries[i].word) continue;
    out.append(entries[i].word).append(1, '\t').append(entries[i].kana).append(1, '\n');
  }
  return out;
}

}  // namespace

English English::from_file(const std::filesystem::path& path) {
  const std::string content = read_file(path);
  English english;
  english.owned_ = std::make_shared<const std::string>(sorted_lines(parse(content, path)));
  english.data_ = *english.owned_;
  return english;
}

const English& English::built_in() {
  static const English instance = [] {
    English english;
    english.data_ = {hayakoe_english_begin, static_cast<std::size_t>(hayakoe_english_end - hayakoe_english_begin)};
    return english;
  }();
  return instance;
}

English English::empty() { return {}; }

std::string_view English::lookup(std::string_view lowercase_word) const {
  // A binary search over bytes: `low` and `high` always stand at the beginning of a line.
  std::size_t low = 0;
  std::size_t high = data_.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const std::size_t newline = middle == 0 ? std::string_view::npos : data_.rfind('\n', middle - 1);
    const std::size_t start = newline == std::string_view::npos ? 0 : std::max(newline + 1, low);
    const std::size_t end = std::min(data_.find('\n', start), data_.size());
    const auto line = data_.substr(start, end - start);
    const auto word = line.substr(0, line.find('\t'));
    if (word == lowercase_word) return line.size() > word.size() ? line.substr(word.size() + 1) : std::string_view();
    if (word < lowercase_word) {
      low = std::min(end + 1, data_.size());
    } else {
      high = start;
    }
  }
  return {};
}

std::string_view English::lookup_as_written(std::string_view word) const {
  const bool has_capital = std::any_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return has_capital ? lookup(word) : std::string_view();
}

}  // namespace hayakoe::text
