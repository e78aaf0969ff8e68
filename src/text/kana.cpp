// SPDX-License-Identifier: Apache-2.0
#include "text/kana.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <hayakoe/error.hpp>
#include <unordered_map>
#include <unordered_set>

#include "text/normalize.hpp"
#include "text/unicode.hpp"

extern "C" const char hayakoe_mora_begin[], hayakoe_mora_end[];

namespace hayakoe::text {
namespace {

constexpr char32_t kLongVowelMark = U'ー';
constexpr std::string_view kLongVowel = "ー";

std::string_view take_until(std::string_view& rest, char separator) {
  const auto end = std::min(rest.find(separator), rest.size());
  const auto part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

std::vector<Mora> parse_table(std::string_view data) {
  std::vector<Mora> rows;
  while (!data.empty()) {
    auto line = take_until(data, '\n');
    if (line.empty() || line.front() == '#') continue;
    Mora m;
    m.kana = take_until(line, '\t');
    m.consonant = take_until(line, '\t');
    m.vowel = take_until(line, '\t');
    m.canonical = take_until(line, '\t') == "1";
    if (m.consonant == "-") m.consonant = {};
    rows.push_back(m);
  }
  return rows;
}

bool is_vowel(std::string_view phone) {
  return phone == "a" || phone == "i" || phone == "u" || phone == "e" || phone == "o";
}

// The table as look-ups in both directions.
struct Index {
  std::unordered_map<std::uint64_t, const Mora*> by_kana;
  std::unordered_map<std::string, const Mora*> by_phones;  // "consonant vowel"
  std::unordered_set<std::string_view> consonants;

  Index() {
    for (const Mora& m : mora_table()) {
      by_kana.emplace(key(to_u32(m.kana)), &m);
      if (m.canonical) by_phones.emplace(key(m.consonant, m.vowel), &m);
      if (!m.consonant.empty()) consonants.insert(m.consonant);
    }
  }

  static std::string key(std::string_view consonant, std::string_view vowel) {
    return fmt::format("{} {}", consonant, vowel);
  }

  // No kana of the table is longer than two characters, so they fit into one number.
  static constexpr std::size_t kLongest = 2;
  static std::uint64_t key(std::u32string_view kana) {
    return (std::uint64_t{kana.size() > 1 ? kana[1] : 0U} << 32U) | kana[0];
  }

  // The longest kana at the start of `text`, or null.
  const Mora* longest_match(std::u32string_view text, std::size_t& length) const {
    for (length = std::min(kLongest, text.size()); length > 0; --length) {
      const auto found = by_kana.find(key(text.substr(0, length)));
      if (found != by_kana.end()) return found->second;
    }
    length = 1;
    return nullptr;
  }
};

const Index& index() {
  static const Index instance;
  return instance;
}

bool only_punctuation(std::u32string_view text) {
  return std::all_of(text.begin(), text.end(), [](char32_t c) { return is_punctuation(to_utf8(c)); });
}

// The last character of a phone: `a` of `a`, `q` of `q`.
std::string last_letter(const std::string& phone) {
  const auto letters = to_u32(phone);
  return letters.empty() ? std::string() : to_utf8(letters.back());
}

}  // namespace

const std::vector<Mora>& mora_table() {
  static const std::vector<Mora> table =
      parse_table({hayakoe_mora_begin, static_cast<std::size_t>(hayakoe_mora_end - hayakoe_mora_begin)});
  return table;
}

bool is_katakana(char32_t c) { return c >= 0x30A0 && c <= 0x30FF; }

std::vector<std::string> kana_to_phones(std::string_view katakana) {
  const auto text = to_u32(katakana);
  std::vector<std::string> phones;
  if (only_punctuation(text)) {
    for (const char32_t c : text) phones.push_back(to_utf8(c));
    return phones;
  }
  std::u32string_view rest = text;
  while (!rest.empty()) {
    std::size_t length = 1;
    if (rest.front() == kLongVowelMark) {
      phones.push_back(phones.empty() ? std::string(kLongVowel) : last_letter(phones.back()));
    } else if (const Mora* m = index().longest_match(rest, length)) {
      if (!m->consonant.empty()) phones.emplace_back(m->consonant);
      phones.emplace_back(m->vowel);
    } else {
      phones.push_back(to_utf8(rest.front()));
    }
    rest.remove_prefix(length);
  }
  return phones;
}

std::vector<MoraSpan> moras_of(const std::vector<std::string>& phones) {
  std::vector<MoraSpan> spans;
  for (std::size_t i = 0; i < phones.size();) {
    MoraSpan span{phones[i], static_cast<int>(i), 1};
    std::string key = Index::key("", phones[i]);
    if (index().consonants.contains(phones[i]) && i + 1 < phones.size() && is_vowel(phones[i + 1])) {
      key = Index::key(phones[i], phones[i + 1]);
      span.kana += phones[i + 1];
      span.count = 2;
    }
    const auto found = index().by_phones.find(key);
    if (found != index().by_phones.end()) span.kana = found->second->kana;
    i += static_cast<std::size_t>(span.count);
    spans.push_back(std::move(span));
  }
  return spans;
}

std::vector<std::pair<std::string, int>> phones_to_kana(const std::vector<std::string>& phones,
                                                        const std::vector<int>& tones) {
  if (phones.size() != tones.size()) {
    throw Error(
        fmt::format("There are {} phones but {} tones; every phone needs one tone.", phones.size(), tones.size()));
  }
  std::vector<std::pair<std::string, int>> kana;
  for (MoraSpan& span : moras_of(phones)) {
    if (span.kana == "_") continue;
    kana.emplace_back(std::move(span.kana), tones[static_cast<std::size_t>(span.first + span.count - 1)]);
  }
  return kana;
}

std::vector<std::pair<std::string, int>> kana_to_phone_tones(const std::vector<std::pair<std::string, int>>& kana) {
  std::vector<std::pair<std::string, int>> out{{"_", 0}};
  for (const auto& [text, tone] : kana) {
    for (std::string& phone : kana_to_phones(text)) {
      if (phone == kLongVowel) {
        const std::string& before = out.back().first;
        phone = is_vowel(before) || before == "N" ? before : "-";
      }
      const bool known = is_vowel(phone) || phone == "N" || phone == "q" || index().consonants.contains(phone) ||
                         is_punctuation(phone);
      if (!known) {
        throw Error(
            fmt::format("\"{}\" in the kana \"{}\" has no phones; only katakana and the marks ! ? … , . ' - can "
                        "stand here.",
                        phone, text));
      }
      out.emplace_back(std::move(phone), tone);
    }
  }
  out.emplace_back("_", 0);
  return out;
}

}  // namespace hayakoe::text
