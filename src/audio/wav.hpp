// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "audio/format.hpp"

namespace hayakoe::audio {

// RIFF WAVE, one channel. kPcm16: format tag 1, a 44-byte header. kFloat: format tag 3 (IEEE float), a 58-byte header
// with the `fact` chunk that the format asks for. `data` is always the last chunk. (Microsoft/IBM, Multimedia
// Programming Interface and Data Specifications 1.0, and its 1994 revision.)

/// Bytes per sample: 2 or 4.
[[nodiscard]] std::size_t wav_sample_size(SampleFormat format);

/// The most samples one file can hold; its sizes are 32-bit numbers, so this is about 4 GiB.
[[nodiscard]] std::uint64_t wav_max_samples(SampleFormat format);

/// The header of a file with exactly `samples` samples (at most wav_max_samples(), else Error) at `sample_rate` Hz (>
/// 0, else Error).
[[nodiscard]] std::string wav_header(int sample_rate, SampleFormat format, std::uint64_t samples);

/// The header to send when the length is not known yet: all sizes are 0xFFFFFFFF, and samples follow until the end of
/// the stream.
[[nodiscard]] std::string wav_stream_header(int sample_rate, SampleFormat format);

/// Samples as they lie in the file, little-endian; see to_pcm16() and to_finite() for the conversion.
[[nodiscard]] std::string pcm_bytes(std::span<const float> samples, SampleFormat format);

/// A whole file in memory, with exact sizes. Throws Error as wav_header() does.
[[nodiscard]] std::string encode_wav(std::span<const float> samples, int sample_rate, SampleFormat format);

}  // namespace hayakoe::audio
