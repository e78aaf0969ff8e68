// SPDX-License-Identifier: Apache-2.0
// What the measurements of `hayakoe bench` have in common.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <hayakoe/hayakoe.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace hayakoe::cli {

/// What is measured, and how often.
struct BenchSetup {
  EngineOptions engine;
  std::filesystem::path voice;
  int repeats = 5;         ///< measured runs, at least 1
  int warmups = 1;         ///< runs before them, at least 0
  std::vector<int> sizes;  ///< sentences of the texts of measure_batch(), ascending, 1 to kBenchSentences

  /// Sentences of the long text: 8, or as many as the largest size if that is less.
  [[nodiscard]] int long_sentences() const;
};

/// The middle of the values, the mean of the two middle ones if their number is even. @pre there is at least one
double median(std::vector<double> values);

/// The median of one field of some results.
template <typename Result>
double median_of(const std::vector<Result>& results, double Result::*field) {
  std::vector<double> values;
  values.reserve(results.size());
  for (const Result& r : results) values.push_back(r.*field);
  return median(std::move(values));
}

/// Seconds that a call takes.
template <typename Call>
double seconds_of(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What is being measured, on the standard error.
void tell(std::string_view what);

/// The standard output of this program, run anew with other arguments; its standard error is ours.
/// @throws Error if it fails, having said why itself
std::string run_self(const std::vector<std::string>& arguments);

/// Memory of this process now, from /proc/self/status; `state` is left empty. @throws Error where there is no such file
struct MemoryState memory_now();

/// Sets the peak of memory_now() back to what is resident now. False if the system does not allow it: the peak is then
/// that of the whole life of the process.
bool reset_peak();

}  // namespace hayakoe::cli
