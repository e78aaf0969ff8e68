// SPDX-License-Identifier: Apache-2.0
// The rules `natural`: each step takes what it knows how to read out of the text, so that later steps do not see it.
// The order matters and is that of `rewrite.cpp`. All steps take any text and time linear in its length.
#pragma once

#include <functional>

#include "text/natural/draft.hpp"

namespace hayakoe::text {
class English;
}

namespace hayakoe::text::natural {

// Before NFKC, which would take away what tells these apart.

/// The accent of a surface that is read so, as far as the dictionary knows it with this reading (katakana); else 0.
using AccentOf = std::function<int(std::u32string_view surface, std::string_view reading)>;

/// ruby.cpp: 漢字《かんじ》, ｜東京《とうきょう》, [[漢字|かんじ]] and [[箸|はし|1]] become readings; Aozora notes
/// ［＃…］ go.
void read_ruby(Draft& draft, const AccentOf& accent_of);
/// The text as a reader sees it: without the readings that `read_ruby` takes and without Aozora notes (箸, not
/// [[箸|はし|1]]).
std::string without_readings(std::string_view utf8);

/// characters.cpp: ① ㈱ ㎏ ㎡ ½ Ⅳ ² ₂ … become words or a plain spelling that the number steps know.
void expand_characters(Draft& draft);

// After NFKC: full-width Latin letters and digits are ASCII, half-width kana full-width.

/// addresses.cpp: URLs, e-mail addresses, file names and paths, @handles.
void read_addresses(Draft& draft, const English& english);
/// chat.cpp: (笑), ww, kaomoji, emoji.
void read_chat(Draft& draft);
/// bullets.cpp: list marks at the beginning.
void read_bullets(Draft& draft);
/// latin_names.cpp: Latin names with digits, marks or spaces in them: MP3, COVID-19, C++, thank you; floors (B1F).
void read_latin_names(Draft& draft, const English& english);
/// dates.cpp: 2024/01/02, 令和6年, 5/3(金), 14:05, 9:00〜17:00.
void read_dates(Draft& draft);
/// digit_runs.cpp: phone, postal and card numbers, IDs, leading zeros.
void read_digit_runs(Draft& draft);
/// versions.cpp: v1.2.3, Ver.2.0, 192.168.0.1.
void read_versions(Draft& draft);
/// ranges.cpp: 3〜5人, 10-20人, 2、3日.
void read_ranges(Draft& draft);
/// money.cpp: ¥1,980, $5.99, 3万円.
void read_money(Draft& draft);
/// units.cpp: 5kg, 25℃, 60km/h, 100%.
void read_units(Draft& draft);
/// math.cpp: 1/2, 16:9, 2+3=5, 10^6, ±3, scores 3-2, and 1-2-3 of an address.
void read_math(Draft& draft);
/// latin.cpp: acronyms, words, camel case, letters with digits, C++, roman numerals.
void read_latin(Draft& draft, const English& english);
/// numbers.cpp: every number that is left.
void read_numbers(Draft& draft);
/// counters.cpp: numbers with counters (data/counters.tsv) that the analyser misreads.
void read_counters(Draft& draft);
/// symbols.cpp: &, @, #, _, ※, Greek letters and the like.
void read_symbols(Draft& draft);
/// marks.cpp: brackets, dashes, wave dashes, ellipses; spaces between Latin words.
void read_marks(Draft& draft);

/// All steps from NFKC on, in order. The text then holds kana, kanji, Latin letters that are to be spelt, marks, and
/// the characters of draft.hpp.
void rewrite(Draft& draft, const English& english);

}  // namespace hayakoe::text::natural
