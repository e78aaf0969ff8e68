// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace hayakoe::audio {

/// A piece of text and when it is heard, in seconds from the start of the audio.
struct Cue {
  double begin = 0;
  double end = 0;
  std::string text;  ///< UTF-8
};

/// The cues as SubRip text (.srt, UTF-8, LF line ends), numbered from 1. Times are rounded to milliseconds. Every cue
/// then begins no earlier than the one before it ended and ends no earlier than it begins; a cue that does not keep to
/// this is moved. Negative times and NaN count as 0. Line breaks and control characters within a text become one space;
/// cues without visible text are left out (an empty line would end a cue early).
[[nodiscard]] std::string to_srt(std::span<const Cue> cues);

}  // namespace hayakoe::audio
