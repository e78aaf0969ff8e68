// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "text/natural/number_words.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"

namespace hayakoe::text::natural {
namespace {

std::u32string word(std::u32string_view text) { return kBoundary + std::u32string(text) + kBoundary; }

void replace_with(std::u32string& text, const Regex& regex, std::u32string_view with) {
  replace_all(text, regex, [&](const Match&) -> std::optional<std::u32string> { return word(with); });
}

std::u32string divided_by(Draft& draft) { return draft.give({U"分", "ブン", 0, Given::Phrase::kAuto}) + U"の"; }

// 3分の1, 三分の二, 数分の一: no minutes.
void read_written_fractions(Draft& draft) {
  static const Regex some(U"(?<![\\x{3400}-\\x{9FFF}々〇])数分の(?=[0-9一])");
  replace_all(draft.text, some, [&](const Match&) -> std::optional<std::u32string> {
    return draft.give({U"数分", "スーブン", 0, Given::Phrase::kAuto}) + U"の";
  });
  static const Regex fraction(U"(?<=[0-9万億兆千百十一二三四五六七八九何数])分の(?=[0-9一二三四五六七八九十百何])");
  replace_all(draft.text, fraction, [&](const Match&) -> std::optional<std::u32string> { return divided_by(draft); });
  // 3割5分1厘.
  static const Regex rate(U"(?<=割)([0-9一二三四五六七八九])分(?![間の咲])");
  replace_all(draft.text, rate, [&](const Match& m) -> std::optional<std::u32string> {
    return std::u32string(m[1]) + draft.give({U"分", "ブ", 1, Given::Phrase::kAuto});
  });
  // 37度5分 of a body.
  static const Regex fever(
      U"(?<=(?:3[5-9]|4[0-2])度|(?:三十[五六七八九]|四十[一二])度)([1-9一二三四五六七八九])分(?![間の]?[前後])");
  replace_all(draft.text, fever, [&](const Match& m) -> std::optional<std::u32string> {
    return std::u32string(m[1]) + draft.give({U"分", "ブ", 1, Given::Phrase::kAuto});
  });
}

// 1/2, and 1⁄2 out of ½.
void read_fractions(Draft& draft) {
  static const Regex fraction(U"(?<![0-9A-Za-z/.⁄])([0-9]{1,12}+)[/⁄]([0-9]{1,12}+)(?![0-9/⁄]|\\.[0-9])");
  replace_all(draft.text, fraction, [&](const Match& m) -> std::optional<std::u32string> {
    return number_words(m[2]) + divided_by(draft) + number_words(m[1]);
  });
}

// 16:9, 3:2:1.
void read_ratios(std::u32string& text) {
  static const Regex ratio(U"(?<=[0-9]) ?:(?= ?[0-9])");
  replace_with(text, ratio, U"対");
}

// 2-8-1 behind the name of a place, 3-2 as a score.
void read_hyphens(std::u32string& text) {
  static const Regex place(
      U"(?<=[\\x{3400}-\\x{9FFF}々〇ァ-ヺケ]) "
      U"?([0-9]{1,4})-([0-9]{1,4})-([0-9]{1,4})(?:-([0-9]{1,4}))?(?![0-9A-Za-z-])");
  replace_all(text, place, [](const Match& m) -> std::optional<std::u32string> {
    std::u32string out = number_words(m[1]);
    for (std::size_t i = 2; i <= 4; ++i) {
      if (m.has(i)) out += U"の" + number_words(m[i]);
    }
    return out;
  });
  static const Regex block(U"(?<=[町村区市丁郷台丘原通]) ?([0-9]{1,4})-([0-9]{1,4})(?![0-9A-Za-z-])");
  replace_all(text, block, [](const Match& m) -> std::optional<std::u32string> {
    return number_words(m[1]) + U"の" + number_words(m[2]);
  });
  static const Regex difference(U"(?<=[0-9]) ?[-−] ?(?=[0-9][0-9.,+×÷*()\\- −]{0,40}(?:=|は))");
  replace_all(text, difference, [](const Match& m) -> std::optional<std::u32string> {
    static const Regex equation(U"^[0-9.,+×÷*()\\- −]{0,41}=");
    if (m[0].find(U'−') == std::u32string_view::npos && !equation.find(m.after().substr(0, 48))) return std::nullopt;
    return word(U"ひく");
  });
  static const Regex minus(U"(?<=[0-9)]) ?− ?(?=[0-9(√])");
  replace_with(text, minus, U"ひく");
  static const Regex score(U"(?<![0-9A-Za-z-])([0-9]{1,3})-([0-9]{1,3})(?![0-9A-Za-z-])");
  replace_all(text, score, [](const Match& m) -> std::optional<std::u32string> {
    return number_words(m[1]) + U"対" + number_words(m[2]);
  });
}

struct Operator {
  std::u32string_view pattern;
  std::u32string_view words;
};

// What stands on the left of an operator and on its right.
constexpr std::u32string_view kLeft = U"(?:(?<=[0-9)πθ\U0010FFFD])|(?<=(?<![A-Za-z])[A-Za-z])|(?<=[0-9)][A-Za-z])) ?";
constexpr std::u32string_view kRight = U" ?(?=[-−+±√∠(]?(?:[0-9πθ\U0010FFFD]|[A-Za-z](?![A-Za-z])))";

constexpr std::array<Operator, 9> kOperators{{{U"[×✕✖]", U"かける"},
                                              {U"[÷]", U"わる"},
                                              {U"≒", U"ニアリーイコール"},
                                              {U"≠", U"ノットイコール"},
                                              {U"(?:[≦≤]|<=)", U"ショウナリイコール"},
                                              {U"(?:[≧≥]|>=)", U"ダイナリイコール"},
                                              {U"<(?![A-Za-z]*>)", U"ショウナリ"},
                                              {U"(?<!<[A-Za-z])>", U"ダイナリ"},
                                              {U"±", U"プラスマイナス"}}};

void read_operators(std::u32string& text) {
  static const std::array<Regex, kOperators.size()> regexes = [] {
    const auto make = [](std::size_t i) { return std::u32string(kLeft).append(kOperators[i].pattern).append(kRight); };
    return std::array<Regex, kOperators.size()>{Regex(make(0)), Regex(make(1)), Regex(make(2)),
                                                Regex(make(3)), Regex(make(4)), Regex(make(5)),
                                                Regex(make(6)), Regex(make(7)), Regex(make(8))};
  }();
  for (std::size_t i = 0; i < regexes.size(); ++i) replace_with(text, regexes[i], kOperators[i].words);
  static const Regex times(U"(?<=[0-9]) ?\\* ?(?=[0-9])");
  replace_with(text, times, U"かける");
  static const Regex sum(U"(?<=[0-9\U0010FFFD]) ?\\+ ?(?=[0-9(√])");
  replace_with(text, sum, U"たす");
  static const Regex plus(std::u32string(kLeft) + U"\\+" + std::u32string(kRight));
  replace_with(text, plus, U"プラス");
  // 二たす三は五, but エックスイコール二.
  static const Regex is(U"(?<=[0-9)]) ?= ?(?=[-−+±√(]?[0-9])");
  replace_with(text, is, U"は");
  static const Regex equals(std::u32string(kLeft) + U"=" + std::u32string(kRight));
  replace_with(text, equals, U"イコール");
}

// 10^6, x^2, 2^n.
void read_powers(std::u32string& text) {
  // The letters of a product are no word: mc^2.
  static const Regex product(U"(?<![A-Za-z])([A-Za-z])([A-Za-z])([A-Za-z]?)(?=\\^)");
  replace_all(text, product, [](const Match& m) -> std::optional<std::u32string> {
    std::u32string out(m[1]);
    out.append(1, kBoundary).append(m[2]);
    return m[3].empty() ? out : out.append(1, kBoundary).append(m[3]);
  });
  static const Regex power(U"(?<=[0-9A-Za-z)πθ])\\^\\(?([-−+]?)([0-9]{1,9}+|[A-Za-z](?![A-Za-z]))\\)?");
  replace_all(text, power, [](const Match& m) -> std::optional<std::u32string> {
    std::u32string out = kBoundary + std::u32string(U"の") + kBoundary;
    if (m[1] == U"-" || m[1] == U"−") out += U"マイナス";
    const char32_t first = m[2].front();
    out += first >= U'0' && first <= U'9' ? number_words(m[2]) : std::u32string(m[2]) + kBoundary;
    return out + U"乗" + kBoundary;
  });
}

void read_signs(std::u32string& text) {
  static const Regex plus_minus(U"±(?=[0-9√\U0010FFFD])");
  replace_with(text, plus_minus, U"プラスマイナス");
  static const Regex plus(U"(?<![0-9A-Za-z)+])\\+(?=[0-9√])");
  replace_with(text, plus, U"プラス");
  static const Regex minus(U"(?<![0-9A-Za-z)\\]−-])−(?=[0-9√])");
  replace_with(text, minus, U"マイナス");
  // A hyphen behind a noun may be a dash: only some words have a negative number behind them.
  static const Regex hyphen(
      U"(?:(?<=^)|(?<=[ぁ-ゖ、。,(\\[:= \U0010FFFD])|(?<=[比差計減値温度益約高安]))[-–](?=[0-9√\U0010FFFD])");
  replace_with(text, hyphen, U"マイナス");
}

void read_symbols_of_formulas(Draft& draft) {
  std::u32string& text = draft.text;
  static const Regex root(U"√(?=[0-9A-Za-z(])");
  replace_with(text, root, U"ルート");
  static const Regex angle(U"∠(?=[A-Za-zθ])");
  replace_all(text, angle, [&](const Match&) -> std::optional<std::u32string> {
    return draft.give({U"角", "カク", 2, Given::Phrase::kAuto});
  });
  static const Regex acidity(U"(?<![A-Za-z])pH(?![A-Za-z])");
  replace_all(text, acidity, [&](const Match&) -> std::optional<std::u32string> {
    return draft.give({U"pH", "ピーエイチ", 3, Given::Phrase::kAuto});
  });
  static const Regex therefore(U"∴");
  replace_with(text, therefore, U"ゆえに");
  static const Regex because(U"∵");
  replace_with(text, because, U"なぜならば");
  static const std::array<Operator, 4> names{
      {{U"sin", U"サイン"}, {U"cos", U"コサイン"}, {U"tan", U"タンジェント"}, {U"log", U"ログ"}}};
  static const Regex function(U"(?<![A-Za-z])(sin|cos|tan|log)(?= ?[0-9θ(\U0010FFFD]| [xyz])");
  replace_all(text, function, [](const Match& m) -> std::optional<std::u32string> {
    for (const Operator& row : names) {
      if (row.pattern == m[1]) return word(row.words);
    }
    return std::nullopt;
  });
}

}  // namespace

void read_math(Draft& draft) {
  read_written_fractions(draft);
  read_fractions(draft);
  read_ratios(draft.text);
  read_hyphens(draft.text);
  read_powers(draft.text);
  read_operators(draft.text);
  read_signs(draft.text);
  read_symbols_of_formulas(draft);
}

}  // namespace hayakoe::text::natural
