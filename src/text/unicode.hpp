// SPDX-License-Identifier: Apache-2.0
// Unicode helpers. "Character" means one code point everywhere in this room. Every function takes any input at all
// and takes time proportional to its length.
#pragma once

#include <string>
#include <string_view>

namespace hayakoe::text {

/// U+FFFD, which stands for everything that is not a character.
inline constexpr char32_t kReplacement = 0xFFFD;

/// Decodes UTF-8. Each maximal ill-formed part (Unicode Standard 3.9, "U+FFFD substitution of maximal subparts")
/// becomes one U+FFFD; surrogates and overlong forms are ill-formed.
std::u32string to_u32(std::string_view utf8);

/// Encodes code points as UTF-8; surrogates and values above U+10FFFF become U+FFFD.
std::string to_utf8(std::u32string_view text);
std::string to_utf8(char32_t c);
void append_utf8(std::string& out, char32_t c);

/// The length in bytes of the well-formed character at the start of `utf8`; 1 where it is ill-formed; 0 if empty.
std::size_t utf8_length_at(std::string_view utf8);

/// Unicode normalisation forms (UAX #15), from the tables of utf8proc.
std::u32string nfkc(std::u32string_view text);
std::u32string nfc(std::u32string_view text);

/// White space as Python's str.strip() and str.isspace() see it: bidirectional class WS, B or S, or category Zs.
/// So U+3000, U+00A0, U+0085, U+2028 and U+001C to U+001F are, U+200B and U+FEFF are not.
bool is_space(char32_t c);

/// False for category Cn (unassigned and noncharacters) and for values above U+10FFFF.
bool is_assigned(char32_t c);

/// True for the categories C*: control, format, surrogate, private use, unassigned.
bool is_other_category(char32_t c);

/// True for the categories L* and N*: what a reader would expect to hear.
bool is_letter_or_number(char32_t c);

/// `text` without white space (`is_space`) at either end.
std::u32string_view strip(std::u32string_view text);
std::string_view strip(std::string_view utf8);

}  // namespace hayakoe::text
