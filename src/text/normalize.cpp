// SPDX-License-Identifier: Apache-2.0
#include "text/normalize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "text/english.hpp"
#include "text/natural/draft.hpp"
#include "text/numbers.hpp"
#include "text/unicode.hpp"

namespace hayakoe::text {
namespace {

constexpr char32_t kKanjiZero = 0x3007;  // 〇
constexpr std::u32string_view kPunctuation = U"!?…,.'-";

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

bool is_letter(char32_t c) { return (c >= U'A' && c <= U'Z') || (c >= U'a' && c <= U'z'); }

bool between(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

std::size_t count_while(std::u32string_view text, std::size_t i, bool (*is)(char32_t)) {
  std::size_t n = 0;
  while (i + n < text.size() && is(text[i + n])) ++n;
  return n;
}

std::string ascii(std::u32string_view text) { return {text.begin(), text.end()}; }

std::string lower(std::string word) {
  for (char& c : word) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return word;
}

std::u32string replace_english(std::u32string_view text, const English& english) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = count_while(text, i, is_letter);
    if (n == 0) {
      out += text[i++];
      continue;
    }
    const std::string written = ascii(text.substr(i, n));
    const std::string_view kana = english.lookup(lower(written));
    if (kana.empty()) {
      out += text.substr(i, n);
    } else {
      out += to_u32(kana);
    }
    i += n;
  }
  return out;
}

// The length of a comma with exactly three digits to count behind it, at `i`; 0 if there is none.
std::size_t thousands_group(std::u32string_view text, std::size_t i) {
  return i < text.size() && text[i] == U',' &&
                 count_while(text.substr(0, std::min(text.size(), i + 4)), i + 1, is_digit) == 3
             ? 4
             : 0;
}

// Removes the commas of 1,234,567. A match may begin inside a run of digits: at most three stand before a comma.
std::u32string join_thousands(std::u32string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t head = count_while(text.substr(0, std::min(text.size(), i + 3)), i, is_digit);
    if (head == 0 || thousands_group(text, i + head) == 0) {
      out += text[i++];
      continue;
    }
    out += text.substr(i, head);
    i += head;
    for (; thousands_group(text, i) != 0; i += 4) out += text.substr(i + 1, 3);
  }
  return out;
}

std::u32string_view currency_name(char32_t c) {
  switch (c) {
    case U'$':
      return U"ドル";
    case U'¥':
      return U"円";
    case U'£':
      return U"ポンド";
    case U'€':
      return U"ユーロ";
    default:
      return {};
  }
}

// $12.5 → 12.5ドル
std::u32string move_currency(std::u32string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto name = currency_name(text[i]);
    std::size_t n = name.empty() ? 0 : count_while(text, i + 1, [](char32_t c) { return is_digit(c) || c == U'.'; });
    while (n > 0 && text[i + n] == U'.') --n;
    if (n == 0) {
      out += text[i++];
      continue;
    }
    out += text.substr(i + 1, n);
    out += name;
    i += n + 1;
  }
  return out;
}

std::u32string read_numbers(std::u32string_view text, std::vector<std::string>* warnings) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    std::size_t n = count_while(text, i, is_digit);
    if (n == 0) {
      out += text[i++];
      continue;
    }
    if (i + n < text.size() && text[i + n] == U'.') {
      const std::size_t decimals = count_while(text, i + n + 1, is_digit);
      if (decimals > 0) n += 1 + decimals;
    }
    out += to_u32(number_to_kanji(ascii(text.substr(i, n)), warnings));
    i += n;
  }
  return out;
}

void replace_tildes(std::u32string& text) {
  for (char32_t& c : text) {
    if (c == U'~' || c == U'～' || c == U'〜') c = U'ー';
  }
}

const std::unordered_map<char32_t, char32_t>& mark_table() {
  static const std::unordered_map<char32_t, char32_t> table = [] {
    constexpr std::pair<char32_t, std::u32string_view> kRows[] = {
        {U'.', U"。．\n$"},
        {U',', U"、，：；·・"},
        {U'!', U"！"},
        {U'?', U"？"},
        {U'\'', U"\"“”‘’()（）[]《》【】「」"},
        {U'-', U"\u02D7\u2010\u2012\u2013\u2014\u2015\u2043\u2212\u23AF\u23E4\u2500\u2501\u2E3A\u2E3B"},
    };
    std::unordered_map<char32_t, char32_t> map;
    for (const auto& [to, from] : kRows) {
      for (const char32_t c : from) map.emplace(c, to);
    }
    return map;
  }();
  return table;
}

// Three middle dots are an ellipsis, one is a comma.
std::u32string unify_marks(std::u32string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto three = text.substr(i, 3);
    if (text[i] == U'…' || three == U"···" || three == U"・・・") {
      out += U"...";
      i += text[i] == U'…' ? 1 : 3;
      continue;
    }
    const auto mark = mark_table().find(text[i]);
    out += mark == mark_table().end() ? text[i] : mark->second;
    ++i;
  }
  return out;
}

bool is_kept(char32_t c) {
  const bool known = between(c, 0x3040, 0x309F) || between(c, 0x30A0, 0x30FF) || between(c, 0x4E00, 0x9FFF) ||
                     between(c, 0x3400, 0x4DBF) || c == 0x3005 || is_letter(c) || between(c, 0xFF21, 0xFF3A) ||
                     between(c, 0xFF41, 0xFF5A) || between(c, 0x0370, 0x03FF) || between(c, 0x1F00, 0x1FFF) ||
                     is_punctuation(c);
  return known && is_assigned(c);
}

// Says which letters and digits are lost; marks, emoji and the like are not meant to be heard.
void warn_dropped(std::u32string_view lost, std::vector<std::string>* warnings) {
  if (warnings == nullptr || lost.empty()) return;
  constexpr std::size_t kMostShown = 10;
  std::u32string shown;
  for (const char32_t c : lost) {
    if (shown.size() < kMostShown && shown.find(c) == std::u32string::npos) shown += c;
  }
  warnings->push_back(fmt::format("{} character{} cannot be read and {} left out: {}", lost.size(),
                                  lost.size() == 1 ? "" : "s", lost.size() == 1 ? "is" : "are", to_utf8(shown)));
}

enum class Keep { kSbv2, kNatural };

std::u32string drop_rest(std::u32string_view text, Keep keep, std::vector<std::string>* warnings) {
  const auto is_natural = [](char32_t c) { return c == kKanjiZero || natural::is_ours(c); };
  std::u32string out;
  std::u32string lost;
  out.reserve(text.size());
  for (const char32_t c : text) {
    if (is_kept(c) || (keep == Keep::kNatural && is_natural(c))) {
      out += c;
    } else if (is_letter_or_number(c) || c == kReplacement) {
      lost += c;
    }
  }
  warn_dropped(lost, warnings);
  return out;
}

void drop_voicing_marks(std::u32string& text) {
  std::erase_if(text, [](char32_t c) { return c == 0x3099 || c == 0x309A; });
}

}  // namespace

bool is_word_character(char32_t c) {
  return is_assigned(c) && (between(c, 0x3041, 0x3096) || between(c, 0x30A1, 0x30FA) || c == U'ー' || c == U'々' ||
                            between(c, 0x4E00, 0x9FFF) || between(c, 0x3400, 0x4DBF));
}

bool is_punctuation(char32_t c) { return kPunctuation.find(c) != std::u32string_view::npos; }

bool is_punctuation(std::string_view phone_or_char) {
  if (phone_or_char.size() == 1) return is_punctuation(static_cast<char32_t>(phone_or_char[0]));
  return phone_or_char == "…";
}

std::string normalize(std::string_view text, const English& english, std::vector<std::string>* warnings) {
  std::u32string s = nfkc(to_u32(text));
  s = replace_english(s, english);
  s = read_numbers(move_currency(join_thousands(s)), warnings);
  replace_tildes(s);
  s = drop_rest(unify_marks(s), Keep::kSbv2, warnings);
  drop_voicing_marks(s);
  return to_utf8(s);
}

std::u32string keep_readable(std::u32string text, std::vector<std::string>* warnings) {
  replace_tildes(text);
  text = drop_rest(unify_marks(text), Keep::kNatural, warnings);
  drop_voicing_marks(text);
  return text;
}

std::string replace_marks_and_drop(std::string_view word) {
  return to_utf8(drop_rest(unify_marks(to_u32(word)), Keep::kNatural, nullptr));
}

}  // namespace hayakoe::text
