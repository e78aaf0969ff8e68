// SPDX-License-Identifier: Apache-2.0
#include "text/user_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <hayakoe/error.hpp>

#include "text/unicode.hpp"

namespace hayakoe::text {
namespace {

constexpr int kProperNounId = 1348;
constexpr int kSbv2Cost = 8609;

constexpr std::u32string_view kSmallVowels = U"ァィゥェォャュョヮ";

bool is_in(char32_t c, std::u32string_view set) { return set.find(c) != std::u32string_view::npos; }

// True if two kana are one mora.
bool is_one_mora(char32_t a, char32_t b) {
  struct Pair {
    std::u32string_view first;
    std::u32string_view second;
  };
  static constexpr Pair kPairs[] = {
      {U"イ", U"ェ"},         {U"ヴ", U"ャュョ"},       {U"トド", U"ゥ"},   {U"テデ", U"ィャュョ"},
      {U"デ", U"ェ"},         {U"クグ", U"ヮ"},         {U"ツフヴ", U"ァ"}, {U"キシチニヒミリギジビピ", U"ェャュョ"},
      {U"ウツフヴ", U"ェォ"}, {U"ウスツフヴズ", U"ィ"},
  };
  return std::any_of(std::begin(kPairs), std::end(kPairs),
                     [&](const Pair& pair) { return is_in(a, pair.first) && is_in(b, pair.second); });
}

// Why this is no reading, or an empty string.
std::string reading_fault(std::u32string_view reading) {
  if (reading.empty()) return "it is empty";
  for (std::size_t i = 0; i < reading.size(); ++i) {
    const char32_t c = reading[i];
    if (c != U'ー' && (c < U'ァ' || c > U'ヴ')) {
      return fmt::format("character {} (\"{}\") is not katakana from ァ to ヴ or ー", i + 1, to_utf8(c));
    }
    if (i == 0) continue;
    const char32_t before = reading[i - 1];
    const bool after_small = before == U'ッ' || is_in(before, kSmallVowels);
    if (after_small && is_in(c, kSmallVowels)) {
      return fmt::format("\"{}\" cannot follow \"{}\"", to_utf8(c), to_utf8(before));
    }
    if (before == U'ッ' && c == U'ッ') return "ッ cannot follow ッ";
    if (c == U'ヮ' && before != U'ク' && before != U'グ') return "ヮ must follow ク or グ";
  }
  return "";
}

std::string surface_fault(std::string_view utf8, std::u32string_view surface) {
  if (to_utf8(surface) != utf8) return "it is not valid UTF-8";
  if (surface.size() > kMaxUserWordCharacters) {
    return fmt::format("it has {} characters; at most {} are possible", surface.size(), kMaxUserWordCharacters);
  }
  const auto is_control = [](char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); };
  if (std::any_of(surface.begin(), surface.end(), is_control)) return "it holds a control character";
  return "";
}

std::string feature_of(const UserWord& word, std::string_view rule) {
  return fmt::format("名詞,固有名詞,一般,*,*,*,*,{0},{0},{1}/{2},{3}", word.reading, word.accent,
                     count_moras(word.reading), rule);
}

}  // namespace

bool is_speakable_reading(std::string_view reading) { return reading_fault(to_u32(reading)).empty(); }

int count_moras(std::string_view reading) {
  const auto kana = to_u32(reading);
  int moras = 0;
  for (std::size_t i = 0; i < kana.size(); ++i) {
    if (i + 1 < kana.size() && is_one_mora(kana[i], kana[i + 1])) ++i;
    ++moras;
  }
  return moras;
}

void check_user_word(const UserWord& word) {
  const auto surface = to_u32(word.surface);
  if (const auto fault = surface_fault(word.surface, surface); !fault.empty()) {
    throw Error(fmt::format("The surface of the word \"{}\" is wrong: {}.", to_utf8(surface.substr(0, 32)), fault));
  }
  const auto reading = to_u32(word.reading);
  if (const auto fault = reading_fault(reading); !fault.empty()) {
    throw Error(fmt::format("The reading \"{}\" of the word \"{}\" is wrong: {}; write it in katakana.",
                            to_utf8(reading.substr(0, 32)), word.surface, fault));
  }
  if (reading.size() > kMaxUserWordCharacters) {
    throw Error(fmt::format("The reading of the word \"{}\" is wrong: it has {} characters; at most {} are possible.",
                            word.surface, reading.size(), kMaxUserWordCharacters));
  }
  const int moras = count_moras(word.reading);
  if (word.accent < 0 || word.accent > moras) {
    throw Error(
        fmt::format("The accent {} of the word \"{}\" is wrong: the reading \"{}\" has {} moras, so it must be "
                    "from 0 to {}.",
                    word.accent, word.surface, word.reading, moras, moras));
  }
  if (word.priority < 0 || word.priority > kHighestPriority) {
    throw Error(fmt::format("The priority {} of the word \"{}\" is wrong: it must be from 0 to {}.", word.priority,
                            word.surface, kHighestPriority));
  }
}

std::string full_width_surface(std::string_view surface) {
  std::string out;
  for (const char32_t c : to_u32(surface)) append_utf8(out, c >= 0x21 && c <= 0x7E ? c + 0xFEE0 : c);
  return out;
}

njd::UserEntry sbv2_entry(const UserWord& word) {
  return {full_width_surface(word.surface), feature_of(word, "*"), kProperNounId, kSbv2Cost};
}

std::string sbv2_csv_row(const UserWord& word) {
  const auto entry = sbv2_entry(word);
  return fmt::format("{},{},{},{},{}", entry.surface, entry.context_id, entry.context_id, entry.cost, entry.feature);
}

}  // namespace hayakoe::text
