// SPDX-License-Identifier: Apache-2.0
#include "text/natural/number_words.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"

namespace hayakoe::text::natural {
namespace {

// 3つ is one word of the dictionary; with a boundary in it, it would be サンツ.
void read_native_numbers(std::u32string& text) {
  static const Regex things(U"(?<![0-9.])([1-9])(?=つ)");
  replace_all(text, things, [](const Match& m) -> std::optional<std::u32string> {
    std::u32string words = number_words(m[1]);
    words.pop_back();
    return words;
  });
}

void read_months(std::u32string& text) {
  static const Regex month(U"(?<![0-9.,])([0-9]{1,2})月(?!間|額|給)");
  replace_all(text, month, [](const Match& m) -> std::optional<std::u32string> {
    if (!is_month(m[1])) return std::nullopt;
    return month_words(m[1]);
  });
}

// ハタチ, but 二十歳未満 and 120歳 as a number.
void read_twenty_years(Draft& draft) {
  static const Regex years(
      U"(?<![0-9.,〇一二三四五六七八九十百千万])(?:20|二十)([歳才])(?![以未代児前台]|[〜～~-][0-9])");
  replace_all(draft.text, years, [&](const Match& m) -> std::optional<std::u32string> {
    return kBoundary + draft.give({U"二十" + std::u32string(m[1]), "ハタチ", 1, Given::Phrase::kAuto}) + kBoundary;
  });
}

// 三・一四, 〇・五, 一点二三: only where no pair of neighbouring numbers (二・三日) can be meant.
void read_kanji_decimals(Draft& draft) {
  static const Regex decimal(
      U"(?<![〇一二三四五六七八九十百千万億・、])([〇一二三四五六七八九十百千]{1,12}+)(?:・|点(?=[〇一二三四五六七八九]"
      U"{2}))"
      U"([〇一二三四五六七八九]{1,12}+)"
      U"(?![〇一二三四五六七八九十百千万億・]|事件)");
  static const Regex neighbours(U"^(?:一・二|二・三|三・四|四・五|五・六|六・七|七・八|八・九)$");
  static const Regex counter(U"^(?:年生|[人日年月名回次号部区条項章番組期])");
  replace_all(draft.text, decimal, [&](const Match& m) -> std::optional<std::u32string> {
    if (neighbours.find(m[0]) && counter.find(m.after().substr(0, 2))) return std::nullopt;
    return kanji_decimal_words(draft, m[1], m[2], first_of(m.after()));
  });
}

}  // namespace

void read_numbers(Draft& draft) {
  static const Regex number(std::u32string(U"(?<![0-9])") + std::u32string(kNumberPattern));
  read_native_numbers(draft.text);
  read_months(draft.text);
  read_twenty_years(draft);
  read_kanji_decimals(draft);
  replace_all(draft.text, number, [&](const Match& m) -> std::optional<std::u32string> {
    return number_words(draft, m[0], first_of(m.after()));
  });
}

}  // namespace hayakoe::text::natural
