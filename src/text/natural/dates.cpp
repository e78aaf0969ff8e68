// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "text/natural/number_words.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"

namespace hayakoe::text::natural {
namespace {

struct Name {
  std::u32string_view written;
  std::u32string_view name;
};

constexpr std::array<Name, 5> kEras{
    {{U"M", U"明治"}, {U"T", U"大正"}, {U"S", U"昭和"}, {U"H", U"平成"}, {U"R", U"令和"}}};

std::u32string part(std::u32string_view digits, std::u32string_view unit) {
  return number_words(digits).append(unit) + kBoundary;
}

bool is_day(std::u32string_view month, std::u32string_view digits) {
  constexpr std::array<int, 12> kDays{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int value = value_of(digits);
  return is_month(month) && digits.size() <= 2 && value >= 1 &&
         value <= kDays[static_cast<std::size_t>(value_of(month) - 1)];
}

std::u32string month_and_day(std::u32string_view month, std::u32string_view day) {
  return month_words(month) + part(day, U"日");
}

// 2024/01/02, 2024-1-2, 2024.1.2 and, of two parts, 2024/01.
void read_full_dates(std::u32string& text) {
  static const Regex full(U"(?<![0-9/.-])([12][0-9]{3})([/.-])([0-9]{1,2})\\2([0-9]{1,2})(?![0-9]|[/.-][0-9])");
  replace_all(text, full, [](const Match& m) -> std::optional<std::u32string> {
    if (!is_day(m[3], m[4])) return std::nullopt;
    return part(m[1], U"年") + month_and_day(m[3], m[4]);
  });
  static const Regex american(U"(?<![0-9/])([0-9]{1,2})/([0-9]{1,2})/((?:19|20)[0-9]{2})(?![0-9/])");
  replace_all(text, american, [](const Match& m) -> std::optional<std::u32string> {
    const bool day_first = !is_day(m[1], m[2]);
    const auto month = day_first ? m[2] : m[1];
    const auto day = day_first ? m[1] : m[2];
    if (!is_day(month, day)) return std::nullopt;
    return part(m[3], U"年") + month_and_day(month, day);
  });
  static const Regex month(U"(?<![0-9/.-])((?:19|20)[0-9]{2})(?:/([0-9]{1,2})|-(0[1-9]|1[0-2]))(?![0-9/.-])");
  replace_all(text, month, [](const Match& m) -> std::optional<std::u32string> {
    const auto digits = m.has(2) ? m[2] : m[3];
    if (!is_month(digits)) return std::nullopt;
    return part(m[1], U"年") + month_words(digits);
  });
}

// R6.5.3, H30/4/1 and 令和6.5.3.
void read_era_dates(std::u32string& text) {
  static const Regex era(
      U"(?<![0-9A-Za-z])([MTSHR]|明治|大正|昭和|平成|令和)([0-9]{1,2})([./])([0-9]{1,2})\\3([0-9]{1,2})(?![0-9A-Za-z./"
      U"])");
  replace_all(text, era, [](const Match& m) -> std::optional<std::u32string> {
    if (!is_day(m[4], m[5])) return std::nullopt;
    for (const Name& row : kEras) {
      if (row.written == m[1] || row.name == m[1])
        return std::u32string(row.name) + part(m[2], U"年") + month_and_day(m[4], m[5]);
    }
    return std::nullopt;
  });
}

// What may be a fraction: 1/2, 3/100. A date has a numerator that is not smaller, a denominator that hardly anything is
// divided by, or words around it that tell.
bool is_likely_day(std::u32string_view month, std::u32string_view day) {
  constexpr std::array<int, 14> kDenominators{2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20, 25};
  const int denominator = value_of(day);
  for (const int common : kDenominators) {
    if (denominator == common) return value_of(month) >= denominator;
  }
  return true;
}

bool tells_date(const Match& m) {
  static const Regex before(
      U"(?:毎年|今年|来年|去年|昨年|今月|来月|締め?切り?|締切|期限|期日|日程|日時|日付|誕生日|発売日|開催日|初日)(?:は|"
      U"が|の|:|、)?$");
  static const Regex after(
      U"^ "
      U"?(?:\\((?:[月火水木金土日祝][^)]{0,4})\\)|から|より|まで|頃|ごろ|以降|以前|付け?|生まれ|発売|開催|公開|開始|"
      U"開幕|放送|"
      U"配信|締|必着|午前|午後|の(?:朝|昼|夜|夕方|予定|午前|午後)|(?:[01]?[0-9]|2[0-9]):[0-5][0-9])");
  const auto head = m.before();
  return before.find(head.substr(head.size() - std::min<std::size_t>(head.size(), 8))) ||
         after.find(m.after().substr(0, 16));
}

// 4/29〜5/5 is two dates if one of them is.
void read_date_ranges(std::u32string& text) {
  static const Regex range(
      U"(?<![0-9/.])([0-9]{1,2})/([0-9]{1,2})( ?[~〜～-] ?)([0-9]{1,2})/([0-9]{1,2})(?![0-9/]|\\.[0-9])");
  replace_all(text, range, [](const Match& m) -> std::optional<std::u32string> {
    if (!is_day(m[1], m[2]) || !is_day(m[4], m[5])) return std::nullopt;
    if (!is_likely_day(m[1], m[2]) && !is_likely_day(m[4], m[5]) && !tells_date(m)) return std::nullopt;
    return month_and_day(m[1], m[2]) + U"から" + month_and_day(m[4], m[5]);
  });
}

void read_days(std::u32string& text) {
  static const Regex day(U"(?<![0-9/.A-Za-z+*=×÷])([0-9]{1,2})/([0-9]{1,2})(?![0-9/A-Za-z+*=×÷]|\\.[0-9])");
  replace_all(text, day, [](const Match& m) -> std::optional<std::u32string> {
    if (!is_day(m[1], m[2]) || (!is_likely_day(m[1], m[2]) && !tells_date(m))) return std::nullopt;
    return month_and_day(m[1], m[2]);
  });
}

// 5月6日（月） is a Monday, not a moon. Runs like (土・日) and (月・祝) too.
void read_weekdays(std::u32string& text) {
  static const Regex weekdays(
      U"(?<=日|日\U0010FFFD)( ?\\()([月火水木金土日])((?:[・･,、/]?[月火水木金土日祝]){0,3})(\\))");
  replace_all(text, weekdays, [](const Match& m) -> std::optional<std::u32string> {
    std::u32string out(m[1]);
    out.append(m[2]).append(U"曜日");
    for (const char32_t c : m[3]) {
      if (c == U'祝') {
        out += U"、祝日";
      } else if (std::u32string_view(U"月火水木金土日").find(c) != std::u32string_view::npos) {
        out += U"、";
        out += c;
        out += U"曜日";
      }
    }
    return out.append(m[4]);
  });
}

// The first day of a month where no month stands before it.
void read_first_days(Draft& draft) {
  static const Regex first(U"(?<=[毎今来先翌同]月)0?1日(?!間|目|中)");
  replace_all(draft.text, first, [&](const Match&) -> std::optional<std::u32string> {
    return kBoundary + draft.give({U"一日", "ツイタチ", 4, Given::Phrase::kBegins}) + kBoundary;
  });
}

// 6月1日付: ヅケ.
void read_day_suffixes(Draft& draft) {
  static const Regex dated(U"(?<=日|日\U0010FFFD)付(?=[のでけ、。])け?");
  replace_all(draft.text, dated, [&](const Match& m) -> std::optional<std::u32string> {
    return draft.give({std::u32string(m[0]), "ヅケ", 0, Given::Phrase::kAuto});
  });
}

// A clock time or, where the words before it say so, how long something took.
std::u32string time_words(std::u32string_view hours, std::u32string_view minutes, std::u32string_view seconds,
                          bool is_span) {
  std::u32string out = part(hours, is_span ? U"時間" : U"時");
  const bool silent = value_of(minutes) == 0 && (seconds.empty() || value_of(seconds) == 0);
  if (!silent) out += part(minutes, U"分");
  if (!seconds.empty() && value_of(seconds) != 0) out += part(seconds, U"秒");
  return out;
}

bool tells_span(std::u32string_view before) {
  static const Regex words(U"(?:記録|タイム|ラップ|自己ベスト|再生時間|長さ|所要時間)(?:は|が|の|:|、)? ?$");
  return words.find(before.substr(before.size() - std::min<std::size_t>(before.size(), 10))).has_value();
}

bool tells_ratio(std::u32string_view before) {
  static const Regex words(U"(?:比|比率|割合|アスペクト比?|縦横比)[^0-9。]{0,4}$");
  return words.find(before.substr(before.size() - std::min<std::size_t>(before.size(), 12))).has_value();
}

std::u32string_view half_of_day(std::u32string_view letter) {
  return letter == U"A" || letter == U"a" ? U"午前" : U"午後";
}

void read_times(std::u32string& text) {
  static const Regex time(
      U"(?:(?<![A-Za-z])([AaPp])\\.?[Mm]\\.? "
      U"?)?(?<![0-9:.])([01]?[0-9]|2[0-9]):([0-5][0-9])(?::([0-5][0-9])(?:\\.[0-9]{1,3})?)?"
      U"(?![0-9:]|\\.[0-9])(?: ?([AaPp])\\.?[Mm](?![A-Za-z])\\.?)?");
  replace_all(text, time, [](const Match& m) -> std::optional<std::u32string> {
    if (!m.has(1) && !m.has(5) && tells_ratio(m.before())) return std::nullopt;
    std::u32string out;
    if (m.has(1) || m.has(5)) out += half_of_day(m.has(1) ? m[1] : m[5]);
    return out + time_words(m[2], m[3], m[4], m.has(4) && tells_span(m.before()));
  });
  static const Regex hour(
      U"(?<![0-9:.A-Za-z])(?:([AaPp])[Mm] ?(1[0-2]|[0-9])(?![0-9:.])(?=時|[^0-9A-Za-z]|$)(時?)|(1[0-2]|[0-9]) "
      U"?([AaPp])\\.?[Mm](?![A-Za-z])\\.?)");
  replace_all(text, hour, [](const Match& m) -> std::optional<std::u32string> {
    const bool behind = m.has(4);
    return std::u32string(half_of_day(behind ? m[5] : m[1])) + part(behind ? m[4] : m[2], U"時");
  });
}

}  // namespace

void read_dates(Draft& draft) {
  read_full_dates(draft.text);
  read_era_dates(draft.text);
  read_date_ranges(draft.text);
  read_days(draft.text);
  read_first_days(draft);
  read_times(draft.text);
  read_weekdays(draft.text);
  read_day_suffixes(draft);
}

}  // namespace hayakoe::text::natural
