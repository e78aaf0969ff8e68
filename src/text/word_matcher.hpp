// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hayakoe::text {

/// Finds given words in running text, where normalisation has not touched it yet.
class WordMatcher {
 public:
  /// Adds a word (NFKC, not empty); a later one of the same spelling takes its place.
  void add(std::u32string word, int id);

  bool empty() const { return exact_.empty(); }

  struct Match {
    std::size_t begin = 0;
    std::size_t length = 0;
    int id = 0;
  };

  /// The words in `text` (NFKC) from left to right, the longest at each place, never overlapping. A word that begins
  /// or ends with a letter or digit is only found where that letter or digit is not inside a longer word or number. As
  /// it is spelled comes first; words with a small letter are also found in any other mix of small and capital letters
  /// (so `GitHub` is found in `github`, but `IT` not in `it`). Time: length of the text times the length of the longest
  /// word.
  std::vector<Match> find_all(std::u32string_view text) const;

 private:
  // A trie: (node, character) → node.
  struct Trie {
    struct Edge {
      std::size_t node = 0;
      char32_t character = 0;
      bool operator==(const Edge&) const = default;
    };
    struct EdgeHash {
      std::size_t operator()(const Edge& edge) const {
        return std::hash<std::size_t>()(edge.node * 0x110000 + edge.character);
      }
    };
    std::unordered_map<Edge, std::size_t, EdgeHash> edges;
    std::vector<int> ids{-1};  // of each node; -1: no word ends here

    void add(std::u32string_view word, int id);
    bool empty() const { return ids.size() == 1; }
  };

  static Match longest(const Trie& trie, std::u32string_view text, std::size_t begin, bool fold);

  Trie exact_;
  Trie folded_;
};

}  // namespace hayakoe::text
