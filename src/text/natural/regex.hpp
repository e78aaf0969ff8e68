// SPDX-License-Identifier: Apache-2.0
// PCRE2 over code points, as the rules of this room need it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hayakoe::text::natural {

/// One match of a Regex. The views last as long as the text that was searched.
class Match {
 public:
  Match(std::u32string_view text, std::vector<std::size_t> ends) : text_(text), ends_(std::move(ends)) {}

  /// Group `i` (0: the whole match); empty where it took no part.
  std::u32string_view operator[](std::size_t i) const;
  /// True if group `i` took part in the match, be it with nothing.
  bool has(std::size_t i) const;
  std::size_t begin() const { return ends_[0]; }
  std::size_t end() const { return ends_[1]; }
  /// What stands before and behind the match.
  std::u32string_view before() const { return text_.substr(0, begin()); }
  std::u32string_view after() const { return text_.substr(end()); }

 private:
  std::u32string_view text_;
  std::vector<std::size_t> ends_;  // begin and end of each group
};

/// A compiled pattern in PCRE2's syntax, case-sensitive, with Unicode properties for `\w` and the like (`\d` too: write
/// `[0-9]` where ASCII digits are meant). Safe from any thread. Patterns are part of the program, so keep them linear:
/// bounded or possessive repetitions (`[0-9]{1,40}+`), never one unbounded repetition behind another over the same
/// characters. Write ranges of code points rather than `\p{Han}` and the like: whether they take in marks such as 《
/// depends on the version of PCRE2. A match that takes too many steps counts as none. At most 31 groups.
class Regex {
 public:
  /// Throws std::logic_error with the place of the mistake if the pattern is wrong.
  explicit Regex(std::u32string_view pattern);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  /// The first match that begins at `from` or later; nothing if there is none.
  std::optional<Match> find(std::u32string_view text, std::size_t from = 0) const;

 private:
  struct Code;
  std::unique_ptr<Code> code_;
};

/// What stands in place of a match; nothing: the match stays as it is.
using Replacement = std::function<std::optional<std::u32string>(const Match&)>;

/// Replaces the matches from left to right; what was put in is not searched again.
void replace_all(std::u32string& text, const Regex& regex, const Replacement& replacement);

}  // namespace hayakoe::text::natural
