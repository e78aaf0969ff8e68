// SPDX-License-Identifier: Apache-2.0
// The dictionary together with the user's words.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/english.hpp"
#include "text/natural/draft.hpp"
#include "text/njd/dictionary.hpp"
#include "text/njd/morpheme.hpp"
#include "text/types.hpp"
#include "text/word_matcher.hpp"

namespace hayakoe::text {

/// A dictionary with a fixed set of user words. Immutable and safe from any thread; to add a word, make a new one.
///
/// Under `kSbv2` a user word is one more entry of the dictionary with SBV2's cost: known words and everything that
/// normalisation changes first win over it.
///
/// Under `kNatural` the user's word wins:
/// - A surface that normalisation leaves as it is (kana and kanji) is an entry that costs less than the best reading
///   that the dictionary has for it (or more, by its priority), and, with the highest priority, wherever the words
///   found cover it exactly they are replaced by it. So 東京 wins in 東京都, but 魚 leaves 魚屋 alone if the dictionary
///   prefers that word.
/// - Any other surface (`GitHub`, `C++`, `GPT4`, 〇〇) is found in the NFKC text before English words, numbers and
///   marks are replaced. A private-use character stands for it until the words have their readings, so nothing can
///   split or respell it. In the text for BERT it appears without the characters that are not allowed there, or as its
///   reading if nothing is left.
/// Behind another word of its phrase a word's accent counts (chain rule P1), while under `kSbv2` it does not.
/// The words of data/words.tsv, which everyday texts need and the dictionary lacks or misreads, are there too; a user's
/// word of the same surface takes their place.
class Lexicon {
 public:
  /// Opens the dictionary in `folder` with `words`, which must be valid; of equal surfaces (after NFKC) the last
  /// counts. Throws Error as Dictionary::open does.
  Lexicon(const std::filesystem::path& folder, std::vector<UserWord> words);

  const std::vector<UserWord>& words() const { return words_; }

  /// Normalises `text` and cuts it into words with readings and accents. `norm_text` receives the normalised text.
  njd::Morphemes analyze(std::string_view text, Rules rules, const English& english, std::string* norm_text,
                         std::vector<std::string>* warnings) const;

 private:
  // A surface that stands behind a private-use character.
  struct Hidden {
    std::string mecab_surface;  // full-width, with something that BERT may see
    std::string norm_surface;
  };

  void set_priority(njd::UserEntry& entry, int priority);
  void add_built_in(std::vector<njd::UserEntry>& entries);
  void add_plain(const std::vector<const UserWord*>& words, std::vector<njd::UserEntry>& entries);
  njd::UserEntry hide(const UserWord& word, const std::u32string& surface);
  void hide_user_words(std::u32string& text) const;
  natural::Draft make_natural(std::string_view text, const English& english, std::vector<std::string>* warnings) const;
  int accent_of(const std::string& surface, std::string_view reading) const;
  std::string readable(const natural::Draft& draft) const;
  std::vector<njd::Node> analyze_draft(const natural::Draft& draft) const;
  std::vector<njd::Node> replace_known(std::vector<njd::Node> nodes, std::span<const std::size_t> boundaries) const;
  void unhide(njd::Morphemes& words) const;

  std::vector<UserWord> words_;
  std::shared_ptr<const njd::Dictionary> sbv2_;
  std::shared_ptr<const njd::Dictionary> natural_;
  WordMatcher matcher_;
  std::vector<Hidden> hidden_;
  std::map<std::string, std::string> plain_;  // full-width surface → feature
};

}  // namespace hayakoe::text
