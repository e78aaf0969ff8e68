// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.hpp"

namespace hayakoe::cli {
namespace {

using Row = std::vector<std::string>;

// Rows of cells, the first of them the heads, as columns: the first to the left, the others to the right.
std::string aligned(const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line = "  " + padded(row[0], widths[0]);
    for (size_t i = 1; i < row.size(); ++i) {
      line += "  " + std::string(widths[i] - columns(row[i]), ' ') + row[i];
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return out;
}

std::string seconds(double s) { return s < 0.01 ? fmt::format("{:.4f}", s) : fmt::format("{:.3f}", s); }
std::string megabytes(int64_t bytes) { return fmt::format("{:.0f}", static_cast<double>(bytes) / 1e6); }
std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }
std::string text_size(int sentences, int64_t characters) {
  return fmt::format("{} sentence{}, {} characters", sentences, sentences == 1 ? "" : "s", characters);
}

}  // namespace

namespace {

std::string both(const std::string& one_by_one, const std::string& batched) { return one_by_one + " → " + batched; }

// Launches and copies mean nothing on the CPU, and its memory is in the other table.
std::string gpu_table(const std::vector<BatchResult>& results) {
  if (std::none_of(results.begin(), results.end(), [](const BatchResult& r) { return r.batched.kernel_launches > 0; }))
    return "";
  std::vector<Row> rows{{"engine", "sentences", "kernel launches", "uploads", "their kB", "downloads", "their kB",
                         "weights MB", "peak device MB"}};
  for (const BatchResult& r : results) {
    const auto counts = [&](int64_t SpeakingCost::*field) {
      return both(std::to_string(r.one_by_one.*field), std::to_string(r.batched.*field));
    };
    const auto kilobytes = [&](int64_t SpeakingCost::*field) {
      const auto one = [](int64_t bytes) { return fmt::format("{:.1f}", static_cast<double>(bytes) / 1e3); };
      return both(one(r.one_by_one.*field), one(r.batched.*field));
    };
    rows.push_back({r.engine, std::to_string(r.sentences), counts(&SpeakingCost::kernel_launches),
                    counts(&SpeakingCost::uploads), kilobytes(&SpeakingCost::upload_bytes),
                    counts(&SpeakingCost::downloads), kilobytes(&SpeakingCost::download_bytes),
                    megabytes(r.batched.device_bytes),
                    both(megabytes(r.one_by_one.device_peak_bytes()), megabytes(r.batched.device_peak_bytes()))});
  }
  return aligned(rows) +
         "  peak device MB: weights and constants of all that is loaded, and the most that one call has had of\n"
         "  activations at once\n";
}

}  // namespace

std::string to_table(const std::vector<BatchResult>& results) {
  std::vector<Row> rows{{"engine", "sentences", "characters", "BERT s", "total s", "audio s", "× real time", "peak MB",
                         "BERT forwards", "BERT ×", "total ×"}};
  for (const BatchResult& r : results) {
    const SpeakingCost& a = r.one_by_one;
    const SpeakingCost& b = r.batched;
    rows.push_back(
        {r.engine, std::to_string(r.sentences), std::to_string(r.characters),
         both(seconds(a.bert_seconds), seconds(b.bert_seconds)),
         both(seconds(a.total_seconds), seconds(b.total_seconds)),
         fmt::format("{:.1f} → {:.1f}", a.audio_seconds, b.audio_seconds),
         fmt::format("{:.2f} → {:.2f}", a.audio_seconds / a.total_seconds, b.audio_seconds / b.total_seconds),
         both(megabytes(a.peak_bytes), megabytes(b.peak_bytes)),
         fmt::format("{} → {}", a.bert_forwards, b.bert_forwards),
         fmt::format("{:.2f}", a.bert_seconds / b.bert_seconds),
         fmt::format("{:.2f}", a.total_seconds / b.total_seconds)});
  }
  return "batch: one call a sentence → one call for all, which adds the pauses between them; ×: times as fast\n" +
         aligned(rows) +
         "  peak: resident memory of the process (VmHWM, set back through /proc/self/clear_refs where the system lets\n"
         "  us), taken in a run before, one by one before batched\n" +
         gpu_table(results);
}

std::string to_table(const StagesResult& result) {
  std::vector<Row> rows{{"text, stage", "s", "of the time", "GFLOP", "GFLOP/s", "of the peak"}};
  for (const StagesOfText& t : result.texts) {
    rows.push_back({fmt::format("{}, {:.1f} s", text_size(t.sentences, t.characters), t.audio_seconds)});
    const double total = t.stages.back().seconds;
    for (const StageResult& s : t.stages) {
      Row row{"  " + s.stage, seconds(s.seconds), percent(s.seconds / total)};
      if (s.gflop > 0) {
        row.insert(row.end(), {fmt::format("{:.2f}", s.gflop), fmt::format("{:.1f}", s.gflops()),
                               percent(s.gflops() / result.peak_gflops)});
      }
      rows.push_back(std::move(row));
    }
  }
  return fmt::format(
      "stages: the machine's peak is {:.1f} GFLOP/s in {}, the best of {} products of [512, 1024] and "
      "[1024, 4096]\n{}  GFLOP: products, convolutions in their direct form, attention; counted, not "
      "measured. encoder: with the durations\n",
      result.peak_gflops, result.product_weights, result.products, aligned(rows));
}

std::string to_table(const std::vector<LatencyResult>& results) {
  std::vector<Row> rows{{"text", "audio s", "whole s", "first chunk s", "its audio s", "first / whole"}};
  for (const LatencyResult& r : results) {
    rows.push_back({fmt::format("{}: {}", r.text, text_size(r.sentences, r.characters)),
                    fmt::format("{:.1f}", r.audio_seconds), seconds(r.whole_seconds), seconds(r.first_chunk_seconds),
                    fmt::format("{:.1f}", r.first_chunk_audio),
                    fmt::format("{:.2f}", r.first_chunk_seconds / r.whole_seconds)});
  }
  return "latency: until all of a text is there, and until the first chunk of its stream is\n" + aligned(rows);
}

std::string to_table(const std::vector<RequestsResult>& results) {
  std::vector<Row> rows{{"requests", "in turn s", "at once: first s", "last s", "× as fast", "last / first"}};
  for (const RequestsResult& r : results) {
    rows.push_back({std::to_string(r.requests), seconds(r.in_turn_seconds), seconds(r.first_seconds),
                    seconds(r.last_seconds), fmt::format("{:.2f}", r.times_as_fast()),
                    fmt::format("{:.2f}", r.unfairness())});
  }
  return "requests: a medium sentence for each, one after another and all at once\n" + aligned(rows);
}

std::string to_table(const MemoryResult& result) {
  std::vector<Row> rows{{"after", "resident MB", "own", "mapped files", "peak on the way"}};
  const bool gpu =
      std::any_of(result.states.begin(), result.states.end(), [](const MemoryState& s) { return s.device_bytes > 0; });
  if (gpu) rows.front().emplace_back("on the GPU");
  for (const MemoryState& s : result.states) {
    rows.push_back({s.state, megabytes(s.resident_bytes), megabytes(s.anonymous_bytes), megabytes(s.file_bytes),
                    megabytes(s.peak_bytes)});
    if (gpu) rows.back().push_back(megabytes(s.device_bytes));
  }
  const std::string on_gpu =
      gpu ? fmt::format(" of the host and {} MB of the GPU", megabytes(result.further_voice_device_bytes)) : "";
  return fmt::format(
      "memory: of one process, step by step; each further voice takes {} MB{}\n{}  The same voice is "
      "loaded under four names; names share BERT and nothing else.\n{}",
      megabytes(result.further_voice_bytes), on_gpu, aligned(rows),
      gpu ? "  on the GPU: weights and constants, and the pool of memory for activations\n" : "");
}

std::string to_table(const LoadResult& r) {
  return "load: from exec to the first chunk of a short text, files in the page cache\n" +
         aligned({{"step", "s"},
                  {"start of the process", seconds(r.process_seconds)},
                  {"device, dictionary, description of the voice", seconds(r.open_seconds)},
                  {"weights of BERT and the voice", seconds(r.prepare_seconds)},
                  {"speaking", seconds(r.speak_seconds)},
                  {"all", seconds(r.total_seconds)}});
}

}  // namespace hayakoe::cli
