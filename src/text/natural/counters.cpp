// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>
#include <memory>
#include <string>

#include "text/natural/number_words.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"
#include "text/table_lines.hpp"
#include "text/unicode.hpp"

extern "C" {
extern const char hayakoe_counters_begin[];
extern const char hayakoe_counters_end[];
}

namespace hayakoe::text::natural {
namespace {

constexpr std::u32string_view kNumberWords = U"一二三四五六七八九十百千万億兆";
constexpr std::size_t kLongestCounter = 4;

struct Reading {
  std::string kana;
  int accent = 0;
  bool alone = false;  // only where the number has no other word
};

// By the last word of the number with the counter: 三本, ゼロ時.
const std::map<std::u32string, Reading>& readings() {
  static const std::map<std::u32string, Reading> table = [] {
    std::map<std::u32string, Reading> rows;
    const std::string_view data(hayakoe_counters_begin,
                                static_cast<std::size_t>(hayakoe_counters_end - hayakoe_counters_begin));
    for_each_row(data, [&](const auto& fields, std::size_t) {
      rows[to_u32(fields.at(0))] = {std::string(fields.at(1)), std::stoi(std::string(fields.at(2))), fields.size() > 3};
    });
    return rows;
  }();
  return table;
}

bool is_number_word(char32_t c) { return kNumberWords.find(c) != std::u32string_view::npos; }

// A word behind a number and its counter that the analyser takes for a suffix of it.
struct WordBehind {
  std::u32string_view counter;  // a pattern
  std::u32string_view word;
  std::u32string_view next;  // a pattern
  std::string_view reading;
  int accent;
};
constexpr std::array<WordBehind, 6> kWordsBehind{
    {{U"[回錠粒包]", U"薬", U"", "クスリ", 0},
     {U"回", U"表", U"[^記現示層題]|$", "オモテ", 3},
     {U"番の", U"方", U"[はがもにとへで、。]|$", "カタ", 2},
     {U"メートル", U"走", U"[^っらりるれろ]|$", "ソー", 1},
     {U"(?:キロ|ミリ)?グラム\U0010FFFD?の", U"米", U"[をがはにもと、。]|$", "コメ", 2},
     {U"キロの", U"米", U"[をがはにもと、。]|$", "コメ", 2}}};

void read_words_behind(Draft& draft) {
  static const std::array<std::unique_ptr<const Regex>, kWordsBehind.size()> regexes = [] {
    std::array<std::unique_ptr<const Regex>, kWordsBehind.size()> made;
    for (std::size_t i = 0; i < made.size(); ++i) {
      const WordBehind& row = kWordsBehind[i];
      std::u32string pattern = U"[\U00100000-\U0010FFFD](" + std::u32string(row.counter) + U"\U0010FFFD?)";
      made[i] = std::make_unique<const Regex>(pattern.append(row.word).append(U"(?=").append(row.next).append(U")"));
    }
    return made;
  }();
  for (std::size_t i = 0; i < regexes.size(); ++i) {
    const WordBehind& row = kWordsBehind[i];
    replace_all(draft.text, *regexes[i], [&](const Match& m) -> std::optional<std::u32string> {
      return std::u32string(m[0].substr(0, m[0].size() - row.word.size())) +
             draft.give({std::u32string(row.word), std::string(row.reading), row.accent, Given::Phrase::kBegins});
    });
  }
}

// What makes another word of a counter: 三人称, 三人前, 一分の一.
bool is_longer_word(std::u32string_view counter, std::u32string_view rest) {
  if (counter == U"人")
    return !rest.empty() && std::u32string_view(U"称前組間").find(rest.front()) != std::u32string_view::npos;
  if (counter == U"分")
    return !rest.empty() && std::u32string_view(U"咲割目厘").find(rest.front()) != std::u32string_view::npos;
  if (counter == U"時")
    return !rest.empty() && std::u32string_view(U"間限").find(rest.front()) != std::u32string_view::npos;
  if (counter == U"回")
    return !rest.empty() && std::u32string_view(U"忌転生線り").find(rest.front()) != std::u32string_view::npos;
  if (counter == U"点" || counter == U"度") return !rest.empty() && is_number_word(rest.front());
  return false;
}

// 十キロ, 十センチ: ジュッ before an unvoiced consonant, but not before all that begins so.
bool shortens_ten(std::u32string_view counter) {
  static const Regex other(U"^(?:プラ|シーシ|キロパ)");
  return !other.find(counter) &&
         std::u32string_view(U"カキクケコサシスセソタチツテトパピプペポ").find(counter.front()) !=
             std::u32string_view::npos;
}

// 1.2人 is not フタリ, nor 2.5日 イツカ.
std::u32string after_fraction(Draft& draft, char32_t digit, char32_t counter) {
  constexpr std::u32string_view kDigits = U"一二三四五六七八九";
  constexpr std::array<std::string_view, 9> kReadings{"イチ", "ニ",   "サン", "ヨ",    "ゴ",
                                                      "ロク", "ナナ", "ハチ", "キュー"};
  const std::size_t i = kDigits.find(digit);
  if (i == std::u32string_view::npos) return {digit, kBoundary, counter};
  const bool person = counter == U'人';
  std::string reading(kReadings[i]);
  if (digit == U'四' && !person) reading = "ヨン";
  const auto moras = static_cast<int>(to_u32(reading).size()) - (digit == U'九' ? 1 : 0);
  reading += person ? "ニン" : "ニチ";
  return draft.give({{digit, counter}, reading, moras, Given::Phrase::kBegins}) + kBoundary;
}

}  // namespace

void read_counters(Draft& draft) {
  read_words_behind(draft);
  // The last word of a number, divided by boundaries from the others and from the counter, which is cut out of what
  // follows by the table.
  static const Regex counted(
      U"\U0010FFFD([一二三四五六七八九十百千万億兆]|ゼロ)\U0010FFFD++([^\U0010FFFD一二三四五六七八九十百千万億兆][^"
      U"\U0010FFFD]{0,3}+)");
  replace_all(draft.text, counted, [&](const Match& m) -> std::optional<std::u32string> {
    const auto last = m.before().find_last_not_of(kBoundary);
    const char32_t before = last == std::u32string_view::npos ? 0 : m.before()[last];
    const bool alone = !is_number_word(before) && !is_given(before);
    const auto phrase = before == U'十' || is_given(before) ? Given::Phrase::kAuto : Given::Phrase::kBegins;
    const std::u32string_view following = m[2];
    if (is_given(before) && (following.front() == U'人' || following.front() == U'日')) {
      return kBoundary + after_fraction(draft, m[1].front(), following.front()) + std::u32string(following.substr(1));
    }
    for (std::size_t n = std::min(kLongestCounter, following.size()); n > 0; --n) {
      const auto counter = following.substr(0, n);
      const auto rest = following.substr(n);
      const auto row = readings().find(std::u32string(m[1]).append(counter));
      if (row == readings().end() || (row->second.alone && !alone) || is_longer_word(counter, rest)) continue;
      const std::u32string surface = row->first.starts_with(U"ゼロ") ? U"零" + std::u32string(counter) : row->first;
      return kBoundary + draft.give({surface, row->second.kana, row->second.accent, phrase}) + kBoundary +
             std::u32string(rest);
    }
    if (m[1] == U"十" && shortens_ten(following)) {
      return kBoundary + draft.give({U"十", "ジュッ", 1, phrase}) + kBoundary + std::u32string(following);
    }
    // The rules for counters would make ジュッ of it.
    if (m[1] == U"十" && (following.starts_with(U"平方") || following.starts_with(U"シーシー"))) {
      return kBoundary + draft.give({U"十", "ジュー", 1, phrase}) + kBoundary + std::u32string(following);
    }
    return std::nullopt;
  });
}

}  // namespace hayakoe::text::natural
