// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <string_view>

#include "text/njd/digits.hpp"
#include "text/njd/tables.hpp"

namespace hayakoe::text::njd {
namespace {

using Iterator = Morphemes::iterator;

bool is_number(const Morpheme& w) { return w.g1 == "数"; }
bool is_counter(const Morpheme& w) { return w.g2 == "助数詞" || w.g1 == "副詞可能"; }

void set_pron(Morpheme& w, std::string_view pron, int acc, int moras) {
  w.pron = pron;
  w.acc = acc;
  w.mora_size = moras;
}

// A whole new word in place of `w`; its chain flag stays.
void set_day(Morpheme& w, std::string_view string, std::string_view read, std::string_view pron, int acc, int moras) {
  const int chain_flag = w.chain_flag;
  w = Morpheme{};
  w.string = w.orig = string;
  w.pos = "名詞";
  w.g1 = "副詞可能";
  w.read = read;
  set_pron(w, pron, acc, moras);
  w.chain_flag = chain_flag;
}

void become(Morpheme& w, const Morpheme& row) {
  const int chain_flag = w.chain_flag;
  w = row;
  w.chain_flag = chain_flag;
}

// 一．五: the point is read テン and the digit before it is lengthened.
void read_points(Morphemes& words) {
  for (auto it = words.begin(); it != words.end(); ++it) {
    if (it == words.begin() || std::next(it) == words.end()) continue;
    if (it->string != "．" && it->string != "・") continue;
    Morpheme& before = *std::prev(it);
    if (!is_number(before) || !is_number(*std::next(it))) continue;
    *it = Morpheme{};
    it->string = it->orig = "．";
    it->pos = "名詞";
    it->g1 = "接尾";
    it->g2 = "助数詞";
    it->read = "テン";
    set_pron(*it, "テン", 0, 2);
    it->chain_flag = 1;
    if (before.string == "〇" || before.string == "０") {
      before.pron = "レー";
      before.mora_size = 2;
    } else if (before.string == "二") {
      before.pron = "ニー";
      before.mora_size = 2;
    } else if (before.string == "五") {
      before.pron = "ゴー";
      before.mora_size = 2;
    } else if (before.string == "六") {
      before.acc = 1;
    }
    // The original looks for the next point behind the nouns that follow and one word more.
    while (std::next(it) != words.end() && std::next(it)->pos == "名詞") ++it;
    if (std::next(it) != words.end()) ++it;
  }
}

// 三本 → サンボン: number and counter change each other.
void read_counters(Morphemes& words) {
  const Tables& tables = Tables::get();
  for (auto it = words.begin(); it != words.end(); ++it) {
    if (it == words.begin() || !is_counter(*it)) continue;
    Morpheme& number = *std::prev(it);
    if (!is_number(number)) continue;
    if (const auto* row = tables.digit_pronunciation(it->string, number.string)) {
      set_pron(number, row->pron, row->acc, row->moras);
    }
    switch (tables.counter_voicing(it->string, number.string)) {
      case Voicing::kVoiced:
        it->pron = tables.voiced(it->pron);
        break;
      case Voicing::kSemivoiced:
        it->pron = tables.semivoiced(it->pron);
        break;
      case Voicing::kNone:
        break;
    }
    number.chain_flag = 0;
    it->chain_flag = 1;
  }
}

void join_unit(Morpheme& number, Morpheme& unit) {
  const Tables& tables = Tables::get();
  if (is_number(unit)) {
    if (tables.is_digit_word(number.string) && tables.is_unit_word(unit.string)) {
      number.chain_flag = 0;
      unit.chain_flag = 1;
    } else if (tables.is_unit_word(number.string) && tables.is_digit_word(unit.string)) {
      unit.chain_flag = 0;
    }
  }
  const std::string_view digit = number.string;
  if (unit.string == "百") {
    if (digit == "六") set_pron(number, "ロッ", 0, 2);
    if (digit == "八") set_pron(number, "ハッ", 0, 2);
  }
  if (unit.string == "千" || unit.string == "兆") {
    if (digit == "一") set_pron(number, "イッ", 0, 2);
    if (digit == "八") set_pron(number, "ハッ", 0, 2);
    if (digit == "十") set_pron(number, "ジュッ", 1, 2);
  }
  if (unit.string == "百" || unit.string == "千") {
    if (digit == "三" || digit == "何") unit.pron = tables.voiced(unit.pron);
    if (digit == "六" || digit == "八") unit.pron = tables.semivoiced(unit.pron);
  }
}

void join_units(Morphemes& words) {
  for (auto it = words.begin(); it != words.end(); ++it) {
    if (it != words.begin() && is_number(*std::prev(it))) join_unit(*std::prev(it), *it);
  }
}

void read_native_number(Morpheme& number) {
  if (number.string == "一") {
    number.read = "ヒト";
    set_pron(number, "ヒト", 0, 2);
  } else if (number.string == "二") {
    number.read = "フタ";
    set_pron(number, "フタ", 0, 2);
  }
}

void merge_counter(Morpheme& number, const Morpheme* row, Morpheme& counter) {
  if (row == nullptr) return;
  become(number, *row);
  counter.pron.clear();
}

// A number of one word and its counter: ヒトツ, ヒトリ, ツイタチ.
void read_single_counters(Morphemes& words) {
  const Tables& tables = Tables::get();
  for (auto it = words.begin(); it != words.end() && std::next(it) != words.end(); ++it) {
    const Morpheme* before = it == words.begin() ? nullptr : &*std::prev(it);
    Morpheme& counter = *std::next(it);
    if (!is_number(*it) || (before != nullptr && before->pos != "記号" && is_number(*before))) continue;
    if (!is_counter(counter)) continue;
    if (tables.takes_native_numbers(counter.string, counter.read)) read_native_number(*it);
    if (counter.string == "人") {
      merge_counter(*it, tables.person(it->string), counter);
    } else if (counter.string == "日") {
      const bool after_month = before != nullptr && before->string.find("月") != std::string::npos;
      if (after_month && it->string == "一") {
        set_day(*it, "一日", "ツイタチ", "ツイタチ", 4, 4);
        counter.pron.clear();
      } else {
        merge_counter(*it, tables.day(it->string), counter);
      }
    } else if (counter.string == "日間") {
      merge_counter(*it, tables.days(it->string), counter);
    }
  }
}

// 十四日, 二十日, 二十四日, with and without 間, beginning at `it`.
void read_long_day(Morphemes& words, Iterator it) {
  const auto n1 = std::next(it);
  const auto n2 = std::next(n1);
  const auto n3 = std::next(n2);
  const auto is_day = [](const Morpheme& w) { return w.string == "日" || w.string == "日間"; };
  const bool span = (is_day(*n2) ? *n2 : n3 != words.end() ? *n3 : *n2).string == "日間";
  if (it->string == "十" && n1->string == "四" && is_day(*n2)) {
    if (span) {
      set_day(*it, "十四日間", "ジュウヨッカカン", "ジューヨッカカン", 5, 7);
    } else {
      set_day(*it, "十四日", "ジュウヨッカ", "ジューヨッカ", 1, 5);
    }
    n1->pron.clear();
    n2->pron.clear();
  } else if (it->string == "二" && n1->string == "十" && is_day(*n2)) {
    if (span) {
      set_day(*it, "二十日間", "ハツカカン", "ハツカカン", 3, 5);
    } else {
      set_day(*it, "二十日", "ハツカ", "ハツカ", 0, 3);
    }
    n1->pron.clear();
    n2->pron.clear();
  } else if (n3 != words.end() && it->string == "二" && n1->string == "十" && n2->string == "四" && is_day(*n3)) {
    set_day(*it, "二十", "ニジュウ", "ニジュー", 1, 3);
    if (span) {
      set_day(*n1, "四日間", "ヨッカカン", "ヨッカカン", 3, 5);
    } else {
      set_day(*n1, "四日", "ヨッカ", "ヨッカ", 0, 3);
    }
    n1->chain_flag = 0;
    n2->pron.clear();
    n3->pron.clear();
  }
}

void read_long_days(Morphemes& words) {
  for (auto it = words.begin(); it != words.end(); ++it) {
    if (std::next(it) == words.end() || std::next(it, 2) == words.end()) return;
    if (it == words.begin() || !is_number(*std::prev(it))) read_long_day(words, it);
  }
}

}  // namespace

void set_digit_readings(Morphemes& words) {
  read_points(words);
  read_counters(words);
  join_units(words);
  read_single_counters(words);
  read_long_days(words);
  remove_silent(words);
}

}  // namespace hayakoe::text::njd
