// SPDX-License-Identifier: Apache-2.0
#include "audio/writer.hpp"

#include <exception>
#include <hayakoe/error.hpp>
#include <utility>

#include "audio/encoder.hpp"
#include "audio/output.hpp"

namespace hayakoe::audio {

class AudioWriter::State {
 public:
  State(std::unique_ptr<Output> output, Container container, int sample_rate, SampleFormat format)
      : output_(std::move(output)), encoder_(make_encoder(*output_, container, format, sample_rate)) {}

  void write(std::span<const float> samples) {
    if (is_closed_) {
      throw Error("audio was written after the writer had been closed");
    }
    guarded([&] { encoder_->write(samples); });
    count_ += samples.size();
  }

  void close() {
    if (is_closed_) {
      return;
    }
    guarded([this] {
      encoder_->finish();
      output_->commit();
    });
    is_closed_ = true;
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  // Drops the output with the first error, so that neither a later close() nor anybody else takes it for complete.
  template <typename Action>
  void guarded(Action action) {
    if (error_) {
      std::rethrow_exception(error_);
    }
    try {
      action();
    } catch (...) {
      error_ = std::current_exception();
      encoder_.reset();
      output_.reset();
      throw;
    }
  }

  // The encoder writes into the output and so is destroyed first.
  std::unique_ptr<Output> output_;
  std::unique_ptr<Encoder> encoder_;
  std::exception_ptr error_;
  std::uint64_t count_ = 0;
  bool is_closed_ = false;
};

AudioWriter::AudioWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
AudioWriter::AudioWriter(AudioWriter&& other) noexcept = default;
AudioWriter& AudioWriter::operator=(AudioWriter&& other) noexcept = default;
AudioWriter::~AudioWriter() = default;

AudioWriter AudioWriter::to_file(const std::filesystem::path& path, int sample_rate, SampleFormat format) {
  return to_file(path, container_for(path), sample_rate, format);
}

AudioWriter AudioWriter::to_file(const std::filesystem::path& path, Container container, int sample_rate,
                                 SampleFormat format) {
  check_can_write(container, format, sample_rate);  // before the file is made
  return AudioWriter(std::make_unique<State>(open_file_output(path), container, sample_rate, format));
}

AudioWriter AudioWriter::to_memory(std::string& out, Container container, int sample_rate, SampleFormat format) {
  return AudioWriter(std::make_unique<State>(open_memory_output(out), container, sample_rate, format));
}

AudioWriter AudioWriter::to_stream(std::function<void(std::string_view)> sink, Container container, int sample_rate,
                                   SampleFormat format) {
  return AudioWriter(std::make_unique<State>(open_stream_output(std::move(sink)), container, sample_rate, format));
}

void AudioWriter::write(std::span<const float> samples) { state_->write(samples); }

std::uint64_t AudioWriter::samples() const { return state_->count(); }

void AudioWriter::close() { state_->close(); }

}  // namespace hayakoe::audio
