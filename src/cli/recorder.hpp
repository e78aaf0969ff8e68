// SPDX-License-Identifier: Apache-2.0
// Takes the audio of `say` sentence by sentence and makes the files that were asked for.
#pragma once

#include <hayakoe/hayakoe.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audio/output.hpp"
#include "audio/writer.hpp"

namespace hayakoe::cli {

struct RecorderOptions {
  std::string output = "out.wav";  ///< "-": WAV to the standard output, once all is there
  std::string sample_format = "pcm16";
  std::string normalize = "none";
  std::string timing;     ///< JSON file; empty: none
  std::string subtitles;  ///< SRT file; empty: none
};

/// Looks at what can be told before anything is computed. @throws Error for an unknown extension, or if the audio would
/// go to a terminal
void check(const RecorderOptions& options);

/// No file appears under its name before finish(), or at all if that is not called. Memory does not grow with the audio
/// unless it goes to the standard output or is normalised; that of the timing and subtitles does, by little.
class Recorder {
 public:
  /// Opens the files, so that one that cannot be written is known at once. @throws Error
  Recorder(RecorderOptions options, int sample_rate);

  void add(const Audio& chunk);
  void finish();

  [[nodiscard]] double seconds() const { return static_cast<double>(samples_) / sample_rate_; }

 private:
  RecorderOptions options_;
  int sample_rate_;
  std::uint64_t samples_ = 0;
  std::string stdout_bytes_;
  std::optional<audio::AudioWriter> writer_;
  std::unique_ptr<audio::Output> timing_;
  std::unique_ptr<audio::Output> subtitles_;
  std::vector<float> all_;  // only what is to be normalised
  std::vector<SentenceTiming> sentences_;
};

}  // namespace hayakoe::cli
