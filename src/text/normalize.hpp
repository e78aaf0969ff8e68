// SPDX-License-Identifier: Apache-2.0
// The text as it is written → the text that Open JTalk and BERT can take.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/types.hpp"

namespace hayakoe::text {

class English;

/// Normalises one sentence as Style-Bert-VITS2 does: NFKC; English words to katakana; numbers to kanji; tildes and
/// marks to the few that have a phone; every other character that no later stage knows is dropped (and so are
/// unassigned code points). The result holds only kana, kanji, Latin and Greek letters and `! ? … , . ' -`. `warnings`
/// (may be null) takes a sentence for each thing that could not be read as usual. Any input is safe: invalid UTF-8
/// counts as U+FFFD, which is dropped. Linear in the length of the text.
std::string normalize(std::string_view text, const English& english, std::vector<std::string>* warnings = nullptr);

/// The last steps of `normalize` for a text whose words are all rewritten: tildes and marks unified, the rest dropped.
/// Private-use characters of planes 15 and 16 stay (see natural/draft.hpp).
std::u32string keep_readable(std::u32string text, std::vector<std::string>* warnings);

/// True for hiragana, katakana, `ー`, kanji and `々`: what words are made of and no rule rewrites.
bool is_word_character(char32_t c);

/// True for the marks that are phones themselves: `! ? … , . ' -`.
bool is_punctuation(std::string_view phone_or_char);
bool is_punctuation(char32_t c);

/// The last two steps of `normalize` for the surface of one word out of Open JTalk: marks unified, full-width ones too
/// (`，`→`,` `．`→`.` `！`→`!` `’`→`'` `−`→`-`), the rest dropped. Latin letters stay full-width.
/// May return an empty string.
std::string replace_marks_and_drop(std::string_view word);

}  // namespace hayakoe::text
