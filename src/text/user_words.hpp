// SPDX-License-Identifier: Apache-2.0
// Words that users add: what is allowed and how they look in the dictionary.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "text/njd/dictionary.hpp"
#include "text/types.hpp"

namespace hayakoe::text {

/// Most characters of a surface and of a reading.
inline constexpr std::size_t kMaxUserWordCharacters = 256;

/// UserWord::priority of a word that always counts.
inline constexpr int kHighestPriority = 10;

/// The number of moras of a katakana reading: キャ, ファ, ティ … count as one, ー and every other kana too.
int count_moras(std::string_view reading);

/// True if a reading in katakana can be spoken: see check_user_word.
bool is_speakable_reading(std::string_view reading);

/// Throws Error that says what is wrong and what would be right if the word cannot be added:
/// - reading: ァ to ヴ and ー only, at least one; no small vowel or ャュョヮ behind a small kana; no ッ behind ッ;
///   ヮ only behind ク or グ or at the beginning;
/// - accent: from 0 to the number of moras;
/// - surface: valid UTF-8 without control characters. An empty or blank one is taken but never found in a text.
/// - priority: from 0 to 10.
/// Neither surface nor reading may be longer than `kMaxUserWordCharacters`.
void check_user_word(const UserWord& word);

/// The surface as SBV2's dictionary has it: ASCII as full-width (+0xFEE0), nothing else changed.
std::string full_width_surface(std::string_view surface);

/// The dictionary entry of a word (which must be valid) as SBV2 makes it: a proper noun of cost 8609.
njd::UserEntry sbv2_entry(const UserWord& word);

/// The same as a line of MeCab's CSV format, without a line end.
std::string sbv2_csv_row(const UserWord& word);

/// Reads words from a file: a JSON array of {"surface", "reading", "accent"}, or CSV lines `surface,reading,accent`;
/// both may have a "priority" as well (fields may be in double quotes, a header line of these names is skipped). UTF-8;
/// a BOM, CR LF and empty lines are fine. Every word is checked. Throws Error that names the file and the line (CSV,
/// broken JSON) or entry (JSON).
std::vector<UserWord> read_word_file(const std::filesystem::path& path);

}  // namespace hayakoe::text
