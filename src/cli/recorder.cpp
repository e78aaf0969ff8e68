// SPDX-License-Identifier: Apache-2.0
#include "cli/recorder.hpp"

#include <unistd.h>

#include <utility>

#include "audio/samples.hpp"
#include "audio/subtitles.hpp"
#include "cli/console.hpp"
#include "cli/json.hpp"

namespace hayakoe::cli {
namespace {

constexpr const char* kStdout = "-";

audio::SampleFormat format_of(const RecorderOptions& options) {
  return options.sample_format == "float" ? audio::SampleFormat::kFloat : audio::SampleFormat::kPcm16;
}

std::string subtitles_of(const std::vector<SentenceTiming>& sentences) {
  std::vector<audio::Cue> cues;
  cues.reserve(sentences.size());
  for (const SentenceTiming& s : sentences) cues.push_back({s.begin, s.end, s.text});
  return audio::to_srt(cues);
}

void write_whole(audio::Output& output, const std::string& bytes) {
  output.write_at(0, bytes);
  output.commit();
}

}  // namespace

void check(const RecorderOptions& options) {
  if (options.output != kStdout) {
    (void)audio::container_for(options.output);
  } else if (isatty(STDOUT_FILENO) == 1) {
    throw Error("the standard output is a terminal; send the audio to a file or a program: -o - > out.wav");
  }
}

Recorder::Recorder(RecorderOptions options, int sample_rate) : options_(std::move(options)), sample_rate_(sample_rate) {
  const audio::SampleFormat format = format_of(options_);
  writer_ = options_.output == kStdout
                ? audio::AudioWriter::to_memory(stdout_bytes_, audio::Container::kWav, sample_rate, format)
                : audio::AudioWriter::to_file(options_.output, sample_rate, format);
  if (!options_.timing.empty()) timing_ = audio::open_file_output(options_.timing);
  if (!options_.subtitles.empty()) subtitles_ = audio::open_file_output(options_.subtitles);
}

void Recorder::add(const Audio& chunk) {
  samples_ += chunk.samples.size();
  if (options_.normalize == "peak") {
    all_.insert(all_.end(), chunk.samples.begin(), chunk.samples.end());
  } else {
    writer_->write(chunk.samples);
  }
  if (timing_ || subtitles_) sentences_.insert(sentences_.end(), chunk.sentences.begin(), chunk.sentences.end());
}

void Recorder::finish() {
  if (!all_.empty()) {
    audio::scale_to_peak(all_, 1.0F);
    writer_->write(all_);
  }
  writer_->close();
  if (options_.output == kStdout) print(stdout_bytes_);
  if (timing_) write_whole(*timing_, to_line(timing_json(sample_rate_, seconds(), sentences_)) + "\n");
  if (subtitles_) write_whole(*subtitles_, subtitles_of(sentences_));
}

}  // namespace hayakoe::cli
