// SPDX-License-Identifier: Apache-2.0
#include "text/reading_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <hayakoe/error.hpp>

#include "text/kana.hpp"
#include "text/split.hpp"
#include "text/table_lines.hpp"
#include "text/unicode.hpp"

namespace hayakoe::text {
namespace {

constexpr std::string_view kPause = "、";

bool is_pause(std::string_view mark) { return mark == "," || mark == "." || mark == "!" || mark == "?" || mark == "…"; }

// The pause marks of a reading as the phones for them.
std::string phone_of_mark(char32_t c) {
  constexpr std::u32string_view kFrom = U"、，,。．.！!？?…";
  constexpr std::string_view kTo = ",,,...!!??";
  const auto i = kFrom.find(c);
  if (i == std::u32string_view::npos) return {};
  return i < kTo.size() ? std::string(1, kTo[i]) : "…";
}

char vowel_of(const std::string& mora) {
  for (const Mora& row : mora_table()) {
    if (row.kana == mora) return row.vowel.front();
  }
  return ' ';
}

// オ ウ → オ オ, エ イ → エ エ: a listener does not hear the difference.
void fold_long_vowels(std::vector<std::string>& moras) {
  for (std::size_t i = 1; i < moras.size(); ++i) {
    const char before = vowel_of(moras[i - 1]);
    if (before == 'o' && moras[i] == "ウ") moras[i] = "オ";
    if (before == 'e' && moras[i] == "イ") moras[i] = "エ";
  }
}

void drop_outer_pauses(std::vector<std::string>& moras) {
  while (!moras.empty() && moras.back() == kPause) moras.pop_back();
  const auto first = std::find_if(moras.begin(), moras.end(), [](const auto& m) { return m != kPause; });
  moras.erase(moras.begin(), first);
}

Heard hear_phones(const std::vector<std::string>& phones, const std::vector<int>& tones) {
  Heard heard;
  for (const MoraSpan& span : moras_of(phones)) {
    if (span.kana == "_" || span.kana == "'" || span.kana == "-") continue;
    if (!is_pause(span.kana)) {
      heard.moras.push_back(span.kana);
      heard.tones += tones[static_cast<std::size_t>(span.first + span.count - 1)] == 1 ? 'H' : 'L';
    } else if (heard.moras.empty() || heard.moras.back() != kPause) {
      heard.moras.emplace_back(kPause);
    }
  }
  drop_outer_pauses(heard.moras);
  fold_long_vowels(heard.moras);
  return heard;
}

ReadingCase parse_case(const std::vector<std::string_view>& fields, std::size_t line) {
  if (fields.size() < 2 || fields.size() > 3) {
    throw Error(
        fmt::format("Line {} has {} fields; it should be a text, its reading and perhaps tones, divided by tabs.", line,
                    fields.size()));
  }
  ReadingCase result{std::string(fields[0]), {}, fields.size() == 3 ? std::string(fields[2]) : "", line};
  for (const auto reading : split(fields[1], '|')) result.readings.emplace_back(reading);
  if (result.tones.empty()) return result;
  const auto heard = hear_reading(result.readings.front());
  if (heard.tones.size() != result.tones.size()) {
    throw Error(
        fmt::format("Line {} has {} tones for a reading of {} moras.", line, result.tones.size(), heard.tones.size()));
  }
  return result;
}

}  // namespace

std::string Heard::text() const {
  std::string out;
  for (const auto& mora : moras) out += mora;
  return out;
}

std::vector<ReadingCase> parse_reading_cases(std::string_view lines) {
  std::vector<ReadingCase> cases;
  for_each_row(lines, [&](const auto& fields, std::size_t line) { cases.push_back(parse_case(fields, line)); });
  return cases;
}

Heard hear(const Frontend& frontend, std::string_view text, Rules rules) {
  std::vector<std::string> phones;
  std::vector<int> tones;
  for (const std::string& sentence : split_sentences(text, rules)) {
    if (!phones.empty()) {
      phones.emplace_back(".");  // the silence between sentences
      tones.push_back(0);
    }
    const Analysis analysis = frontend.analyze(sentence, rules);
    phones.insert(phones.end(), analysis.phones.begin(), analysis.phones.end());
    tones.insert(tones.end(), analysis.tones.begin(), analysis.tones.end());
  }
  return hear_phones(phones, tones);
}

Heard hear_reading(std::string_view reading) {
  std::vector<std::string> phones;
  std::u32string word;
  const auto end_word = [&] {
    for (auto& phone : kana_to_phones(to_utf8(word))) phones.push_back(std::move(phone));
    word.clear();
  };
  for (const char32_t c : to_u32(reading)) {
    const std::string mark = phone_of_mark(c);
    if (mark.empty()) {
      word += c;
      continue;
    }
    end_word();
    phones.push_back(mark);
  }
  end_word();
  return hear_phones(phones, std::vector<int>(phones.size(), 0));
}

bool is_right(const ReadingCase& expected, const Heard& heard) {
  const auto matches = [&](const std::string& reading) { return hear_reading(reading).moras == heard.moras; };
  if (std::none_of(expected.readings.begin(), expected.readings.end(), matches)) return false;
  return expected.tones.empty() || !matches(expected.readings.front()) || expected.tones == heard.tones;
}

}  // namespace hayakoe::text
