// SPDX-License-Identifier: Apache-2.0
#include "audio/format.hpp"

#include <fmt/format.h>
#include <sndfile.h>

#include <algorithm>
#include <array>
#include <hayakoe/error.hpp>
#include <optional>
#include <string>

#include "audio/sndfile_format.hpp"

namespace hayakoe::audio {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

std::optional<Container> find_container(std::string_view name) {
  for (const Container container : {Container::kWav, Container::kFlac, Container::kOgg, Container::kMp3}) {
    if (lower(name) == container_name(container)) {
      return container;
    }
  }
  return std::nullopt;
}

// libsndfile is built without MP3 on some systems and is older than its MP3 support on others.
bool has_major(int major) {
  int count = 0;
  sf_command(nullptr, SFC_GET_FORMAT_MAJOR_COUNT, &count, sizeof count);
  for (int i = 0; i < count; ++i) {
    SF_FORMAT_INFO info{};
    info.format = i;
    if (sf_command(nullptr, SFC_GET_FORMAT_MAJOR, &info, sizeof info) == 0 && info.format == major) {
      return true;
    }
  }
  return false;
}

bool has_subtype(int subtype) {
  int count = 0;
  sf_command(nullptr, SFC_GET_FORMAT_SUBTYPE_COUNT, &count, sizeof count);
  for (int i = 0; i < count; ++i) {
    SF_FORMAT_INFO info{};
    info.format = i;
    if (sf_command(nullptr, SFC_GET_FORMAT_SUBTYPE, &info, sizeof info) == 0 && info.format == subtype) {
      return true;
    }
  }
  return false;
}

[[noreturn]] void wrong_rate(Container container, int rate, std::string_view right) {
  throw Error(
      fmt::format("a sampling rate of {} Hz cannot be written as {}; {}", rate, container_name(container), right));
}

void check_rate(Container container, int rate) {
  switch (container) {
    case Container::kWav:
      if (rate < 1) {
        wrong_rate(container, rate, "a positive rate is right");
      }
      return;
    case Container::kFlac:
      // RFC 9639 section 9.1.2: what the header of a frame can state.
      if (rate < 1 || rate > 655350 || (rate > 65535 && rate % 10 != 0)) {
        wrong_rate(container, rate, "1 to 65535 Hz, or a multiple of 10 up to 655350 Hz, is right");
      }
      return;
    case Container::kOgg:
      // The range libvorbis has tunings for.
      if (rate < 8000 || rate > 192000) {
        wrong_rate(container, rate, "8000 to 192000 Hz is right");
      }
      return;
    case Container::kMp3: {
      constexpr std::array kRates = {8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000};
      if (std::find(kRates.begin(), kRates.end(), rate) == kRates.end()) {
        wrong_rate(container, rate, "8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100 or 48000 Hz is right");
      }
      return;
    }
  }
}

}  // namespace

std::string_view container_name(Container container) {
  switch (container) {
    case Container::kWav:
      return "wav";
    case Container::kFlac:
      return "flac";
    case Container::kOgg:
      return "ogg";
    case Container::kMp3:
      return "mp3";
  }
  return "?";
}

Container container_for(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  const auto container = find_container(std::string_view(extension).substr(extension.empty() ? 0 : 1));
  if (!container) {
    throw Error(
        fmt::format("the name {} does not tell the audio format; an extension of .wav, .flac, .ogg or .mp3 is right",
                    path.string()));
  }
  return *container;
}

Container container_from_name(std::string_view name) {
  const auto container = find_container(name);
  if (!container) {
    throw Error(fmt::format("the audio format \"{}\" is unknown; wav, flac, ogg or mp3 is right", name));
  }
  return *container;
}

int sndfile_format(Container container, SampleFormat format) {
  switch (container) {
    case Container::kFlac:
      return SF_FORMAT_FLAC | (format == SampleFormat::kFloat ? SF_FORMAT_PCM_24 : SF_FORMAT_PCM_16);
    case Container::kOgg:
      return SF_FORMAT_OGG | SF_FORMAT_VORBIS;
    case Container::kMp3:
      return SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III;
    case Container::kWav:
      break;
  }
  return SF_FORMAT_WAV | (format == SampleFormat::kFloat ? SF_FORMAT_FLOAT : SF_FORMAT_PCM_16);
}

void check_can_write(Container container, SampleFormat format, int sample_rate) {
  check_rate(container, sample_rate);
  if (container == Container::kWav) {
    return;  // written without libsndfile
  }
  const int wanted = sndfile_format(container, format);
  if (!has_major(wanted & SF_FORMAT_TYPEMASK) || !has_subtype(wanted & SF_FORMAT_SUBMASK)) {
    throw Error(fmt::format("the installed {} cannot write {}; wav is right on every system", sf_version_string(),
                            container_name(container)));
  }
}

}  // namespace hayakoe::audio
