// SPDX-License-Identifier: Apache-2.0
#include "audio/subtitles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace hayakoe::audio {
namespace {

std::int64_t milliseconds(double seconds) {
  constexpr double kLongest = 1e12;  // seconds; far beyond any audio, and safe to convert
  return seconds > 0 ? std::llround(std::min(seconds, kLongest) * 1000) : 0;
}

std::string timestamp(std::int64_t time) {
  return fmt::format("{:02}:{:02}:{:02},{:03}", time / 3'600'000, time / 60'000 % 60, time / 1000 % 60, time % 1000);
}

bool is_break(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// The lines of `text`, without the spaces at their ends, joined with one space.
std::string one_line(std::string_view text) {
  std::string out;
  for (auto begin = text.begin(); begin != text.end();) {
    auto end = std::find_if(begin, text.end(), is_break);
    const auto next = std::find_if_not(end, text.end(), is_break);
    begin = std::find_if(begin, end, [](char c) { return c != ' '; });
    while (end != begin && *(end - 1) == ' ') {
      --end;
    }
    if (begin != end) {
      out += out.empty() ? "" : " ";
      out.append(begin, end);
    }
    begin = next;
  }
  return out;
}

}  // namespace

std::string to_srt(std::span<const Cue> cues) {
  std::string out;
  std::int64_t earliest = 0;
  int number = 0;
  for (const Cue& cue : cues) {
    const std::string text = one_line(cue.text);
    if (text.empty()) {
      continue;
    }
    const std::int64_t begin = std::max(milliseconds(cue.begin), earliest);
    const std::int64_t end = std::max(milliseconds(cue.end), begin);
    fmt::format_to(std::back_inserter(out), "{}\n{} --> {}\n{}\n\n", ++number, timestamp(begin), timestamp(end), text);
    earliest = end;
  }
  return out;
}

}  // namespace hayakoe::audio
