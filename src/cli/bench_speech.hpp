// SPDX-License-Identifier: Apache-2.0
// The measurements of `hayakoe bench` that run in this process, with a voice that is loaded.
#pragma once

#include <string>
#include <vector>

#include "cli/bench_measure.hpp"
#include "cli/bench_results.hpp"
#include "device/device.hpp"

namespace hayakoe::cli {

/// A voice, loaded with EngineOptions::engine `engine`.
struct BenchVoice {
  std::string engine;
  Voice voice;
};

/// As --precision names it.
const char* name_of(device::WeightType type);

/// For each size, its sentences one by one and all in one call, in turn, with each of the voices in turn. Peaks are
/// taken in a run before, which counts as a warm-up, all sizes one by one before any batch: what a batch leaves in the
/// arena must not count for what came without it.
std::vector<BatchResult> measure_batch(const std::vector<BenchVoice>& voices, const BenchSetup& setup);

/// A medium sentence and the long text part by part, and matrix products in between for the machine's peak.
StagesResult measure_stages(const Voice& voice, const BenchSetup& setup);

/// A short, a medium and the long text: whole and streamed, in turn.
std::vector<LatencyResult> measure_latency(const Voice& voice, const BenchSetup& setup);

/// A medium sentence asked for by 1, 2 and 4 requests, one after another and at once, in turn.
std::vector<RequestsResult> measure_requests(const Voice& voice, const BenchSetup& setup);

}  // namespace hayakoe::cli
