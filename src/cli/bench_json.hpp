// SPDX-License-Identifier: Apache-2.0
// The results of `hayakoe bench` for machines. Seconds, bytes, GFLOP and GFLOP/s, as the names of the keys say.
#pragma once

#include <vector>

#include "cli/bench_results.hpp"
#include "cli/json.hpp"

namespace hayakoe::cli {

Json to_json(const std::vector<BatchResult>& results);
Json to_json(const StagesResult& result);
Json to_json(const std::vector<LatencyResult>& results);
Json to_json(const std::vector<RequestsResult>& results);
Json to_json(const MemoryResult& result);
Json to_json(const LoadResult& result);

/// What to_json() has made, from another process.
MemoryResult memory_from_json(const Json& json);

}  // namespace hayakoe::cli
