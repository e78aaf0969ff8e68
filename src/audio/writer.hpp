// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "audio/format.hpp"
#include "audio/samples.hpp"
#include "audio/wav.hpp"

namespace hayakoe::audio {

/// Writes one channel of audio bit by bit, in any of the containers. Nothing counts until close(): a writer that is
/// destroyed before leaves no file behind. After an error the writer only repeats that error. Not for use by two
/// threads at once.
class AudioWriter {
 public:
  /// Writes the file `path`; see container_for() for its extension and open_file_output() for how the file comes into
  /// being. Throws Error if the rate (in Hz) is not one that the container can hold, if this system cannot write
  /// the container, or, naming the path, if the file cannot be made.
  [[nodiscard]] static AudioWriter to_file(const std::filesystem::path& path, int sample_rate, SampleFormat format);
  [[nodiscard]] static AudioWriter to_file(const std::filesystem::path& path, Container container, int sample_rate,
                                           SampleFormat format);

  /// Fills `out`, which must outlive the writer, with the whole file at close().
  [[nodiscard]] static AudioWriter to_memory(std::string& out, Container container, int sample_rate,
                                             SampleFormat format);

  /// Hands the bytes to `sink` as they come, for pipes and network clients. The lengths in the header then stay unknown
  /// (WAV: 0xFFFFFFFF). What the sink throws comes out of the function that called it.
  [[nodiscard]] static AudioWriter to_stream(std::function<void(std::string_view)> sink, Container container,
                                             int sample_rate, SampleFormat format);

  AudioWriter(AudioWriter&& other) noexcept;
  AudioWriter& operator=(AudioWriter&& other) noexcept;
  ~AudioWriter();

  /// Appends samples; full scale is [-1, 1]. See samples.hpp for what happens to others. Throws Error, e.g. for a full
  /// disk, or if the writer is closed.
  void write(std::span<const float> samples);

  /// The number of samples written so far.
  [[nodiscard]] std::uint64_t samples() const;

  /// Completes the file and puts it in its place. Throws Error if anything could not be written, and then leaves no
  /// file. Closing twice does nothing.
  void close();

 private:
  class State;
  explicit AudioWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hayakoe::audio
