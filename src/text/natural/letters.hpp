// SPDX-License-Identifier: Apache-2.0
// Latin letters said by their Japanese names.
#pragma once

#include <string>
#include <string_view>

#include "text/natural/draft.hpp"

namespace hayakoe::text::natural {

inline constexpr bool is_capital(char32_t c) { return c >= U'A' && c <= U'Z'; }
inline constexpr bool is_small(char32_t c) { return c >= U'a' && c <= U'z'; }
inline constexpr bool is_latin(char32_t c) { return is_capital(c) || is_small(c); }
inline constexpr bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

/// True for hiragana, katakana and kanji, with ー and 々.
bool is_japanese(char32_t c);

/// The Japanese name of a Latin letter (H エイチ) or of a digit as in product names (3 スリー); empty for others.
std::string_view letter_name(char32_t c);

/// Letters and digits said one by one as one word. The pitch falls after the first mora of the last one, as it does in
/// initialisms: NHK エヌエイチケ＼ー. Characters without a name are not heard; there must be one that has one.
Given spelt(std::u32string_view letters);

/// True if a reading is nothing but the names of `letters` (API エーピーアイ, also with ジェイ and ケイ).
bool is_spelling(std::string_view reading, std::u32string_view letters);

/// A word in katakana, apart from its neighbours.
std::u32string apart(std::string_view katakana);
std::u32string apart(std::u32string_view katakana);

}  // namespace hayakoe::text::natural
