// SPDX-License-Identifier: Apache-2.0
// What writers say about how a text is to be spoken: pauses in the text, and SSML.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/types.hpp"

namespace hayakoe::text {

/// A stretch of text that is spoken in one way.
struct Span {
  std::string text;                    ///< may be empty: then only the pause counts
  std::optional<double> pause_before;  ///< seconds, in place of the pause that would be there
  double rate = 1.0;                   ///< 2 is twice as fast
  double pitch = 1.0;                  ///< 2 is an octave higher

  bool operator==(const Span&) const = default;
};

/// The longest pause, in seconds.
inline constexpr double kLongestPause = 60.0;

/// Cuts a text at `[[pause 500]]` (milliseconds; also `[[pause 500ms]]` and `[[pause 0.5s]]`). Pauses that follow each
/// other add up, to `kLongestPause` at most. Anything else in brackets stays text. Never fails.
std::vector<Span> parse_pauses(std::string_view text);

/// Reads SSML (W3C Speech Synthesis Markup Language 1.1), of which these are known:
/// - `<speak>` as the root, `<p>` and `<s>`, which end sentences;
/// - `<break time="500ms|0.5s" strength="none|x-weak|weak|medium|strong|x-strong"/>`;
/// - `<prosody rate="slow|120%|1.2|+20%" pitch="high|+10%|+2st">`, also nested;
/// - `<sub alias="…">`;
/// - `<say-as interpret-as="characters|digits|telephone|cardinal|ordinal|date|time">` (and the other common names of
/// these);
/// - `<phoneme alphabet="kana" ph="…">`: katakana or hiragana, `'` behind the mora after which the pitch falls.
/// Under `kNatural` what parse_pauses and [[表記|ヨミ]] know works inside, too.
/// Throws Error that names the line, what is wrong there and what would be right: broken XML, other elements,
/// attributes or values.
std::vector<Span> parse_ssml(std::string_view ssml, Rules rules);

}  // namespace hayakoe::text
