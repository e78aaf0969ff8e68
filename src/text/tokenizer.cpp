// SPDX-License-Identifier: Apache-2.0
#include "text/tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <hayakoe/error.hpp>

#include "text/unicode.hpp"

namespace hayakoe::text {
namespace {

constexpr std::array<std::string_view, 5> kSpecialNames{"[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"};

bool is_separator(char32_t c) { return is_space(c); }

// Python's tokenizers let tab, LF and CR through as white space although they are control characters.
bool is_dropped(char32_t c) {
  if (c == U'\t' || c == U'\n' || c == U'\r') return false;
  return c == kReplacement || is_other_category(c);
}

}  // namespace

CharTokenizer::CharTokenizer(const std::filesystem::path& vocab) {
  const auto fail = [&](std::string_view what) {
    throw Error(fmt::format("The vocabulary \"{}\" {}; it should be the vocab.txt of the BERT model, one token a line.",
                            vocab.string(), what));
  };
  std::error_code ec;
  if (std::filesystem::is_directory(vocab, ec)) fail("is a folder");
  std::ifstream file(vocab, std::ios::binary);
  if (!file) fail("cannot be read");
  for (std::string line; std::getline(file, line); ++size_) {
    if (line.ends_with('\r')) line.pop_back();
    if (line == "[CLS]") cls_ = size_;
    if (line == "[SEP]") sep_ = size_;
    if (line == "[UNK]") unknown_ = size_;
    const auto token = to_u32(line);
    if (token.size() == 1) ids_[token[0]] = size_;
    if (std::find(kSpecialNames.begin(), kSpecialNames.end(), line) != kSpecialNames.end()) {
      specials_.emplace_back(token, size_);
    }
  }
  if (file.bad()) fail("cannot be read");
  if (cls_ < 0) fail("has no [CLS]");
  if (sep_ < 0) fail("has no [SEP]");
  if (unknown_ < 0) fail("has no [UNK]");
}

std::vector<int> CharTokenizer::encode(std::string_view bert_text) const {
  const auto text = to_u32(bert_text);
  std::u32string_view rest = text;
  std::vector<int> ids{cls_};
  ids.reserve(text.size() + 2);
  for (std::size_t i = 0; i < rest.size();) {
    const auto special = std::find_if(specials_.begin(), specials_.end(),
                                      [&](const auto& s) { return rest.substr(i).starts_with(s.first); });
    if (special == specials_.end()) {
      ++i;
      continue;
    }
    append_plain(rest.substr(0, i), ids);
    ids.push_back(special->second);
    rest.remove_prefix(i + special->first.size());
    i = 0;
  }
  append_plain(rest, ids);
  ids.push_back(sep_);
  return ids;
}

void CharTokenizer::append_plain(std::u32string_view text, std::vector<int>& ids) const {
  std::u32string clean;
  std::copy_if(text.begin(), text.end(), std::back_inserter(clean), [](char32_t c) { return !is_dropped(c); });
  clean = nfc(clean);
  for (auto begin = clean.begin(); begin != clean.end();) {
    begin = std::find_if_not(begin, clean.end(), is_separator);
    const auto end = std::find_if(begin, clean.end(), is_separator);
    for (const char32_t c : nfkc({begin, end})) {
      const auto found = ids_.find(c);
      ids.push_back(found == ids_.end() ? unknown_ : found->second);
    }
    begin = end;
  }
}

}  // namespace hayakoe::text
