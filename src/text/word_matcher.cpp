// SPDX-License-Identifier: Apache-2.0
#include "text/word_matcher.hpp"

#include <algorithm>

namespace hayakoe::text {
namespace {

bool is_small(char32_t c) { return c >= U'a' && c <= U'z'; }
char32_t fold_case(char32_t c) { return c >= U'A' && c <= U'Z' ? c - U'A' + U'a' : c; }
bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

// Latin letters with and without accents.
bool is_letter(char32_t c) { return is_small(fold_case(c)) || (c >= 0xC0 && c <= 0x24F && c != 0xD7 && c != 0xF7); }

// False between two letters or two digits.
bool is_boundary(std::u32string_view text, std::size_t position) {
  if (position == 0 || position == text.size()) return true;
  const char32_t before = text[position - 1];
  const char32_t after = text[position];
  return !(is_letter(before) && is_letter(after)) && !(is_digit(before) && is_digit(after));
}

}  // namespace

void WordMatcher::Trie::add(std::u32string_view word, int id) {
  std::size_t node = 0;
  for (const char32_t c : word) {
    const auto [edge, added] = edges.try_emplace({node, c}, ids.size());
    if (added) ids.push_back(-1);
    node = edge->second;
  }
  ids[node] = id;
}

void WordMatcher::add(std::u32string word, int id) {
  exact_.add(word, id);
  if (std::none_of(word.begin(), word.end(), is_small)) return;
  std::transform(word.begin(), word.end(), word.begin(), fold_case);
  folded_.add(word, id);
}

WordMatcher::Match WordMatcher::longest(const Trie& trie, std::u32string_view text, std::size_t begin, bool fold) {
  Match best{begin, 0, -1};
  std::size_t node = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const auto edge = trie.edges.find({node, fold ? fold_case(text[i]) : text[i]});
    if (edge == trie.edges.end()) break;
    node = edge->second;
    if (trie.ids[node] >= 0 && is_boundary(text, i + 1)) best = {begin, i + 1 - begin, trie.ids[node]};
  }
  return best;
}

std::vector<WordMatcher::Match> WordMatcher::find_all(std::u32string_view text) const {
  std::vector<Match> matches;
  for (std::size_t i = 0; i < text.size();) {
    Match match{i, 0, -1};
    if (is_boundary(text, i)) {
      match = longest(exact_, text, i, false);
      if (match.length == 0) match = longest(folded_, text, i, true);
    }
    if (match.length > 0) matches.push_back(match);
    i += std::max<std::size_t>(1, match.length);
  }
  return matches;
}

}  // namespace hayakoe::text
