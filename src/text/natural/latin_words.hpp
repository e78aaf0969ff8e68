// SPDX-License-Identifier: Apache-2.0
// How one Latin word is read: as a word, by its parts, or letter by letter.
#pragma once

#include <string>
#include <string_view>

#include "text/natural/draft.hpp"

namespace hayakoe::text {
class English;
}

namespace hayakoe::text::natural {

/// Reads words of Latin letters for one draft. Both arguments must outlive it.
class LatinWords {
 public:
  LatinWords(Draft& draft, const English& english) : draft_(draft), english_(english) {}

  /// What stands for a word of A to Z in the draft: katakana, or a Given. In this order: data/latin.tsv; capitals
  /// letter by letter, unless they are more than three and the English table knows the word; the English table; the
  /// parts of camelCase; a plural, Japanese in Latin letters, or two words of the table written together; the usual
  /// sounds of the letters; letter by letter.
  std::u32string read(std::u32string_view word) { return read(word, Given::Phrase::kAuto); }

  /// The same, so that an accent phrase begins with the word.
  std::u32string read_apart(std::u32string_view word) { return read(word, Given::Phrase::kBegins); }

  /// Letters (and digits, in English) one by one.
  std::u32string spell(std::u32string_view letters) { return spell(letters, Given::Phrase::kAuto); }

 private:
  using Phrase = Given::Phrase;

  std::u32string read(std::u32string_view word, Phrase phrase);
  std::u32string spell(std::u32string_view letters, Phrase phrase);
  std::string known_kana(std::u32string_view word) const;
  std::u32string say(std::u32string_view word, std::string_view kana, Phrase phrase);
  std::u32string say_guess(std::u32string_view kana, Phrase phrase);
  std::u32string read_parts(std::u32string_view word, Phrase phrase);
  std::u32string guess_kana(std::u32string_view word) const;

  Draft& draft_;
  const English& english_;
};

}  // namespace hayakoe::text::natural
