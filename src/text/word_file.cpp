// SPDX-License-Identifier: Apache-2.0
// Reading files of user words.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <hayakoe/error.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "text/user_words.hpp"

namespace hayakoe::text {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string data;
  // read(), unlike stream iterators, does not throw for a folder.
  for (std::array<char, 65536> block; file.read(block.data(), block.size()) || file.gcount() > 0;) {
    data.append(block.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof() || file.bad()) throw Error(fmt::format("Cannot read the word file \"{}\".", path.string()));
  if (data.starts_with(kByteOrderMark)) data.erase(0, kByteOrderMark.size());
  return data;
}

// Puts the place in front of what a check says.
template <typename Function>
auto at_place(const std::string& place, Function function) {
  try {
    return function();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", place, error.what()));
  }
}

UserWord from_json(const nlohmann::json& entry) {
  if (!entry.is_object()) throw Error("An entry must be an object with surface, reading and accent.");
  const auto text = [&](const char* key) {
    const auto found = entry.find(key);
    if (found == entry.end() || !found->is_string()) throw Error(fmt::format("\"{}\" must be a string.", key));
    return found->get<std::string>();
  };
  UserWord word{text("surface"), text("reading"), 0};
  const auto accent = entry.find("accent");
  if (accent == entry.end() || !accent->is_number_integer()) throw Error("\"accent\" must be a whole number.");
  // Out of the range of int is out of the range of moras and priorities, too.
  const auto small = [](const nlohmann::json& n) {
    return static_cast<int>(std::clamp<std::int64_t>(n.get<std::int64_t>(), -1, 1 << 20));
  };
  word.accent = small(*accent);
  if (const auto priority = entry.find("priority"); priority != entry.end()) {
    if (!priority->is_number_integer()) throw Error("\"priority\" must be a whole number from 0 to 10.");
    word.priority = small(*priority);
  }
  check_user_word(word);
  return word;
}

std::vector<UserWord> read_json(const std::string& data, const std::string& name) {
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(data);
  } catch (const nlohmann::json::parse_error& error) {
    const auto end = data.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, data.size()));
    throw Error(fmt::format("{}, line {}: this is not JSON.", name, 1 + std::count(data.begin(), end, '\n')));
  }
  std::vector<UserWord> words;
  for (const auto& entry : json) {
    words.push_back(at_place(fmt::format("{}, entry {}", name, words.size() + 1), [&] { return from_json(entry); }));
  }
  return words;
}

// The fields of one CSV line; a field in double quotes may hold commas and doubled quotes.
std::vector<std::string> split_csv(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"' && (quoted || fields.back().empty())) {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (quoted) throw Error("A double quote is not closed.");
  return fields;
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

int whole_number(const std::string& field, std::string_view name) {
  const std::string digits = trimmed(field);
  int value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || result.ec != std::errc() || result.ptr != digits.data() + digits.size()) {
    throw Error(fmt::format("The {} \"{}\" must be a whole number.", name, digits));
  }
  return value;
}

UserWord from_csv(const std::vector<std::string>& fields) {
  if (fields.size() != 3 && fields.size() != 4) {
    throw Error(
        fmt::format("There are {} fields; a line must be surface,reading,accent (3 fields), perhaps with "
                    "a priority behind them.",
                    fields.size()));
  }
  UserWord word{fields[0], trimmed(fields[1]), whole_number(fields[2], "accent")};
  if (fields.size() == 4) word.priority = whole_number(fields[3], "priority");
  check_user_word(word);
  return word;
}

bool is_header(const std::vector<std::string>& fields) {
  return fields.size() >= 3 && trimmed(fields[0]) == "surface" && trimmed(fields[1]) == "reading" &&
         trimmed(fields[2]).starts_with("accent");
}

std::vector<UserWord> read_csv(std::string_view data, const std::string& name) {
  std::vector<UserWord> words;
  for (int number = 1; !data.empty(); ++number) {
    const auto end = std::min(data.find('\n'), data.size());
    auto line = data.substr(0, end);
    data.remove_prefix(std::min(end + 1, data.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (trimmed(line).empty()) continue;
    at_place(fmt::format("{}, line {}", name, number), [&] {
      const auto fields = split_csv(line);
      if (!words.empty() || !is_header(fields)) words.push_back(from_csv(fields));
    });
  }
  return words;
}

}  // namespace

std::vector<UserWord> read_word_file(const std::filesystem::path& path) {
  const std::string data = read_all(path);
  const auto first = data.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && data[first] == '[';
  return json ? read_json(data, path.string()) : read_csv(data, path.string());
}

}  // namespace hayakoe::text
