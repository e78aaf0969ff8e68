// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "text/english.hpp"
#include "text/natural/latin_table.hpp"
#include "text/natural/latin_words.hpp"
#include "text/natural/letters.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"

namespace hayakoe::text::natural {
namespace {

// The letters from À (U+00C0) to ſ (U+017F) without their marks; a blank for what is no letter.
constexpr std::u32string_view kFolded =
    U"AAAAAAACEEEEIIIIDNOOOOO OUUUUYTsaaaaaaaceeeeiiiidnooooo ouuuuyty"
    U"AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlL"
    U"lLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";
constexpr char32_t kFirstFolded = 0xC0;
static_assert(kFolded.size() == 0x180 - kFirstFolded);

// Takes the marks off Latin letters: Pokémon is read as Pokemon.
void fold_accents(std::u32string& text) {
  for (char32_t& c : text) {
    if (c < kFirstFolded || c >= kFirstFolded + kFolded.size()) continue;
    if (const char32_t plain = kFolded[c - kFirstFolded]; plain != U' ') c = plain;
  }
}

// Words that spaces, hyphens and apostrophes hold together.
class Phrase {
 public:
  Phrase(Draft& draft, const English& english, std::u32string_view text)
      : draft_(draft), words_(draft, english), text_(text) {}

  std::u32string read() {
    std::u32string out;
    const bool sentence = std::count(text_.begin(), text_.end(), U' ') >= kSpacesOfSentence;
    std::size_t since_begin = 0;  // letters since an accent phrase began
    for (std::size_t i = 0; i < text_.size();) {
      if (!is_latin(text_[i])) {
        out += kBoundary;
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < text_.size() && is_latin(text_[end])) ++end;
      const auto word = text_.substr(i, end - i);
      const bool begins = sentence && since_begin >= kLettersOfAccentPhrase;
      since_begin = (begins ? 0 : since_begin) + word.size();
      if (is_article(i, end)) {
        out += draft_.give({U"ア", "ア", 0, begins ? Given::Phrase::kBegins : Given::Phrase::kAuto});
      } else {
        out += begins ? words_.read_apart(word) : words_.read(word);
      }
      i = take_possessive(end, out);
    }
    return out;
  }

 private:
  // `a` before a word in small letters, at the beginning of a phrase or between words; A or B are letters.
  bool is_article(std::size_t begin, std::size_t end) const {
    if (end - begin != 1 || (text_[begin] != U'a' && (text_[begin] != U'A' || begin > 0))) return false;
    static const Regex noun(U"^ (?!(?:or|and|to|is|vs|as)(?![a-z]))[a-z]");
    return noun.find(text_.substr(end)).has_value();
  }

  std::size_t take_possessive(std::size_t i, std::u32string& out) const {
    const auto rest = text_.substr(i);
    const bool apostrophe = !rest.empty() && (rest[0] == U'\'' || rest[0] == U'’');
    if (!apostrophe || rest.size() < 2 || rest[1] != U's' || (rest.size() > 2 && is_latin(rest[2]))) return i;
    out += apart(U"ズ");
    return i + 2;
  }

  // Two words are a name of one accent phrase, as Machine Learning; more are a sentence, which has several.
  static constexpr std::ptrdiff_t kSpacesOfSentence = 2;
  static constexpr std::size_t kLettersOfAccentPhrase = 4;

  Draft& draft_;
  LatinWords words_;
  std::u32string_view text_;
};

}  // namespace

void read_latin(Draft& draft, const English& english) {
  static const Regex phrase(U"[A-Za-z]++(?:[ '’-][A-Za-z]++)*+");
  fold_accents(draft.text);
  replace_all(draft.text, phrase,
              [&](const Match& m) -> std::optional<std::u32string> { return Phrase(draft, english, m[0]).read(); });
}

}  // namespace hayakoe::text::natural
