// SPDX-License-Identifier: Apache-2.0
// The measurements of `hayakoe bench` that need a process in which nothing has happened yet: each starts the program
// anew, and that process (`bench memory --here`, `bench load --here`) does what is measured and prints the figures.
#pragma once

#include <string>

#include "cli/bench_measure.hpp"
#include "cli/bench_results.hpp"

namespace hayakoe::cli {

/// The memory of a process on its way from nothing to four voices. There need not be four: one voice is loaded under
/// four names, and as only BERT is shared, that costs what four voices of its size cost.
MemoryResult measure_memory(const BenchSetup& setup);

/// Starts of the program until the first chunk of a short text is there, with the files in the page cache, since
/// there is at least one warm-up.
LoadResult measure_load(const BenchSetup& setup);

/// What the new process does: the figures as one line of JSON.
std::string memory_here(const BenchSetup& setup);
std::string load_here(const BenchSetup& setup);

}  // namespace hayakoe::cli
