// SPDX-License-Identifier: Apache-2.0
// Tables of fields divided by tabs.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace hayakoe::text {

/// The parts of `text` between the dividers; one more than there are dividers.
inline std::vector<std::string_view> split(std::string_view text, char divider) {
  std::vector<std::string_view> parts;
  for (auto at = text.find(divider); at != std::string_view::npos; at = text.find(divider)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

/// Calls `row(fields, line_number)` for each line of `lines` (LF or CR LF) that is neither empty nor begins with `#`.
/// Line numbers count from 1. The views are into `lines`.
template <typename F>
void for_each_row(std::string_view lines, F&& row) {
  for (std::size_t number = 1; !lines.empty(); ++number) {
    auto line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    row(split(line, '\t'), number);
  }
}

}  // namespace hayakoe::text
