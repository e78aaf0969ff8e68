// SPDX-License-Identifier: Apache-2.0
#include "text/natural/number_words.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"

namespace hayakoe::text::natural {
namespace {

constexpr std::u32string_view kDigits = U"〇一二三四五六七八九";

std::u32string_view tail(std::u32string_view text, std::size_t size) {
  return text.substr(text.size() - std::min(text.size(), size));
}

// 10-20人, 3–5歳: a hyphen between numbers with one counter or unit behind them.
void read_hyphens(std::u32string& text) {
  static const std::u32string number(kNumberPattern);
  static const Regex range(
      U"(?<![0-9A-Za-z./:-])(" + number + U") ?[-–‐] ?(?=[¥$€£]?" + number +
      U" ?(?:[%℃°‰人名歳才個本枚回時分秒月年週台件杯匹頭話章節巻階円万億割倍泊曲冊位頁代種品行列問条社校文字]|"
      U"(?:km|cm|mm|m|kg|g|mg|L|ml|mL|GB|MB|TB|Hz|kHz|MHz|GHz|W|V)(?![A-Za-z])|"
      U"日(?!本)|か月|カ月|ヶ月|ヵ月|ページ|センチ|メートル|ミリ|キロ|グラム|パーセント|ドル|ユーロ|ポイント))");
  replace_all(text, range, [](const Match& m) -> std::optional<std::u32string> {
    return std::u32string(m[1]) + kBoundary + U"から" + kBoundary;
  });
}

// 1939-1945; an en dash between any numbers.
void read_years(std::u32string& text) {
  static const Regex years(U"(?<![0-9A-Za-z./-])(1[0-9]{3}|20[0-9]{2})-(?=(?:1[0-9]{3}|20[0-9]{2})(?![0-9A-Za-z-]))");
  replace_all(text, years, [](const Match& m) -> std::optional<std::u32string> {
    return std::u32string(m[1]) + kBoundary + U"から" + kBoundary;
  });
  static const Regex en_dash(U"(?<=[0-9])–(?=[0-9])");
  replace_all(text, en_dash, [](const Match&) -> std::optional<std::u32string> {
    return kBoundary + std::u32string(U"から") + kBoundary;
  });
}

// 〜 before a number, behind a number, its unit or a noun.
void read_wave_dashes(std::u32string& text) {
  static const Regex between(
      U"(?:(?<=[0-9%‰°\U0010FFFD]) ?|(?<=[A-Za-z)\\x{3400}-\\x{9FFF}々〇ァ-ヺー]))[~〜～] ?"
      U"(?=[-−+±¥$€£第]?[0-9]|(?:[¥$€£]|午前|午後|第)?\U0010FFFD|午[前後])");
  static const Regex number_before(U"[0-9\U0010FFFD](?:[\\x{3400}-\\x{9FFF}々〇ァ-ヺー%A-Za-z]{0,8})\U0010FFFD?$");
  static const Regex noun_before(U"[\\x{3400}-\\x{9FFF}々〇)]$");
  replace_all(text, between, [](const Match& m) -> std::optional<std::u32string> {
    const auto before = tail(m.before(), 10);
    if (!number_before.find(before) && !noun_before.find(before)) return std::nullopt;
    return kBoundary + std::u32string(U"から") + kBoundary;
  });
  // 18:30-20:00, 2020年-2024年.
  static const Regex hyphen(U"(?<=[年月日時分]|[年月日時分]\U0010FFFD) ?[-–‐] ?(?=[0-9\U0010FFFD])");
  replace_all(text, hyphen, [](const Match&) -> std::optional<std::u32string> {
    return kBoundary + std::u32string(U"から") + kBoundary;
  });
  static const Regex open(
      U"(?<=[0-9%円時分秒日月年歳才名人個本枚回階話巻章位点度倍割代ルロリトジ\U0010FFFD])[~〜～](?![~〜～!?ー])");
  replace_all(text, open, [](const Match& m) -> std::optional<std::u32string> {
    if (!number_before.find(tail(m.before(), 8))) return std::nullopt;
    return kBoundary + std::u32string(U"から") + kBoundary;
  });
}

// The first of two neighbouring numbers, which are read in one breath: シゴニチ, シチハチニン.
Given first_of_pair(char32_t digit) {
  switch (digit) {
    case U'一':
      return {U"一", "イチ", 2, Given::Phrase::kBegins};
    case U'二':
      return {U"二", "ニ", 1, Given::Phrase::kBegins};
    case U'三':
      return {U"三", "サン", 0, Given::Phrase::kBegins};
    case U'四':
      return {U"四", "シ", 1, Given::Phrase::kBegins};
    case U'五':
      return {U"五", "ゴ", 1, Given::Phrase::kBegins};
    case U'六':
      return {U"六", "ロク", 2, Given::Phrase::kBegins};
    case U'七':
      return {U"七", "シチ", 2, Given::Phrase::kBegins};
    default:
      return {U"八", "ハチ", 2, Given::Phrase::kBegins};
  }
}

// Days have native names only as single numbers: ニサンニチ, but サンヨッカ.
std::u32string second_day(Draft& draft, char32_t digit) {
  switch (digit) {
    case U'二':
      return draft.give({U"二日", "ニニチ", 1, Given::Phrase::kAuto});
    case U'三':
      return draft.give({U"三日", "サンニチ", 3, Given::Phrase::kAuto});
    case U'四':
      return draft.give({U"四日", "ヨッカ", 0, Given::Phrase::kAuto});
    case U'五':
      return draft.give({U"五日", "ゴニチ", 1, Given::Phrase::kAuto});
    case U'六':
      return draft.give({U"六日", "ロクニチ", 2, Given::Phrase::kAuto});
    case U'七':
      return draft.give({U"七日", "シチニチ", 2, Given::Phrase::kAuto});
    case U'八':
      return draft.give({U"八日", "ハチニチ", 2, Given::Phrase::kAuto});
    default:
      return draft.give({U"九日", "クニチ", 1, Given::Phrase::kAuto});
  }
}

// 2、3日, 十二、三歳.
void read_neighbours(Draft& draft) {
  static const Regex pair(
      U"(?:(?<![0-9.,])([0-9]{0,2})([1-8])[、,]([2-9])(?![0-9])|(?<![一二三四五六七八九〇])([十百千]?)(["
      U"一二三四五六七八])、([二三四五六七八九]))"
      U"(?=(["
      U"人名歳才個本枚回時分秒日月年週台件杯匹頭話章節巻階円割倍泊曲冊位頁代種品行列問社校度点発軒着足羽箱か百千万億]|["
      U"カヶヵ]|キロ|メートル|センチ|ミリ|グラム|パーセント|ページ|%|km|cm|m|kg|g)(日?))");
  replace_all(draft.text, pair, [&](const Match& m) -> std::optional<std::u32string> {
    const bool kanji = m.has(5);
    const auto digit = [&](std::size_t i) {
      return kanji ? m[i + 3].front() : kDigits[static_cast<std::size_t>(m[i].front() - U'0')];
    };
    const char32_t first = digit(2);
    const char32_t second = digit(3);
    if (kDigits.find(second) != kDigits.find(first) + 1) return std::nullopt;
    std::u32string out(1, kBoundary);
    if (kanji) {
      out += m[4];
    } else if (!m[1].empty()) {
      out += number_words(std::u32string(m[1]) + U"0");
    }
    out += draft.give(first_of_pair(first));
    out += kBoundary;
    out += second;
    return out + kBoundary;
  });
  static const Regex days(U"(?<=[\U00100000-\U0010FFFC]\U0010FFFD)([二三四五六七八九])\U0010FFFD日(?!本)");
  replace_all(draft.text, days,
              [&](const Match& m) -> std::optional<std::u32string> { return second_day(draft, m[1].front()); });
}

}  // namespace

void read_ranges(Draft& draft) {
  read_neighbours(draft);
  read_hyphens(draft.text);
  read_years(draft.text);
  read_wave_dashes(draft.text);
}

}  // namespace hayakoe::text::natural
