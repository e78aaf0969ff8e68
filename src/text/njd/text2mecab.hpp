// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace hayakoe::text::njd {

/// The text as the dictionary has it: ASCII becomes full-width (`'` ’, `-` −, `~` 〜, `"` ”, `` ` `` ‘, `\` ￥, space
/// U+3000, the rest by +0xFEE0), control characters are dropped, everything else is kept. `text` must be NFKC.
std::string text2mecab(std::string_view text);

}  // namespace hayakoe::text::njd
