// SPDX-License-Identifier: Apache-2.0
#include "text/njd/phrases.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "text/kana.hpp"
#include "text/unicode.hpp"

namespace hayakoe::text::njd {
namespace {

constexpr std::string_view kLongVowel = "ー";
constexpr std::string_view kDevoicedMark = "’";

// The labels that the models were trained with count no further, so a fall behind this mora does not exist.
constexpr int kLastCountedMora = 48;

// The longest kana (two characters at most) that a text begins with.
const Mora* kana_at(std::string_view text) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const Mora*> map;
    for (const Mora& mora : mora_table()) map.emplace(mora.kana, &mora);
    return map;
  }();
  const std::size_t one = utf8_length_at(text);
  const std::size_t two = one + utf8_length_at(text.substr(one));
  for (const std::size_t length : {two, one}) {
    const auto found = index.find(text.substr(0, length));
    if (found != index.end()) return found->second;
  }
  return nullptr;
}

class PhraseMaker {
 public:
  void add(const Morpheme& word) {
    if (word.pron == "、" || word.pron == "？") {
      pause_ = true;
      return;
    }
    bool begun = false;
    for (std::string_view rest = word.pron; !rest.empty();) {
      if (rest.starts_with(kLongVowel)) {
        lengthen(!begun);
        rest.remove_prefix(kLongVowel.size());
      } else if (rest.starts_with(kDevoicedMark)) {
        rest.remove_prefix(kDevoicedMark.size());
      } else if (const Mora* mora = kana_at(rest)) {
        if (!begun && (word.chain_flag != 1 || phrases_.empty())) phrases_.push_back({word.acc, {}});
        begun = true;
        // The consonants kw and gw have no phone of their own in the models' set.
        const auto consonant =
            mora->consonant == "kw" || mora->consonant == "gw" ? mora->consonant.substr(0, 1) : mora->consonant;
        phrases_.back().moras.push_back({consonant, mora->vowel, pause_, false});
        pause_ = false;
        rest.remove_prefix(mora->kana.size());
      } else {
        return;
      }
    }
  }

  std::vector<AccentPhrase> take() { return std::move(phrases_); }

 private:
  void lengthen(bool across_word) {
    if (pause_ || phrases_.empty()) return;
    auto& moras = phrases_.back().moras;
    moras.push_back({{}, moras.back().vowel, false, across_word});
  }

  std::vector<AccentPhrase> phrases_;
  bool pause_ = false;
};

// Tones of the moras of one phrase.
std::vector<int> phrase_tones(const AccentPhrase& phrase) {
  const auto count = static_cast<int>(phrase.moras.size());
  const bool falls = phrase.accent > 0 && phrase.accent < count && phrase.accent <= kLastCountedMora;
  std::vector<int> tones(phrase.moras.size(), 0);
  for (std::size_t i = 1; i < tones.size(); ++i) {
    if (phrase.moras[i].after_pause) continue;
    const auto position = static_cast<int>(i);  // of the mora before, from 1
    tones[i] = tones[i - 1];
    if (falls && position == phrase.accent) {
      tones[i] -= 1;
    } else if (position == 1) {
      tones[i] += 1;
    }
  }
  // A stretch that falls without having risen begins high.
  for (std::size_t begin = 0; begin < tones.size();) {
    std::size_t end = begin + 1;
    while (end < tones.size() && !phrase.moras[end].after_pause) ++end;
    const auto first = tones.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = tones.begin() + static_cast<std::ptrdiff_t>(end);
    if (*std::min_element(first, last) < 0) std::for_each(first, last, [](int& tone) { ++tone; });
    begin = end;
  }
  return tones;
}

}  // namespace

std::vector<AccentPhrase> make_phrases(const Morphemes& words) {
  PhraseMaker maker;
  for (const Morpheme& word : words) maker.add(word);
  return maker.take();
}

std::vector<TonedPhone> make_tones(const std::vector<AccentPhrase>& phrases) {
  std::vector<TonedPhone> phones;
  for (const AccentPhrase& phrase : phrases) {
    const auto tones = phrase_tones(phrase);
    for (std::size_t i = 0; i < tones.size(); ++i) {
      const PhraseMora& mora = phrase.moras[i];
      if (!mora.consonant.empty()) phones.push_back({mora.consonant, tones[i], false});
      phones.push_back({mora.vowel, tones[i], mora.repeats_across_word});
    }
  }
  return phones;
}

}  // namespace hayakoe::text::njd
