// SPDX-License-Identifier: Apache-2.0
// The whole way from text to phones.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "text/english.hpp"
#include "text/types.hpp"

namespace hayakoe::text {

class Lexicon;

struct FrontendOptions {
  std::filesystem::path dictionary;  ///< MeCab dictionary; empty: HAYAKOE_DICTIONARY, else the built-in default
  std::filesystem::path english;     ///< `word<TAB>kana` file; empty: the built-in words
};

/// Text to phones, with the user's words. All functions may be called from any thread at any time; a text is analysed
/// with the words that were there when its analysis began.
class Frontend {
 public:
  /// Opens the dictionary and the English words. Throws Error that names the missing file and how to get it.
  explicit Frontend(const FrontendOptions& options = {});
  ~Frontend();
  Frontend(const Frontend&) = delete;
  Frontend& operator=(const Frontend&) = delete;

  /// Analyses one sentence (it is not split). Takes any text, also empty, very long or malformed, without an error;
  /// what could not be read is told in `warnings`. Time and memory grow linearly with the length. `bert_ids` stays
  /// empty. phones.size() == tones.size() == sum of word2ph, and word2ph.size() == characters of bert_text + 2.
  Analysis analyze(std::string_view text, Rules rules) const;

  /// Adds a word, in place of one with the same surface (of either width). Throws Error that says what is wrong with
  /// it; nothing is changed then. What a word does under which rules: see Lexicon.
  void add_word(const UserWord& word);

  /// Adds several words at once, all or, if one is wrong, none. Much faster than one by one.
  void add_words(std::span<const UserWord> words);

  /// Removes the word with this surface (of either width); false if there is none.
  bool remove_word(std::string_view surface);

  /// The words as they were given, in the order in which their surfaces were first added.
  std::vector<UserWord> words() const;

  /// Adds the words of a file (see read_word_file), all or none. Throws Error that names file and line.
  void load_words(const std::filesystem::path& path);

 private:
  std::shared_ptr<const Lexicon> lexicon() const;
  void replace_words(std::vector<UserWord> words);

  std::filesystem::path dictionary_;
  English english_;
  std::mutex change_;            // held while words change
  mutable std::mutex snapshot_;  // guards the pointer only
  std::shared_ptr<const Lexicon> lexicon_;
};

}  // namespace hayakoe::text
