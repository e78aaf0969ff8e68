// SPDX-License-Identifier: Apache-2.0
#include "text/lexicon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <hayakoe/error.hpp>
#include <unordered_map>
#include <unordered_set>

#include "text/built_in_words.hpp"
#include "text/homographs.hpp"
#include "text/natural/rewrite.hpp"
#include "text/njd/njd.hpp"
#include "text/njd/pronunciation.hpp"
#include "text/njd/repairs.hpp"
#include "text/njd/text2mecab.hpp"
#include "text/njd/words.hpp"
#include "text/normalize.hpp"
#include "text/unicode.hpp"
#include "text/user_words.hpp"

namespace hayakoe::text {
namespace {

constexpr std::size_t kMaxHidden = natural::kLastUserWord - natural::kFirstUserWord + 1;

constexpr int kHiddenCost = -10000;  // nothing else begins with these characters
constexpr int kMaxCost = 8609;       // SBV2's cost
constexpr int kMinCost = -30000;
constexpr int kStep = 200;  // cost of one step of priority

// A text as user words are looked for in it.
std::u32string searchable(std::u32string_view text) {
  natural::Draft draft{std::u32string(text)};
  natural::expand_characters(draft);
  return nfkc(draft.text);
}

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

// True if no rule ever changes this surface, whatever stands around it.
bool is_plain(const std::u32string& surface) { return std::all_of(surface.begin(), surface.end(), is_word_character); }

njd::UserEntry natural_entry(const UserWord& word, std::string surface, int cost) {
  njd::UserEntry entry = sbv2_entry(word);
  entry.surface = std::move(surface);
  entry.cost = cost;
  entry.feature.pop_back();  // the rule `*`
  entry.feature += "P1";
  return entry;
}

// Gives `entry` the part of speech, inflection and context of a dictionary word; reading and accent stay.
void become_like(const njd::UserEntry& model, njd::UserEntry& entry) {
  constexpr int kGrammarFields = 6;  // part of speech, three subdivisions, kind and form of inflection
  const auto after = [](std::string_view feature) {
    std::size_t at = 0;
    for (int i = 0; i < kGrammarFields && at != std::string_view::npos; ++i)
      at = feature.find(',', at + (i > 0 ? 1 : 0));
    return std::min(at, feature.size());
  };
  if (model.feature.empty()) return;
  entry.feature = model.feature.substr(0, after(model.feature)) + entry.feature.substr(after(entry.feature));
  entry.context_id = model.context_id;
}

// The entry that stands for every Given.
njd::UserEntry any_given_entry() { return natural_entry({"", "ア", 0}, to_utf8(natural::kAnyGiven), kHiddenCost); }

std::string feature_of(const natural::Given& given) {
  std::string feature = natural_entry({"", given.reading, given.accent}, "", 0).feature;
  if (given.phrase == natural::Given::Phrase::kBegins) feature += ",0";
  return feature;
}

}  // namespace

Lexicon::Lexicon(const std::filesystem::path& folder, std::vector<UserWord> words)
    : words_(without_repeats(std::move(words))), sbv2_(njd::Dictionary::open(folder)), natural_(sbv2_) {
  std::vector<njd::UserEntry> sbv2_entries;
  std::vector<njd::UserEntry> natural_entries{any_given_entry()};
  add_built_in(natural_entries);
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
  add_plain(plain, natural_entries);
  if (!sbv2_entries.empty()) sbv2_ = njd::Dictionary::open(folder, sbv2_entries);
  natural_ = njd::Dictionary::open(folder, natural_entries);
}

// Gives an entry the cost of its priority, measured from what the dictionary itself would read. The highest also wins
// wherever the dictionary cuts there.
void Lexicon::set_priority(njd::UserEntry& entry, int priority) {
  constexpr int kEven = 5;
  const long even = sbv2_->lone_word_costs({&entry, 1}).front();
  entry.cost = static_cast<int>(std::clamp<long>(even + (kEven - priority) * kStep, kMinCost, kMaxCost));
  plain_.erase(entry.surface);
  if (priority == kHighestPriority) plain_[entry.surface] = entry.feature;
}

void Lexicon::add_built_in(std::vector<njd::UserEntry>& entries) {
  std::unordered_set<std::u32string> users;
  for (const UserWord& word : words_) users.insert(key_of(word));
  for (const BuiltInWord& word : built_in_words()) {
    const std::u32string surface = key_of(word);
    if (users.contains(surface)) continue;
    if (!is_plain(surface)) {
      entries.push_back(hide(word, surface));
      continue;
    }
    njd::UserEntry entry = natural_entry(word, word.surface, 0);
    if (!word.like.empty()) become_like(sbv2_->entry_like(word.like), entry);
    set_priority(entry, word.priority);
    entries.push_back(std::move(entry));
  }
}

void Lexicon::add_plain(const std::vector<const UserWord*>& words, std::vector<njd::UserEntry>& entries) {
  for (const UserWord* word : words) {
    const std::string surface = to_utf8(key_of(*word));
    entries.push_back(natural_entry(*word, surface, 0));
    set_priority(entries.back(), word->priority);
  }
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
  return natural_entry(word, to_utf8(natural::kFirstUserWord + static_cast<char32_t>(id)), kHiddenCost);
}

njd::Morphemes Lexicon::analyze(std::string_view text, Rules rules, const English& english, std::string* norm_text,
                                std::vector<std::string>* warnings) const {
  njd::Morphemes words;
  if (rules == Rules::kSbv2) {
    *norm_text = normalize(text, english, warnings);
    words = njd::make_words(sbv2_->analyze(njd::text2mecab(*norm_text)));
  } else {
    const natural::Draft draft = make_natural(text, english, warnings);
    *norm_text = readable(draft);
    std::vector<njd::Node> nodes = analyze_draft(draft);
    read_homographs(nodes);
    njd::flatten_onomatopoeia(nodes);
    words = njd::make_words(nodes);
  }
  njd::run_stages(words);
  unhide(words);
  return words;
}

void Lexicon::hide_user_words(std::u32string& text) const {
  if (matcher_.empty()) return;
  std::u32string out;
  std::size_t done = 0;
  for (const auto& match : matcher_.find_all(text)) {
    out.append(text, done, match.begin - done);
    out += natural::kFirstUserWord + static_cast<char32_t>(match.id);
    done = match.begin + match.length;
  }
  out.append(text, done);
  text = std::move(out);
}

// The nucleus of a text that is one accent phrase and read so by the dictionary.
int Lexicon::accent_of(const std::string& surface, std::string_view reading) const {
  njd::Morphemes words = njd::make_words(replace_known(natural_->analyze(njd::text2mecab(surface)), {}));
  njd::run_stages(words);
  std::string known;
  int phrases = 0;
  for (const njd::Morpheme& word : words) {
    known += word.pron;
    phrases += word.chain_flag == 1 ? 0 : 1;
  }
  return phrases == 1 && njd::without_devoicing(known) == reading ? words.front().acc : 0;
}

natural::Draft Lexicon::make_natural(std::string_view text, const English& english,
                                     std::vector<std::string>* warnings) const {
  natural::Draft draft = natural::make_draft(text, warnings);
  natural::read_ruby(draft, [this](std::u32string_view surface, std::string_view reading) {
    return accent_of(to_utf8(surface), reading);
  });
  draft.text = searchable(draft.text);
  hide_user_words(draft.text);
  natural::rewrite(draft, english);
  draft.text = keep_readable(draft.text, warnings);
  return draft;
}

// The draft as a person would read it.
std::string Lexicon::readable(const natural::Draft& draft) const {
  std::string out;
  for (const char32_t c : draft.text) {
    if (c == natural::kBoundary) continue;
    if (natural::is_given(c)) {
      out += to_utf8(draft.given(c).surface);
    } else if (natural::is_ours(c)) {
      out += hidden_[c - natural::kFirstUserWord].norm_surface;
    } else {
      append_utf8(out, c);
    }
  }
  return out;
}

std::vector<njd::Node> Lexicon::analyze_draft(const natural::Draft& draft) const {
  std::string masked;
  std::vector<std::size_t> boundaries;
  std::vector<const natural::Given*> given;
  for (const char32_t c : draft.text) {
    if (c == natural::kBoundary) {
      if (boundaries.empty() || boundaries.back() != masked.size()) boundaries.push_back(masked.size());
    } else if (natural::is_given(c)) {
      given.push_back(&draft.given(c));
      append_utf8(masked, natural::kAnyGiven);
    } else {
      masked += njd::text2mecab(to_utf8(c));
    }
  }
  std::vector<njd::Node> nodes = natural_->analyze(masked, boundaries);
  if (njd::add_name_boundaries(nodes, boundaries)) nodes = natural_->analyze(masked, boundaries);
  nodes = replace_known(std::move(nodes), boundaries);
  auto next = given.begin();
  for (njd::Node& node : nodes) {
    if (node.surface != to_utf8(natural::kAnyGiven)) continue;
    node = {njd::text2mecab(to_utf8((*next)->surface)), feature_of(**next)};
    ++next;
  }
  return nodes;
}

// Puts a word of ours wherever dictionary words cover it exactly, the longest from each word on, but across no
// boundary.
std::vector<njd::Node> Lexicon::replace_known(std::vector<njd::Node> nodes,
                                              std::span<const std::size_t> boundaries) const {
  std::vector<njd::Node> result;
  result.reserve(nodes.size());
  std::size_t offset = 0;
  for (std::size_t i = 0; i < nodes.size();) {
    auto longest = plain_.end();
    std::size_t end = i + 1;
    std::string joined;
    for (std::size_t j = i; j < nodes.size(); ++j) {
      if (j > i && std::binary_search(boundaries.begin(), boundaries.end(), offset + joined.size())) break;
      joined += nodes[j].surface;
      const auto found = plain_.lower_bound(joined);
      if (found == plain_.end() || !found->first.starts_with(joined)) break;
      if (found->first.size() > joined.size()) continue;
      longest = found;
      end = j + 1;
    }
    for (std::size_t j = i; j < end; ++j) offset += nodes[j].surface.size();
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
    if (characters.size() != 1 || characters[0] < natural::kFirstUserWord) continue;
    const std::size_t id = characters[0] - natural::kFirstUserWord;
    if (id < hidden_.size()) word.string = hidden_[id].mecab_surface;
  }
}

}  // namespace hayakoe::text
