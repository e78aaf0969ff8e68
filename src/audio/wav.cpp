// SPDX-License-Identifier: Apache-2.0
#include "audio/wav.hpp"

#include <fmt/format.h>

#include <bit>
#include <hayakoe/error.hpp>
#include <string_view>

#include "audio/samples.hpp"

namespace hayakoe::audio {
namespace {

constexpr std::uint32_t kUnknown = 0xffffffffU;

void put16(std::string& out, std::uint32_t value) {
  out += static_cast<char>(value & 0xffU);
  out += static_cast<char>(value >> 8 & 0xffU);
}

void put32(std::string& out, std::uint32_t value) {
  put16(out, value & 0xffffU);
  put16(out, value >> 16);
}

std::size_t header_size(SampleFormat format) { return format == SampleFormat::kFloat ? 58 : 44; }

std::string header(int sample_rate, SampleFormat format, std::uint32_t riff_size, std::uint32_t data_size,
                   std::uint32_t samples) {
  if (sample_rate < 1) {
    throw Error(
        fmt::format("a sampling rate of {} Hz cannot be written as wav; a positive rate is right", sample_rate));
  }
  const bool is_float = format == SampleFormat::kFloat;
  const auto sample_size = static_cast<std::uint32_t>(wav_sample_size(format));
  const auto rate = static_cast<std::uint32_t>(sample_rate);
  std::string out = "RIFF";
  put32(out, riff_size);
  out += "WAVEfmt ";
  put32(out, is_float ? 18 : 16);
  put16(out, is_float ? 3 : 1);  // format tag
  put16(out, 1);                 // channels
  put32(out, rate);
  put32(out, rate * sample_size);  // bytes per second; unsigned, and only informative where it wraps
  put16(out, sample_size);         // bytes per frame
  put16(out, sample_size * 8);     // bits per sample
  if (is_float) {
    put16(out, 0);  // size of the extension
    out += "fact";
    put32(out, 4);
    put32(out, samples);
  }
  out += "data";
  put32(out, data_size);
  return out;
}

}  // namespace

std::size_t wav_sample_size(SampleFormat format) { return format == SampleFormat::kFloat ? 4 : 2; }

std::uint64_t wav_max_samples(SampleFormat format) {
  // The RIFF size counts everything behind itself; 0xFFFFFFFF itself would read as "unknown".
  return (kUnknown - 1 - (header_size(format) - 8)) / wav_sample_size(format);
}

std::string wav_header(int sample_rate, SampleFormat format, std::uint64_t samples) {
  if (samples > wav_max_samples(format)) {
    throw Error(
        fmt::format("{} samples do not fit into a wav file, which ends at 4 GiB; flac is right for more", samples));
  }
  const auto data_size = static_cast<std::uint32_t>(samples * wav_sample_size(format));
  const auto riff_size = static_cast<std::uint32_t>(header_size(format) - 8 + data_size);
  return header(sample_rate, format, riff_size, data_size, static_cast<std::uint32_t>(samples));
}

std::string wav_stream_header(int sample_rate, SampleFormat format) {
  return header(sample_rate, format, kUnknown, kUnknown, kUnknown);
}

std::string pcm_bytes(std::span<const float> samples, SampleFormat format) {
  std::string out(samples.size() * wav_sample_size(format), '\0');
  char* to = out.data();
  if (format == SampleFormat::kFloat) {
    for (const float sample : samples) {
      const auto bits = std::bit_cast<std::uint32_t>(to_finite(sample));
      *to++ = static_cast<char>(bits & 0xffU);
      *to++ = static_cast<char>(bits >> 8 & 0xffU);
      *to++ = static_cast<char>(bits >> 16 & 0xffU);
      *to++ = static_cast<char>(bits >> 24);
    }
    return out;
  }
  for (const float sample : samples) {
    const auto bits = static_cast<std::uint16_t>(to_pcm16(sample));
    *to++ = static_cast<char>(bits & 0xffU);
    *to++ = static_cast<char>(bits >> 8);
  }
  return out;
}

std::string encode_wav(std::span<const float> samples, int sample_rate, SampleFormat format) {
  return wav_header(sample_rate, format, samples.size()) + pcm_bytes(samples, format);
}

}  // namespace hayakoe::audio
