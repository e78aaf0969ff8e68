// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "text/natural/number_words.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"
#include "text/table_lines.hpp"
#include "text/unicode.hpp"

extern "C" {
extern const char hayakoe_units_begin[];
extern const char hayakoe_units_end[];
}

namespace hayakoe::text::natural {
namespace {

struct Unit {
  std::u32string behind;  // the number
  std::u32string before;
};

const std::map<std::u32string, Unit>& units() {
  static const std::map<std::u32string, Unit> table = [] {
    std::map<std::u32string, Unit> rows;
    const std::string_view data(hayakoe_units_begin, static_cast<std::size_t>(hayakoe_units_end - hayakoe_units_begin));
    for_each_row(data, [&](const auto& fields, std::size_t) {
      rows[to_u32(fields.at(0))] = {to_u32(fields.at(1)), fields.size() > 2 ? to_u32(fields.at(2)) : U""};
    });
    return rows;
  }();
  return table;
}

const Unit* find_unit(std::u32string_view symbol) {
  std::u32string plain(symbol);
  std::erase(plain, U'^');
  const auto row = units().find(plain);
  return row == units().end() ? nullptr : &row->second;
}

// Behind some letters that are units too these words say that they are not: 3A席, 55V型, 2Lサイズ.
bool is_no_unit(std::u32string_view symbol, std::u32string_view after) {
  static const Regex other(U"^(?:[組席級号棟社班型杯判版寸]|サイズ|クラス|リーグ|ランク|コース)");
  return symbol.size() == 1 && symbol.front() < 0x80 && symbol != U"%" && other.find(after.substr(0, 4)).has_value();
}

// 時速45km/h says it twice.
std::u32string lead(const Unit& unit, std::u32string_view before) {
  static const Regex said(U"(?:[時分秒風]速|毎[時分秒]|華氏)[^0-9。、]{0,2}$");
  if (unit.before.empty()) return {};
  if (said.find(before.substr(before.size() - std::min<std::size_t>(before.size(), 6)))) return {};
  return unit.before + kBoundary;
}

std::u32string unit_words(const Unit& unit) { return kBoundary + unit.behind + kBoundary; }

void read_after_digits(Draft& draft) {
  static const Regex measured(std::u32string(U"(?<![0-9A-Za-z.^])(?<!\\^-)(") + std::u32string(kNumberPattern) +
                              U")( "
                              U"?)([%‰]|°(?:[CF](?![A-Za-z]))?|[A-Za-zμΩÅ]{1,6}(?:\\^?[23](?![0-9]))?(?:/"
                              U"[A-Za-z]{1,4}(?:\\^?[23](?![0-9]))?)?(?![A-Za-z0-9]))");
  replace_all(draft.text, measured, [&](const Match& m) -> std::optional<std::u32string> {
    const Unit* unit = find_unit(m[3]);
    if (unit == nullptr || is_no_unit(m[3], m.after())) return std::nullopt;
    if (!m[2].empty() && m[3].size() == 1 && m[3] != U"m" && m[3] != U"g" && m[3] != U"%") return std::nullopt;
    const char32_t next = unit->behind.front();
    return lead(*unit, m.before()) + number_words(draft, m[1], next) + unit_words(*unit);
  });
}

// 10^-3 m^2: the number before the unit is an exponent, which is left to the powers.
void read_after_powers(std::u32string& text) {
  static const Regex measured(
      U"(?<=[0-9])(?<=\\^|\\^[0-9]|\\^-[0-9]|\\^[0-9]{2}|\\^-[0-9]{2}) ?([A-Za-zμΩ]{1,4}(?:\\^?[23])?)(?![A-Za-z0-9])");
  replace_all(text, measured, [](const Match& m) -> std::optional<std::u32string> {
    const Unit* unit = find_unit(m[1]);
    if (unit == nullptr) return std::nullopt;
    return unit_words(*unit);
  });
}

// 35°41′22″ (NFKC makes two primes of the last one).
void read_angles(Draft& draft) {
  static const Regex minutes(U"(?<=度\U0010FFFD) ?([0-5]?[0-9])′(?!′)(?: ?([0-5]?[0-9])(?:″|′′))?");
  replace_all(draft.text, minutes, [](const Match& m) -> std::optional<std::u32string> {
    std::u32string out = number_words(m[1]) + U"分" + kBoundary;
    if (m.has(2)) out += number_words(m[2]) + U"秒" + kBoundary;
    return out;
  });
}

// 何％, 数km, 数十cm.
void read_after_kanji(Draft& draft) {
  static const Regex some(
      U"(?<=[何数十百千万億])([%‰°]|(?:km|cm|mm|kg|mg|ml|mL|m|g|L|t|GB|MB|TB)(?:\\^?[23])?)(?![A-Za-z0-9])");
  replace_all(draft.text, some, [&](const Match& m) -> std::optional<std::u32string> {
    const Unit* unit = find_unit(m[1]);
    if (unit == nullptr) return std::nullopt;
    return unit_words(*unit);
  });
}

}  // namespace

void read_units(Draft& draft) {
  read_after_digits(draft);
  read_after_powers(draft.text);
  read_angles(draft);
  read_after_kanji(draft);
}

}  // namespace hayakoe::text::natural
