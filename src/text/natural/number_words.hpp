// SPDX-License-Identifier: Apache-2.0
// Digits as words that the analyser cannot misread.
#pragma once

#include <string>
#include <string_view>

#include "text/natural/draft.hpp"

namespace hayakoe::text::natural {

/// What a number looks like in a pattern: 1234, 1,234 or 3.14, in ASCII digits, possessive. It matches from any digit
/// on, so put `(?<![0-9])` or the like in front, which also keeps a pattern linear over long runs of digits.
inline constexpr std::u32string_view kNumberPattern =
    U"(?:(?:[0-9]{1,3}+(?:,[0-9]{3}(?![0-9])|,[0-9]{3}(?=,)){1,20}+|[0-9]++)(?:\\.[0-9]++)?+)";

/// An integer in ASCII digits, with or without thousands separators (1234, 1,234), as kanji words with a boundary
/// (kBoundary) around each: 二|千|二|十|四. So what follows is read as its counter and nothing else. 0 is ゼロ. From
/// 10^24 on, where the names that people know end, the digits one by one. Other characters are an error of the caller.
std::u32string number_words(std::u32string_view digits);

/// The same for a number that may have a fraction, whose digits are read one by one, all of them: 3.10 has three
/// digits. `next` is the character behind the number (0: none), on whose account the last digit may change (1.6本).
std::u32string number_words(Draft& draft, std::u32string_view number, char32_t next = 0);

/// 三・一四: `integer` and `fraction` are the kanji on both sides of the point.
std::u32string kanji_decimal_words(Draft& draft, std::u32string_view integer, std::u32string_view fraction,
                                   char32_t next);

/// 一月 to 十二月, the names of the months, as one word each (月 behind a boundary would be the moon). `digits` is the
/// number of a month.
std::u32string month_words(std::u32string_view digits);

/// True for 1 to 12, perhaps with a leading zero.
bool is_month(std::u32string_view digits);

/// 2.0.1 of a version: the parts are numbers, `point` between them.
std::u32string version_words(Draft& draft, std::u32string_view version);

/// The name of an ASCII digit among others that are read one by one, in katakana of two moras (2 ニー, 5 ゴー); empty
/// for other characters.
std::string_view digit_name(char32_t c);

/// Digits one by one, as telephone numbers are read: in pairs, all of two moras (ニー, ゴー). `zero` is 0's reading.
std::u32string digit_words(Draft& draft, std::u32string_view digits, std::string_view zero = "ゼロ");

/// The value of a run of ASCII digits; -1 if it has more than nine.
int value_of(std::u32string_view digits);

/// The character behind a match; 0 at the end of the text.
inline char32_t first_of(std::u32string_view after) { return after.empty() ? 0 : after.front(); }

}  // namespace hayakoe::text::natural
