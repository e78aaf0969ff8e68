// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace hayakoe::audio {

/// How one sample is stored. kPcm16: 16-bit integers. kFloat: 32-bit floats in WAV, 24-bit integers in FLAC (which has
/// no floats). Ogg Vorbis and MP3 are lossy and take no notice of it.
enum class SampleFormat : std::uint8_t { kPcm16, kFloat };

/// kWav: RIFF WAVE. kFlac: FLAC. kOgg: Vorbis in Ogg. kMp3: MPEG-1/2/2.5 layer III, if the installed libsndfile has it.
enum class Container : std::uint8_t { kWav, kFlac, kOgg, kMp3 };

/// "wav", "flac", "ogg" or "mp3".
[[nodiscard]] std::string_view container_name(Container container);

/// The container for a file name, by its extension in any case: .wav, .flac, .ogg or .mp3. Throws Error, listing these,
/// for any other.
[[nodiscard]] Container container_for(const std::filesystem::path& path);

/// The container of that name ("wav", "flac", "ogg", "mp3", in any case). Throws Error, listing these, for any other.
[[nodiscard]] Container container_from_name(std::string_view name);

/// Throws Error, saying what would be right, if the container cannot hold that sampling rate (in Hz) or the installed
/// libsndfile cannot write the container.
void check_can_write(Container container, SampleFormat format, int sample_rate);

}  // namespace hayakoe::audio
