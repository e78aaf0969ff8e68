// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hayakoe::text {

/// A number in ASCII digits, `[0-9]+(\.[0-9]+)?`, as kanji words: 1234 → 千二百三十四, 0 → 零, 3.14 → 三点一四.
/// As Style-Bert-VITS2 reads them: integers as decimals of 28 significant digits, fractions through an IEEE double, so
/// at most about 17 digits survive. From 10^51 on, where the names of numbers end, the digits are read one by one, and
/// a sentence about that is appended to `warnings` (may be null). Other input is returned as it is.
std::string number_to_kanji(std::string_view number, std::vector<std::string>* warnings = nullptr);

}  // namespace hayakoe::text
