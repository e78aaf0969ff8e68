// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace hayakoe::text {

/// Puts the Japanese name of each emoji (data/emoji.tsv) in its place, with a comma on either side: 晴れ☀ →
/// 晴れ、太陽、. Skin tones are not named; emoji without a name stay. Any input is safe. Linear in the length of the
/// text.
std::string name_emoji(std::string_view text);

}  // namespace hayakoe::text
