// SPDX-License-Identifier: Apache-2.0
// Tables of fields divided by tabs.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace hayakoe::text {

/// Calls `row(fields, line_number)` for each line of `lines` (LF or CR LF) that is neither empty nor begins with `#`.
/// Line numbers count from 1. The views are into `lines`.
template <typename F>
void for_each_row(std::string_view lines, F&& row) {
  for (std::size_t number = 1; !lines.empty(); ++number) {
    auto line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string_view> fields;
    for (std::size_t tab = line.find('\t'); tab != std::string_view::npos; tab = line.find('\t')) {
      fields.push_back(line.substr(0, tab));
      line.remove_prefix(tab + 1);
    }
    fields.push_back(line);
    row(fields, number);
  }
}

}  // namespace hayakoe::text
