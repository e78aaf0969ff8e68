// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hayakoe::text {

/// The character tokenizer of the Japanese BERT model: one token per character, case kept.
class CharTokenizer {
 public:
  /// Reads `vocab.txt`: one token a line, the line number from 0 is the id.
  /// Throws Error if the file cannot be read or lacks `[CLS]`, `[SEP]` or `[UNK]`.
  explicit CharTokenizer(const std::filesystem::path& vocab);

  /// [CLS], one id per character, [SEP]. Control characters (all of category C, U+FFFD) and white space give no token;
  /// the rest is taken in NFKC, so full-width letters count as ASCII; characters that the vocabulary lacks become
  /// [UNK]; the literal names of the five special tokens become their ids. For the text that the front end makes, the
  /// result has exactly one id per character plus two. Any input is safe.
  std::vector<int> encode(std::string_view bert_text) const;

  /// Number of ids: every id that `encode` returns is below it.
  int vocabulary_size() const { return size_; }

 private:
  // Names of special tokens in the text, with their ids, in the order of the vocabulary.
  std::vector<std::pair<std::u32string, int>> specials_;
  std::unordered_map<char32_t, int> ids_;
  int size_ = 0;
  int cls_ = -1;
  int sep_ = -1;
  int unknown_ = -1;

  void append_plain(std::u32string_view text, std::vector<int>& ids) const;
};

}  // namespace hayakoe::text
