// SPDX-License-Identifier: Apache-2.0
#include "text/njd/tables.hpp"

#include <fmt/format.h>

#include <charconv>
#include <hayakoe/error.hpp>
#include <span>
#include <string>

#include "text/unicode.hpp"

extern "C" const char hayakoe_njd_tables_begin[], hayakoe_njd_tables_end[];

namespace hayakoe::text::njd {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

int to_int(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// string pos g1 g2 g3 ctype cform orig read pron acc/moras rule
Morpheme to_morpheme(std::span<const std::string_view> c) {
  Morpheme w;
  w.string = c[0];
  w.pos = c[1];
  w.g1 = c[2];
  w.g2 = c[3];
  w.g3 = c[4];
  w.ctype = c[5];
  w.cform = c[6];
  w.orig = c[7];
  w.read = c[8];
  w.pron = c[9];
  const auto slash = c[10].find('/');
  w.acc = to_int(c[10].substr(0, slash));
  w.mora_size = to_int(c[10].substr(slash + 1));
  w.rule = c[11];
  return w;
}

std::string_view first_character(std::string_view text) { return text.substr(0, utf8_length_at(text)); }

}  // namespace

void PrefixIndex::add(std::string_view key) {
  by_first_[first_character(key)].push_back(static_cast<int>(keys_.size()));
  keys_.push_back(key);
}

int PrefixIndex::find(std::string_view text) const {
  const auto found = by_first_.find(first_character(text));
  if (found == by_first_.end()) return -1;
  for (const int number : found->second) {
    if (text.starts_with(key(number))) return number;
  }
  return -1;
}

const Tables& Tables::get() {
  static const Tables instance(
      {hayakoe_njd_tables_begin, static_cast<std::size_t>(hayakoe_njd_tables_end - hayakoe_njd_tables_begin)});
  return instance;
}

Tables::Tables(std::string_view data) {
  for (const auto line : split(data, '\n')) {
    if (!line.empty() && line.front() != '#') add_row(split(line, '\t'));
  }
}

void Tables::add_row(const Columns& c) {
  const auto table = c.front();
  const auto rest = std::span(c).subspan(1);
  const auto replacement = [&] { return to_morpheme(rest.subspan(1)); };
  if (table == "reading") {
    reading_index_.add(rest[0]);
    readings_.push_back({rest[1], to_int(rest[2])});
    reading_keys_.insert(rest[0]);
  } else if (table == "numeral") {
    numerals_.try_emplace(rest[0], Numeral{to_int(rest[1]), rest[2]});
  } else if (table == "unit") {
    units_.at(static_cast<std::size_t>(to_int(rest[0]))) = replacement();
  } else if (table == "bigunit") {
    big_units_.at(static_cast<std::size_t>(to_int(rest[0]))) = replacement();
  } else if (table == "person") {
    persons_.try_emplace(rest[0], replacement());
  } else if (table == "day") {
    days_.try_emplace(rest[0], replacement());
  } else if (table == "days") {
    day_spans_.try_emplace(rest[0], replacement());
  } else if (table == "digitword") {
    digit_words_.insert(rest.begin(), rest.end());
  } else if (table == "unitword") {
    unit_words_.insert(rest.begin(), rest.end());
  } else if (table == "counter1" || table == "counter2") {
    auto& classes = table == "counter1" ? digit_class_ : voicing_class_;
    for (const auto counter : rest.subspan(1)) classes.try_emplace(counter, rest[0]);
  } else if (table == "digitpron") {
    digit_prons_[rest[0]].try_emplace(rest[1], DigitPronunciation{rest[2], to_int(rest[3]), to_int(rest[4])});
  } else if (table == "counterpron") {
    voicings_[rest[0]].try_emplace(rest[1], rest[2] == "1" ? Voicing::kVoiced : Voicing::kSemivoiced);
  } else if (table == "counter3") {
    native_counters_[rest[0]].insert(rest[1]);
  } else if (table == "voiced") {
    voiced_.emplace(rest[0], rest[1]);
  } else if (table == "semivoiced") {
    semivoiced_.emplace(rest[0], rest[1]);
  } else if (table == "devoice-mora") {
    for (const auto mora : rest) devoicing_moras_.add(mora);
  } else if (table.starts_with("devoice-list") || table.starts_with("devoice-next")) {
    auto& lists = devoicing_.at(static_cast<std::size_t>(table.back() - '1'));
    (table.starts_with("devoice-list") ? lists.moras : lists.next).insert(rest.begin(), rest.end());
  } else {
    throw Error(fmt::format("The built-in table of words has a row of the unknown kind \"{}\".", table));
  }
}

const Reading* Tables::reading_at(std::string_view text, std::size_t* length) const {
  const int number = reading_index_.find(text);
  if (number < 0) return nullptr;
  *length = reading_index_.key(number).size();
  return &readings_[static_cast<std::size_t>(number)];
}

const Numeral* Tables::numeral(std::string_view text) const {
  const auto found = numerals_.find(text);
  return found == numerals_.end() ? nullptr : &found->second;
}

const Morpheme* Tables::row(const Rows& rows, std::string_view digit) {
  const auto found = rows.find(digit);
  return found == rows.end() ? nullptr : &found->second;
}

const DigitPronunciation* Tables::digit_pronunciation(std::string_view counter, std::string_view digit) const {
  const auto counter_class = digit_class_.find(counter);
  if (counter_class == digit_class_.end()) return nullptr;
  const auto rows = digit_prons_.find(counter_class->second);
  if (rows == digit_prons_.end()) return nullptr;
  const auto found = rows->second.find(digit);
  return found == rows->second.end() ? nullptr : &found->second;
}

Voicing Tables::counter_voicing(std::string_view counter, std::string_view digit) const {
  const auto counter_class = voicing_class_.find(counter);
  if (counter_class == voicing_class_.end()) return Voicing::kNone;
  const auto rows = voicings_.find(counter_class->second);
  if (rows == voicings_.end()) return Voicing::kNone;
  const auto found = rows->second.find(digit);
  return found == rows->second.end() ? Voicing::kNone : found->second;
}

bool Tables::takes_native_numbers(std::string_view counter, std::string_view reading) const {
  const auto found = native_counters_.find(counter);
  return found != native_counters_.end() && found->second.contains(reading);
}

std::string Tables::replace_first(const KanaMap& map, std::string_view pron) {
  const auto first = first_character(pron);
  const auto found = map.find(first);
  if (found == map.end()) return std::string(pron);
  std::string result(found->second);
  result += pron.substr(first.size());
  return result;
}

int Tables::devoiced_before(std::string_view mora, std::string_view next) const {
  for (const Devoicing& lists : devoicing_) {
    if (lists.moras.contains(mora)) return lists.next.contains(first_character(next)) ? 1 : 0;
  }
  return -1;
}

}  // namespace hayakoe::text::njd
