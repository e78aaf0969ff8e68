// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "text/natural/letters.hpp"
#include "text/natural/number_words.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"

namespace hayakoe::text::natural {
namespace {

// Signs at the head are silent. ○ and its like are read where a particle follows: ○をつける.
void drop_signs(Draft& draft) {
  static const Regex ascii(U"^\\s*+(?:[-*+>]\\s++){1,4}(?:\\[[ xX]\\]\\s++)?");
  static const Regex signs(U"^\\s*+(?:[・•‣■□◆◇▼▽▶▷►☑☐☒✓✔◉▪▫]|[○◯◎●△▲](?![○◯×をがはにとのもでや])){1,4}\\s*+");
  const auto nothing = [](const Match&) -> std::optional<std::u32string> { return U""; };
  replace_all(draft.text, ascii, nothing);
  replace_all(draft.text, signs, nothing);
}

// 1. 2) (3): the number and a short pause.
void read_number(Draft& draft) {
  static const Regex number(
      U"^\\s*+(?:([1-9][0-9]{0,2})(?:\\.(?![0-9A-Za-z])|\\))|\\(([1-9][0-9]{0,2})\\))(?:\\s++|(?![0-9]))(?=[^\\s,.、。]"
      U")");
  replace_all(draft.text, number, [](const Match& m) -> std::optional<std::u32string> {
    return number_words(m[m.has(1) ? 1 : 2]) + U"、";
  });
}

// a. B) (c) (ア)
void read_letter(Draft& draft) {
  static const Regex letter(
      U"^\\s*+(?:([A-Za-z])(?:\\.\\s++|\\.(?![A-Za-z.])|\\)\\s*+)|\\(([A-Za-z]|[ァ-ヺ]|[ぁ-ゖ])\\)\\s*+)(?="
      U"[^\\s,.、。])");
  replace_all(draft.text, letter, [&](const Match& m) -> std::optional<std::u32string> {
    const auto label = m[m.has(1) ? 1 : 2];
    return (is_latin(label[0]) ? draft.give(spelt(label)) : apart(label)) + U"、";
  });
}

}  // namespace

void read_bullets(Draft& draft) {
  drop_signs(draft);
  read_number(draft);
  read_letter(draft);
}

}  // namespace hayakoe::text::natural
