// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string_view>
#include <vector>

#include "text/njd/accent.hpp"
#include "text/njd/tables.hpp"

namespace hayakoe::text::njd {
namespace {

constexpr std::string_view kMark = "’";

enum class State { kUndecided, kVoiced, kDevoiced };

struct VoicedMora {
  const Morpheme* word = nullptr;  // null: behind the end of the text
  std::string_view kana;
  State state = State::kUndecided;
  bool nucleus = false;
};

bool is_pause(const Morpheme& w) { return w.pron == "、" || w.pron == "？"; }

// The moras of one word, `first` being its index in the phrase; nothing if some kana is unknown.
std::optional<std::vector<VoicedMora>> split_moras(const Morpheme& word, int first, int accent) {
  std::vector<VoicedMora> moras;
  const auto add = [&](std::string_view kana, State state) {
    moras.push_back({&word, kana, state, accent == first + static_cast<int>(moras.size()) + 1});
  };
  if (is_pause(word)) {
    add(word.pron == "、" ? "、" : "？", State::kVoiced);
    return moras;
  }
  const PrefixIndex& index = Tables::get().devoicing_moras();
  for (std::string_view rest = word.pron; !rest.empty();) {
    const int number = index.find(rest);
    if (number < 0) return std::nullopt;
    const auto kana = index.key(number);
    rest.remove_prefix(kana.size());
    const bool marked = rest.starts_with(kMark);
    if (marked) rest.remove_prefix(kMark.size());
    add(kana, marked ? State::kDevoiced : State::kUndecided);
  }
  return moras;
}

State list_rule(const VoicedMora& mora, const VoicedMora& next) {
  if (next.word == nullptr) return State::kVoiced;
  const int devoiced = Tables::get().devoiced_before(mora.kana, next.kana);
  return devoiced < 0 ? State::kUndecided : devoiced == 1 ? State::kDevoiced : State::kVoiced;
}

// です and ます: the ス is voiced only before a question mark or a long vowel.
void decide_desu_masu(const VoicedMora& a, VoicedMora& b, const VoicedMora& c) {
  if ((a.kana != "マ" && a.kana != "デ") || b.kana != "ス" || a.word != b.word || b.word == c.word) return;
  if (b.word->pos != "動詞" && b.word->pos != "助動詞" && b.word->pos != "感動詞") return;
  const bool voiced = c.word != nullptr && (c.word->pron == "？" || c.word->pron == "ー");
  b.state = voiced ? State::kVoiced : State::kDevoiced;
}

// シ on its own (した, しか) goes before the mora in front of it.
void decide_shi(VoicedMora& a, VoicedMora& b, VoicedMora& c) {
  if (a.state == State::kDevoiced || b.state != State::kUndecided || c.state == State::kDevoiced) return;
  if (b.word == nullptr || b.word->pron != "シ") return;
  if (b.word->pos != "動詞" && b.word->pos != "助動詞" && b.word->pos != "助詞") return;
  b.state = b.nucleus ? State::kVoiced : list_rule(b, c);
  if (b.state != State::kDevoiced) return;
  if (a.state == State::kUndecided) a.state = State::kVoiced;
  if (c.state == State::kUndecided) c.state = State::kVoiced;
}

void decide(VoicedMora& a, VoicedMora& b, VoicedMora& c) {
  if (b.word != nullptr) decide_desu_masu(a, b, c);
  decide_shi(a, b, c);
  if (a.state == State::kUndecided) {
    const bool voiced = a.word->pos == "フィラー" || b.state == State::kDevoiced || a.nucleus;
    a.state = voiced ? State::kVoiced : list_rule(a, b);
  }
  if (a.state == State::kDevoiced && b.state == State::kUndecided) b.state = State::kVoiced;
}

void write_back(Morphemes& words, const std::vector<VoicedMora>& moras) {
  auto mora = moras.begin();
  for (Morpheme& word : words) {
    if (mora == moras.end() || mora->word != &word) {
      if (mora == moras.end()) return;
      continue;
    }
    word.pron.clear();
    for (; mora != moras.end() && mora->word == &word; ++mora) {
      word.pron += mora->kana;
      if (mora->state == State::kDevoiced) word.pron += kMark;
    }
  }
}

}  // namespace

void set_devoicing(Morphemes& words) {
  std::vector<VoicedMora> moras;
  int index = 0;
  int accent = 0;
  for (const Morpheme& word : words) {
    if (&word == &words.front() || word.chain_flag != 1) {
      index = 0;
      accent = word.acc;
    }
    const auto more = split_moras(word, index, accent);
    if (!more) break;
    index += static_cast<int>(more->size());
    moras.insert(moras.end(), more->begin(), more->end());
  }
  for (std::size_t i = 0; i < moras.size(); ++i) {
    VoicedMora none2;
    VoicedMora none3;
    decide(moras[i], i + 1 < moras.size() ? moras[i + 1] : none2, i + 2 < moras.size() ? moras[i + 2] : none3);
  }
  write_back(words, moras);
}

}  // namespace hayakoe::text::njd
