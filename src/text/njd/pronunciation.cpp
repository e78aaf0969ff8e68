// SPDX-License-Identifier: Apache-2.0
#include "text/njd/pronunciation.hpp"

#include <iterator>
#include <string_view>

#include "text/njd/tables.hpp"

namespace hayakoe::text::njd {
namespace {

constexpr std::string_view kFiller = "フィラー";

void spell(Morpheme& word) {
  const Tables& tables = Tables::get();
  word.read.clear();
  word.pron.clear();
  for (std::string_view rest = word.string; !rest.empty();) {
    std::size_t length = 1;
    if (const Reading* reading = tables.reading_at(rest, &length)) {
      word.read += reading->kana;
      word.pron += reading->kana;
      word.mora_size += reading->moras;
    }
    rest.remove_prefix(length);
  }
  if (word.mora_size > 0) {
    word.pos = kFiller;
    word.g1 = word.g2 = word.g3 = "*";
  }
  if (word.orig == "*") word.orig = word.string;
  if (!word.pron.empty()) return;
  if (word.string == "？") {
    word.read = word.pron = "？";
  } else {
    word.read = word.pron = "、";
    word.pos = "記号";
  }
}

// Joins runs of single letters or kana into their first word.
void join_spelled(Morphemes& words) {
  auto head = words.end();
  for (auto it = words.begin(); it != words.end();) {
    const bool spelled = it->pos == kFiller && Tables::get().is_reading_key(it->string);
    if (!spelled) head = words.end();
    if (!spelled || head == words.end()) {
      if (spelled) head = it;
      ++it;
      continue;
    }
    head->string += it->string;
    head->orig += it->orig;
    head->read += it->read;
    head->pron += it->pron;
    head->mora_size += it->mora_size;
    it = words.erase(it);
  }
}

void fix_endings(Morpheme& word, Morpheme& next) {
  const bool verbal = word.pos == "動詞" || word.pos == "助動詞";
  if (next.pron == "ウ" && next.pos == "助動詞" && verbal && word.mora_size > 0) next.pron = "ー";
  if (word.pos == "助動詞" && next.string == "？") {
    if (word.string == "です") word.pron = "デス";
    if (word.string == "ます") word.pron = "マス";
  }
}

}  // namespace

void set_pronunciation(Morphemes& words) {
  for (Morpheme& word : words) {
    if (word.mora_size == 0) spell(word);
  }
  join_spelled(words);
  for (auto it = words.begin(); it != words.end() && std::next(it) != words.end(); ++it) {
    fix_endings(*it, *std::next(it));
  }
}

std::string without_devoicing(std::string_view pron) {
  constexpr std::string_view kDevoicedMark = "’";
  std::string kana;
  kana.reserve(pron.size());
  while (!pron.empty()) {
    const auto mark = pron.find(kDevoicedMark);
    kana += pron.substr(0, mark);
    if (mark == std::string_view::npos) break;
    pron.remove_prefix(mark + kDevoicedMark.size());
  }
  return kana;
}

}  // namespace hayakoe::text::njd
