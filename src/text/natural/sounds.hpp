// SPDX-License-Identifier: Apache-2.0
// Latin words that no table has, by the usual sounds of their letters.
#pragma once

#include <string>
#include <string_view>

namespace hayakoe::text::natural {

/// The katakana of a word in small letters as an English name would be read (anthropic アンソロピック); empty if it
/// does not look as if it could be spoken: shorter than four letters, or hardly any vowels.
std::u32string sound_out(std::string_view word);

/// The accent of a loanword without one in a dictionary: on the third mora from the end, or the one before it if that
/// is the second half of a long vowel, ン or ッ. `katakana` must not be empty.
int loanword_accent(std::u32string_view katakana);

}  // namespace hayakoe::text::natural
