// SPDX-License-Identifier: Apache-2.0
#include "text/g2p.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "text/align.hpp"
#include "text/kana.hpp"
#include "text/njd/phrases.hpp"
#include "text/njd/pronunciation.hpp"
#include "text/normalize.hpp"
#include "text/unicode.hpp"
#include "text/word2ph.hpp"

namespace hayakoe::text {
namespace {

constexpr std::string_view kLongVowel = "ー";
constexpr std::size_t kNamedInWarning = 10;

bool only_punctuation(std::u32string_view text) {
  return std::all_of(text.begin(), text.end(), [](char32_t c) { return is_punctuation(c); });
}

bool only_katakana(std::string_view text) {
  const auto characters = to_u32(text);
  return std::all_of(characters.begin(), characters.end(), is_katakana);
}

// The words that had no reading, for one warning about all of them.
class Unreadable {
 public:
  void add(const std::string& surface) {
    ++count_;
    if (named_.size() <= kNamedInWarning && std::find(named_.begin(), named_.end(), surface) == named_.end()) {
      named_.push_back(surface);
    }
  }

  bool any() const { return count_ > 0; }

  std::string warning(Rules rules) const {
    std::string names;
    for (std::size_t i = 0; i < std::min(named_.size(), kNamedInWarning); ++i) {
      names += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", named_[i]);
    }
    if (named_.size() > kNamedInWarning) names += " and others";
    return fmt::format("No reading is known for {} ({} {}); {}.", names, count_, count_ == 1 ? "place" : "places",
                       rules == Rules::kSbv2 ? "a short pause is spoken instead" : "skipped");
  }

 private:
  std::vector<std::string> named_;
  std::size_t count_ = 0;
};

// The katakana of one word, or marks.
std::string kana_of(const std::string& pron, const std::string& surface, Rules rules, Unreadable& unreadable) {
  std::string kana = njd::without_devoicing(pron);
  const auto characters = to_u32(surface);
  if (kana == "？" && surface == "?") return surface;
  if (kana == "、" && only_punctuation(characters)) return surface;
  if (kana != "、" && kana != "？" && only_katakana(kana)) return kana;
  unreadable.add(surface);
  return rules == Rules::kSbv2 ? std::string(characters.size(), '\'') : std::string();
}

// The models have no phones for クヮ and グヮ.
void simplify(std::string& phone) {
  if (phone == "kw" || phone == "gw") phone.pop_back();
}

bool can_be_lengthened(const std::string& phone) {
  constexpr std::string_view kLong = "aiueoN";
  return phone.size() == 1 && kLong.find(phone.front()) != std::string_view::npos;
}

// The phones of one word behind the phone `before` ("" at the beginning of the text).
std::vector<std::string> phones_of(const std::string& kana, const std::string& before) {
  auto phones = kana_to_phones(kana);
  for (std::size_t i = 0; i < phones.size(); ++i) {
    simplify(phones[i]);
    if (phones[i] != kLongVowel) continue;
    if (i > 0) {
      phones[i] = phones[i - 1].substr(phones[i - 1].size() - 1);
    } else {
      phones[i] = can_be_lengthened(before) ? before : "-";
    }
  }
  return phones;
}

void add_word(const njd::Morpheme& word, Rules rules, Analysis& analysis, std::vector<WordShare>& shares,
              Unreadable& unreadable) {
  analysis.njd.push_back({word.string, word.pos, word.read, word.pron, word.acc, word.mora_size, word.chain_flag});
  std::string surface = replace_marks_and_drop(word.string);
  std::string kana = kana_of(word.pron, surface, rules, unreadable);
  auto phones = phones_of(kana, analysis.phones.empty() ? std::string() : analysis.phones.back());
  shares.push_back({static_cast<int>(phones.size()), static_cast<int>(to_u32(surface).size())});
  std::move(phones.begin(), phones.end(), std::back_inserter(analysis.phones));
  analysis.bert_text += surface;
  analysis.sep_text.push_back(std::move(surface));
  analysis.sep_kata.push_back(std::move(kana));
}

void add_ends(Analysis& analysis) {
  analysis.phones.insert(analysis.phones.begin(), "_");
  analysis.phones.emplace_back("_");
  analysis.tones.insert(analysis.tones.begin(), 0);
  analysis.tones.push_back(0);
}

}  // namespace

void words_to_phones(const njd::Morphemes& words, Rules rules, Analysis& analysis) {
  std::vector<WordShare> shares;
  Unreadable unreadable;
  for (const njd::Morpheme& word : words) add_word(word, rules, analysis, shares, unreadable);
  analysis.word2ph = share_phones(shares);

  bool mismatched = false;
  analysis.tones = align_tones(analysis.phones, njd::make_tones(njd::make_phrases(words)), &mismatched);
  add_ends(analysis);

  analysis.unreadable = unreadable.any();
  if (unreadable.any()) analysis.warnings.push_back(unreadable.warning(rules));
  if (mismatched) analysis.warnings.emplace_back("Some phones have no accent and are spoken low.");
}

}  // namespace hayakoe::text
