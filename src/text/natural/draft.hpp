// SPDX-License-Identifier: Apache-2.0
// A sentence on its way from what is written to what the analyser reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hayakoe::text::natural {

/// A stretch of text whose reading is decided: the analyser takes it as one noun.
struct Given {
  std::u32string surface;  ///< what BERT sees: kana, kanji or Latin letters; at least one character
  std::string reading;     ///< katakana pronunciation, `ー` for long vowels
  int accent = 0;          ///< mora after which the pitch falls; 0: it does not
  enum class Phrase {
    kAuto,   ///< joins its neighbours as a noun does
    kBegins  ///< begins an accent phrase of its own
  };
  Phrase phrase = Phrase::kAuto;
};

/// Characters of the private use planes have a meaning here; `make_draft` removes them from what users write.
inline constexpr char32_t kFirstUserWord = 0xF0000;  ///< plane 15: user words (Lexicon)
inline constexpr char32_t kLastUserWord = 0xFFFFC;
inline constexpr char32_t kAnyGiven = 0xFFFFD;  ///< what stands for each Given in the analyser
inline constexpr char32_t kFirstGiven = 0x100000;
inline constexpr char32_t kLastGiven = 0x10FFFC;
/// The analyser must begin a new word here, so that no word is made of what belongs apart: the 十 and 分 of 10分 are
/// not 十分 (enough).
inline constexpr char32_t kBoundary = 0x10FFFD;

inline constexpr bool is_given(char32_t c) { return c >= kFirstGiven && c <= kLastGiven; }
inline constexpr bool is_ours(char32_t c) { return c >= kFirstUserWord; }

/// A text being rewritten, step by step, into kana, kanji and marks.
class Draft {
 public:
  explicit Draft(std::u32string characters, std::vector<std::string>* warnings = nullptr)
      : text(std::move(characters)), warnings_(warnings) {}

  std::u32string text;

  /// Notes a reading and returns the character that stands for it in `text` (or, should there be more than 65,000 in
  /// one sentence, the reading itself). A reading that is empty or not katakana is a mistake of the caller.
  std::u32string give(Given given);

  /// What `is_given` characters stand for.
  const Given& given(char32_t c) const { return given_.at(c - kFirstGiven); }

  /// A sentence for the user about something that could not be read.
  void warn(std::string message);

 private:
  std::vector<Given> given_;
  std::vector<std::string>* warnings_;
};

/// The draft of a text: decoded, without the private characters above.
Draft make_draft(std::string_view utf8, std::vector<std::string>* warnings);

}  // namespace hayakoe::text::natural
