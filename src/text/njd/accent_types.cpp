// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <string_view>

#include "text/njd/accent.hpp"

namespace hayakoe::text::njd {
namespace {

struct ChainRule {
  std::string_view name = "*";
  int shift = 0;
};

// The alternative of `text` that applies behind a word of part of speech `pos`: `POS%RULE@n/…`.
ChainRule chain_rule(std::string_view text, std::string_view pos) {
  while (!text.empty()) {
    const auto end = std::min(text.find('/'), text.size());
    auto alternative = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto percent = alternative.find('%');
    if (percent != std::string_view::npos) {
      if (pos.find(alternative.substr(0, percent)) == std::string_view::npos) continue;
      alternative.remove_prefix(percent + 1);
    }
    ChainRule rule{alternative.substr(0, alternative.find('@'))};
    if (rule.name.size() < alternative.size()) {
      const auto shift = alternative.substr(rule.name.size() + 1);
      std::from_chars(shift.data(), shift.data() + shift.size(), rule.shift);
    }
    return rule;
  }
  return {};
}

// The accent of a phrase of accent `acc` and `moras` moras when `word` joins it.
int combine(int acc, int moras, const Morpheme& word, const ChainRule& rule) {
  const std::string_view name = rule.name;
  if (name == "F2") return acc == 0 ? moras + rule.shift : acc;
  if (name == "F3") return acc != 0 ? moras + rule.shift : acc;
  if (name == "F4") return moras + rule.shift;
  if (name == "F5" || name == "C4" || name == "P6") return 0;
  if (name == "C1") return moras + word.acc;
  if (name == "C2") return moras + 1;
  if (name == "C3") return moras;
  if (name == "P1") return word.acc == 0 ? 0 : moras + word.acc;
  if (name == "P2") return word.acc == 0 ? moras + 1 : moras + word.acc;
  if (name == "P14") return word.acc != 0 ? moras + word.acc : acc;
  return acc;
}

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_one_to_nine(std::string_view text) {
  constexpr std::array<std::string_view, 9> kDigits = {"一", "二", "三", "四", "五", "六", "七", "八", "九"};
  return is_one_of(text, kDigits);
}

// The accent of `p`, a number, before `unit`, a number that joins it.
int accent_before_unit(const Morpheme& p, const Morpheme& unit, const Morpheme* after) {
  constexpr std::array<std::string_view, 3> kFlatTens = {"五", "六", "八"};
  constexpr std::array<std::string_view, 4> kHeadHundreds = {"三", "四", "九", "何"};
  constexpr std::array<std::string_view, 5> kSecondOku = {"一", "六", "七", "八", "幾"};
  constexpr std::array<std::string_view, 2> kSecondCho = {"六", "七"};
  const std::string_view digit = p.string;
  if (unit.string == "十") {
    return is_one_of(digit, kFlatTens) && after != nullptr && is_one_to_nine(after->string) ? 0 : 1;
  }
  if (unit.string == "百") {
    if (digit == "七") return 2;
    return is_one_of(digit, kHeadHundreds) ? 1 : p.mora_size + unit.mora_size;
  }
  if (unit.string == "千" || unit.string == "万") return p.mora_size + 1;
  if (unit.string == "億") return is_one_of(digit, kSecondOku) ? 2 : 1;
  if (unit.string == "兆") return is_one_of(digit, kSecondCho) ? 2 : 1;
  return p.acc;
}

bool is_number(const Morpheme& w) { return w.g1 == "数"; }

}  // namespace

void set_accent_types(Morphemes& words) {
  auto top = words.begin();
  int moras = 0;
  for (auto it = words.begin(); it != words.end(); ++it) {
    const auto next = std::next(it);
    const Morpheme* after = next == words.end() ? nullptr : &*next;
    if (it == words.begin() || it->chain_flag != 1) {
      top = it;
      moras = 0;
    } else {
      Morpheme& before = *std::prev(it);
      top->acc = std::max(0, combine(top->acc, moras, *it, chain_rule(it->rule, before.pos)));
      if (is_number(before) && is_number(*it)) before.acc = accent_before_unit(before, *it, after);
    }
    if (it->string == "十" && it->chain_flag != 1 && after != nullptr && is_number(*after)) it->acc = 0;
    moras += it->mora_size;
  }
}

}  // namespace hayakoe::text::njd
