// SPDX-License-Identifier: Apache-2.0
#include "text/frontend.hpp"

#include <algorithm>

#include "text/g2p.hpp"
#include "text/lexicon.hpp"
#include "text/njd/dictionary.hpp"
#include "text/unicode.hpp"
#include "text/user_words.hpp"

namespace hayakoe::text {

Frontend::Frontend(const FrontendOptions& options)
    : dictionary_(njd::find_dictionary(options.dictionary)),
      english_(options.english.empty() ? English::built_in() : English::from_file(options.english)),
      lexicon_(std::make_shared<const Lexicon>(dictionary_, std::vector<UserWord>())) {}

Frontend::~Frontend() = default;

std::shared_ptr<const Lexicon> Frontend::lexicon() const {
  const std::lock_guard lock(snapshot_);
  return lexicon_;
}

Analysis Frontend::analyze(std::string_view text, Rules rules) const {
  Analysis analysis;
  analysis.text = text;
  const auto words = lexicon()->analyze(text, rules, english_, &analysis.norm_text, &analysis.warnings);
  words_to_phones(words, rules, analysis);
  return analysis;
}

void Frontend::replace_words(std::vector<UserWord> words) {
  auto changed = std::make_shared<const Lexicon>(dictionary_, std::move(words));
  const std::lock_guard lock(snapshot_);
  lexicon_.swap(changed);  // the old one, if this was its last user, ends outside the lock
}

void Frontend::add_word(const UserWord& word) { add_words(std::span(&word, 1)); }

void Frontend::add_words(std::span<const UserWord> words) {
  for (const UserWord& word : words) check_user_word(word);
  const std::lock_guard lock(change_);
  auto all = lexicon()->words();
  all.insert(all.end(), words.begin(), words.end());
  replace_words(std::move(all));
}

bool Frontend::remove_word(std::string_view surface) {
  const std::lock_guard lock(change_);
  auto words = lexicon()->words();
  const auto key = nfkc(to_u32(surface));
  const auto removed = std::erase_if(words, [&](const UserWord& word) { return nfkc(to_u32(word.surface)) == key; });
  if (removed > 0) replace_words(std::move(words));
  return removed > 0;
}

std::vector<UserWord> Frontend::words() const { return lexicon()->words(); }

void Frontend::load_words(const std::filesystem::path& path) { add_words(read_word_file(path)); }

}  // namespace hayakoe::text
