// SPDX-License-Identifier: Apache-2.0
// What `hayakoe bench` finds out. Times are seconds, medians over the repeats; memory is bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hayakoe::cli {

/// What it cost to speak some sentences in one of the two ways.
struct SpeakingCost {
  double bert_seconds = 0.0;
  double total_seconds = 0.0;
  double audio_seconds = 0.0;
  int64_t bert_forwards = 0;
  int64_t peak_bytes = 0;  ///< most resident memory of the process meanwhile
  int64_t uploads = 0, upload_bytes = 0;
  int64_t downloads = 0, download_bytes = 0;
  int64_t kernel_launches = 0;
  int64_t activation_peak_bytes = 0;  ///< most bytes of activations that a call has had at once
  int64_t device_bytes = 0;           ///< weights on a GPU, of all voices that are loaded; 0 on the CPU

  /// Most memory of a GPU at once; 0 on the CPU.
  [[nodiscard]] int64_t device_peak_bytes() const {
    return device_bytes > 0 ? device_bytes + activation_peak_bytes : 0;
  }
};

/// The same sentences, a call for each and one call for all.
struct BatchResult {
  std::string engine;  ///< EngineOptions::engine
  int sentences = 0;
  int64_t characters = 0;
  SpeakingCost one_by_one, batched;
};

/// One part of the way from text to samples. `gflop` is 0 for what is not arithmetic.
struct StageResult {
  std::string stage;
  double seconds = 0.0;
  double gflop = 0.0;

  [[nodiscard]] double gflops() const { return seconds > 0 ? gflop / seconds : 0.0; }  ///< GFLOP/s
};

/// All parts for one text, then their sum as "total".
struct StagesOfText {
  int sentences = 0;
  int64_t characters = 0;
  double audio_seconds = 0.0;
  std::vector<StageResult> stages;
};

struct StagesResult {
  double peak_gflops = 0.0;             ///< GFLOP/s of the best matrix product
  int products = 0;                     ///< that were tried
  std::string product_weights = "f32";  ///< type of the product's weights
  std::vector<StagesOfText> texts;
};

/// When a text is first heard: whole and streamed.
struct LatencyResult {
  std::string text;  ///< short, medium, long
  int sentences = 0;
  int64_t characters = 0;
  double audio_seconds = 0.0;
  double whole_seconds = 0.0;        ///< until all of it is there
  double first_chunk_seconds = 0.0;  ///< until the stream's first chunk is there
  double first_chunk_audio = 0.0;    ///< seconds of audio in that chunk
};

/// The same text spoken by several requests, one after another and all begun at once.
struct RequestsResult {
  int requests = 0;
  double in_turn_seconds = 0.0;  ///< all of them, one after another
  double first_seconds = 0.0;    ///< at once: until the first of them is done,
  double last_seconds = 0.0;     ///< and until the last is

  /// What sharing the machine gains in all, and how much longer it takes the last one than the first.
  [[nodiscard]] double times_as_fast() const { return in_turn_seconds / last_seconds; }
  [[nodiscard]] double unfairness() const { return last_seconds / first_seconds; }
};

/// The memory of a process that has come so far.
struct MemoryState {
  std::string state;
  int64_t resident_bytes = 0;
  int64_t anonymous_bytes = 0;  ///< of these, its own
  int64_t file_bytes = 0;       ///< of these, mapped files
  int64_t peak_bytes = 0;       ///< most resident memory on the way from the state before
  int64_t device_bytes = 0;     ///< memory of a GPU: weights, and what is held for activations; 0 on the CPU
};

struct MemoryResult {
  std::vector<MemoryState> states;
  int64_t further_voice_bytes = 0;         ///< what each voice after the first adds, having spoken
  int64_t further_voice_device_bytes = 0;  ///< the same of MemoryState::device_bytes
};

/// A start of the program, step by step, and all of it.
struct LoadResult {
  double process_seconds = 0.0;  ///< until the program's first line runs: exec, dynamic linking
  double open_seconds = 0.0;     ///< device, dictionary, description of the voice
  double prepare_seconds = 0.0;  ///< weights of BERT and the voice
  double speak_seconds = 0.0;    ///< the first chunk of a short text
  double total_seconds = 0.0;
};

}  // namespace hayakoe::cli
