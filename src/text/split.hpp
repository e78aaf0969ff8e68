// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/types.hpp"

namespace hayakoe::text {

/// Cuts a text into sentences, each without white space at its ends; empty ones are left out, so an empty text or one
/// of white space only gives none. Where there is one sentence or none, the caller may as well take the whole text.
/// `kSbv2` cuts after every single one of `。！？!?` and newline.
/// `kNatural` cuts at the same marks, but a run of marks stays together (`え！？` | `本当`), quotes and brackets that
/// close right after a mark stay with the sentence they close (`「はい。」` | `と言う。`), and a piece without any
/// letter or digit goes to the piece before it, or to the one after it if it is the first. Web addresses, Aozora notes
/// ［＃…］ and [[…]] are never cut. Any input is safe (each
/// ill-formed part of the UTF-8 becomes U+FFFD). Linear in the length of the text.
std::vector<std::string> split_sentences(std::string_view text, Rules rules);

}  // namespace hayakoe::text
