// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "text/njd/dictionary.hpp"

namespace hayakoe::text::njd {

/// What a user dictionary must have in common with the system dictionary.
struct DictionaryFormat {
  unsigned version = 102;
  unsigned left_size = 0;   ///< number of left context ids
  unsigned right_size = 0;  ///< number of right context ids
  std::string charset = "UTF-8";
};

/// The bytes of a MeCab user dictionary (format 102, as `mecab-dict-index -u` makes it) with these entries; entries
/// without a surface are left out, of equal surfaces 255 stay. The library's own compiler is not used, because it
/// prints to stdout and ends the process on an error.
///
/// Layout, native byte order: a header of ten 32-bit numbers (checksum, version, type 1, entries, left and right size,
/// bytes of the three parts, 0) and the charset in 32 bytes; a double array (Aoe 1989) over the bytes of the surfaces,
/// whose leaves hold (first token << 8) + number of tokens; tokens of 16 bytes; zero-terminated features.
std::string build_user_dictionary(std::span<const UserEntry> entries, const DictionaryFormat& format);

}  // namespace hayakoe::text::njd
