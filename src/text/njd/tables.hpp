// SPDX-License-Identifier: Apache-2.0
// The rules of Open JTalk 1.11 that are lists (data/njd-tables.tsv), ready for look-ups.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "text/njd/morpheme.hpp"

namespace hayakoe::text::njd {

/// Finds, among keys with a fixed order, the first one that a text begins with.
class PrefixIndex {
 public:
  /// Adds the next key in order; `key` must outlive the index and must not be empty.
  void add(std::string_view key);

  /// The number of the first key that `text` begins with, or -1. Only keys with the same first character are compared.
  int find(std::string_view text) const;

  std::string_view key(int number) const { return keys_[static_cast<std::size_t>(number)]; }

 private:
  std::vector<std::string_view> keys_;
  std::unordered_map<std::string_view, std::vector<int>> by_first_;  // first character → numbers, ascending
};

/// How a kana or letter is read on its own.
struct Reading {
  std::string_view kana;
  int moras = 0;
};

/// A digit in any of its spellings.
struct Numeral {
  int value = 0;
  std::string_view canonical;
};

/// How a number word is pronounced before a counter.
struct DigitPronunciation {
  std::string_view pron;
  int acc = 0;
  int moras = 0;
};

/// What happens to the first kana of a counter.
enum class Voicing { kNone, kVoiced, kSemivoiced };

/// All tables. Immutable; the views point into the program's read-only data.
class Tables {
 public:
  /// The only instance, read on first use.
  static const Tables& get();

  /// The first reading row that `text` begins with (`length`: bytes of its key), or null.
  const Reading* reading_at(std::string_view text, std::size_t* length) const;
  bool is_reading_key(std::string_view text) const { return reading_keys_.contains(text); }

  const Numeral* numeral(std::string_view text) const;

  /// Rows that replace a word: the units 十 百 千 (1 to 3) and 万 億 … (1 to 17).
  const Morpheme& unit(int power) const { return units_.at(static_cast<std::size_t>(power)); }
  const Morpheme& big_unit(int group) const { return big_units_.at(static_cast<std::size_t>(group)); }

  /// Number + 人, 日, 日間 as one word, or null.
  const Morpheme* person(std::string_view digit) const { return row(persons_, digit); }
  const Morpheme* day(std::string_view digit) const { return row(days_, digit); }
  const Morpheme* days(std::string_view digit) const { return row(day_spans_, digit); }

  bool is_digit_word(std::string_view text) const { return digit_words_.contains(text); }
  bool is_unit_word(std::string_view text) const { return unit_words_.contains(text); }

  /// How `digit` is pronounced before `counter`, or null for no change.
  const DigitPronunciation* digit_pronunciation(std::string_view counter, std::string_view digit) const;
  Voicing counter_voicing(std::string_view counter, std::string_view digit) const;

  /// True if 一 and 二 are ヒト and フタ before this counter with this reading.
  bool takes_native_numbers(std::string_view counter, std::string_view reading) const;

  /// `pron` with its first kana voiced (カ→ガ) or semivoiced (ハ→パ), unchanged if it has no such form.
  std::string voiced(std::string_view pron) const { return replace_first(voiced_, pron); }
  std::string semivoiced(std::string_view pron) const { return replace_first(semivoiced_, pron); }

  const PrefixIndex& devoicing_moras() const { return devoicing_moras_; }

  /// The list rule: 1 if `mora` before `next` is devoiced, 0 if voiced, -1 if no list has `mora`.
  int devoiced_before(std::string_view mora, std::string_view next) const;

 private:
  using Columns = std::vector<std::string_view>;
  using KanaMap = std::unordered_map<std::string_view, std::string_view>;
  using Rows = std::unordered_map<std::string_view, Morpheme>;
  using StringSet = std::unordered_set<std::string_view>;

  struct Devoicing {
    StringSet moras;
    StringSet next;
  };

  explicit Tables(std::string_view data);
  void add_row(const Columns& c);
  static const Morpheme* row(const Rows& rows, std::string_view digit);
  static std::string replace_first(const KanaMap& map, std::string_view pron);

  PrefixIndex reading_index_;
  std::vector<Reading> readings_;
  StringSet reading_keys_;
  std::unordered_map<std::string_view, Numeral> numerals_;
  std::array<Morpheme, 4> units_;
  std::array<Morpheme, 18> big_units_;
  Rows persons_;
  Rows days_;
  Rows day_spans_;
  StringSet digit_words_;
  StringSet unit_words_;
  std::unordered_map<std::string_view, std::string_view> digit_class_;    // counter → the first class that lists it
  std::unordered_map<std::string_view, std::string_view> voicing_class_;  // the same for its first kana
  std::unordered_map<std::string_view, std::unordered_map<std::string_view, DigitPronunciation>> digit_prons_;
  std::unordered_map<std::string_view, std::unordered_map<std::string_view, Voicing>> voicings_;
  std::unordered_map<std::string_view, StringSet> native_counters_;
  KanaMap voiced_;
  KanaMap semivoiced_;
  PrefixIndex devoicing_moras_;
  std::array<Devoicing, 3> devoicing_;
};

}  // namespace hayakoe::text::njd
