// SPDX-License-Identifier: Apache-2.0
#include "text/lexicon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <hayakoe/error.hpp>
#include <unordered_map>

#include "text/njd/njd.hpp"
#include "text/njd/text2mecab.hpp"
#include "text/njd/words.hpp"
#include "text/normalize.hpp"
#include "text/unicode.hpp"
#include "text/user_words.hpp"

namespace hayakoe::text {
namespace {

// Plane 15, private use. Normalisation drops these from any text, so they only stand where they were put.
constexpr char32_t kFirstHidden = 0xF0000;
constexpr std::size_t kMaxHidden = 0xFFFE;

constexpr int kHiddenCost = -10000;  // nothing else begins with these characters
constexpr int kMaxCost = 8609;       // SBV2's cost
constexpr int kMinCost = -30000;
constexpr int kMargin = 1000;  // by how much a user word beats the dictionary's reading of its surface

std::u32string key_of(const UserWord& word) { return nfkc(to_u32(word.surface)); }

std::vector<UserWord> without_repeats(std::vector<UserWord> words) {
  std::unordered_map<std::u32string, std::size_t> index;
  std::vector<UserWord> unique;
  for (UserWord& word : words) {
    const auto [found, added] = index.try_emplace(key_of(word), unique.size());
    if (added) {
      unique.push_back(std::move(word));
    } else {
      unique[found->second] = std::move(word);
    }
  }
  return unique;
}

// True if normalisation never changes this surface, whatever stands around it.
bool is_plain(const std::u32string& surface) {
  const auto ascii_or_latin = [](char32_t c) { return c < 0x370; };
  if (std::any_of(surface.begin(), surface.end(), ascii_or_latin)) return false;
  const std::string utf8 = to_utf8(surface);
  return normalize(utf8, English::empty(), Rules::kNatural) == utf8;
}

njd::UserEntry natural_entry(const UserWord& word, std::string surface, int cost) {
  njd::UserEntry entry = sbv2_entry(word);
  entry.surface = std::move(surface);
  entry.cost = cost;
  entry.feature.pop_back();  // the rule `*`
  entry.feature += "P1";
  return entry;
}

}  // namespace

Lexicon::Lexicon(const std::filesystem::path& folder, std::vector<UserWord> words)
    : words_(without_repeats(std::move(words))), sbv2_(njd::Dictionary::open(folder)), natural_(sbv2_) {
  if (words_.empty()) return;
  std::vector<njd::UserEntry> sbv2_entries;
  std::vector<njd::UserEntry> natural_entries;
  std::vector<const UserWord*> plain;
  for (const UserWord& word : words_) {
    sbv2_entries.push_back(sbv2_entry(word));
    const std::u32string surface = key_of(word);
    if (strip(surface).empty()) continue;
    if (is_plain(surface)) {
      plain.push_back(&word);
    } else {
      natural_entries.push_back(hide(word, surface));
    }
  }
  for (auto& entry : plain_entries(plain)) natural_entries.push_back(std::move(entry));
  sbv2_ = njd::Dictionary::open(folder, sbv2_entries);
  natural_ = njd::Dictionary::open(folder, natural_entries);
}

std::vector<njd::UserEntry> Lexicon::plain_entries(const std::vector<const UserWord*>& words) {
  std::vector<njd::UserEntry> entries;
  for (const UserWord* word : words) entries.push_back(natural_entry(*word, to_utf8(key_of(*word)), 0));
  const auto costs = natural_->lone_word_costs(entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].cost = static_cast<int>(std::clamp<long>(costs[i] - kMargin, kMinCost, kMaxCost));
    plain_[entries[i].surface] = entries[i].feature;
  }
  return entries;
}

njd::UserEntry Lexicon::hide(const UserWord& word, const std::u32string& surface) {
  if (hidden_.size() == kMaxHidden) {
    throw Error(
        fmt::format("There are too many user words with Latin letters, digits or marks; at most {} are "
                    "possible.",
                    kMaxHidden));
  }
  Hidden hidden;
  hidden.norm_surface = replace_marks_and_drop(to_utf8(surface));
  if (hidden.norm_surface.empty()) hidden.norm_surface = word.reading;
  hidden.mecab_surface = njd::text2mecab(hidden.norm_surface);
  const auto id = hidden_.size();
  hidden_.push_back(std::move(hidden));
  matcher_.add(surface, static_cast<int>(id));
  return natural_entry(word, to_utf8(kFirstHidden + static_cast<char32_t>(id)), kHiddenCost);
}

njd::Morphemes Lexicon::analyze(std::string_view text, Rules rules, const English& english, std::string* norm_text,
                                std::vector<std::string>* warnings) const {
  njd::Morphemes words;
  if (rules == Rules::kSbv2) {
    *norm_text = normalize(text, english, rules, warnings);
    words = njd::make_words(sbv2_->analyze(njd::text2mecab(*norm_text)));
  } else {
    const std::string masked = normalize_natural(text, english, norm_text, warnings);
    words = njd::make_words(replace_known(natural_->analyze(njd::text2mecab(masked))));
  }
  njd::run_stages(words);
  unhide(words);
  return words;
}

// The normalised text with private-use characters; `norm_text` gets it with the surfaces themselves.
std::string Lexicon::normalize_natural(std::string_view text, const English& english, std::string* norm_text,
                                       std::vector<std::string>* warnings) const {
  if (matcher_.empty()) return *norm_text = normalize(text, english, Rules::kNatural, warnings);
  const std::u32string characters = nfkc(to_u32(text));
  std::string masked;
  norm_text->clear();
  const auto add_text = [&](std::size_t begin, std::size_t end) {
    if (begin == end) return;
    const auto piece = to_utf8(std::u32string_view(characters).substr(begin, end - begin));
    const auto normal = normalize(piece, english, Rules::kNatural, warnings);
    masked += normal;
    *norm_text += normal;
  };
  std::size_t done = 0;
  for (const auto& match : matcher_.find_all(characters)) {
    add_text(done, match.begin);
    append_utf8(masked, kFirstHidden + static_cast<char32_t>(match.id));
    *norm_text += hidden_[static_cast<std::size_t>(match.id)].norm_surface;
    done = match.begin + match.length;
  }
  add_text(done, characters.size());
  return masked;
}

// Puts a user word wherever dictionary words cover it exactly, the longest from each word on.
std::vector<njd::Node> Lexicon::replace_known(std::vector<njd::Node> nodes) const {
  if (plain_.empty()) return nodes;
  std::vector<njd::Node> result;
  result.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size();) {
    auto longest = plain_.end();
    std::size_t end = i + 1;
    std::string joined;
    for (std::size_t j = i; j < nodes.size(); ++j) {
      joined += nodes[j].surface;
      const auto found = plain_.lower_bound(joined);
      if (found == plain_.end() || !found->first.starts_with(joined)) break;
      if (found->first.size() > joined.size()) continue;
      longest = found;
      end = j + 1;
    }
    if (longest == plain_.end()) {
      result.push_back(std::move(nodes[i]));
    } else {
      result.push_back({longest->first, longest->second});
    }
    i = end;
  }
  return result;
}

void Lexicon::unhide(njd::Morphemes& words) const {
  if (hidden_.empty()) return;
  for (njd::Morpheme& word : words) {
    const auto characters = to_u32(word.string);
    if (characters.size() != 1 || characters[0] < kFirstHidden) continue;
    const std::size_t id = characters[0] - kFirstHidden;
    if (id < hidden_.size()) word.string = hidden_[id].mecab_surface;
  }
}

}  // namespace hayakoe::text
