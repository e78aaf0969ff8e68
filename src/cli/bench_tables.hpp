// SPDX-License-Identifier: Apache-2.0
// The results of `hayakoe bench` for people: a line that says what is shown, a table, and how it was taken.
#pragma once

#include <string>
#include <vector>

#include "cli/bench_results.hpp"

namespace hayakoe::cli {

std::string to_table(const std::vector<BatchResult>& results);
std::string to_table(const StagesResult& result);
std::string to_table(const std::vector<LatencyResult>& results);
std::string to_table(const std::vector<RequestsResult>& results);
std::string to_table(const MemoryResult& result);
std::string to_table(const LoadResult& result);

}  // namespace hayakoe::cli
