// SPDX-License-Identifier: Apache-2.0
#include "engine/sentence.hpp"

#include <algorithm>

#include "engine/options.hpp"
#include "text/given_phones.hpp"
#include "text/kana.hpp"
#include "text/natural/rewrite.hpp"
#include "text/normalize.hpp"
#include "text/split.hpp"
#include "text/symbols.hpp"
#include "text/unicode.hpp"

namespace hayakoe::engine {
namespace {

bool is_resting_place(char32_t c) {
  return std::u32string_view(U"、，,・；;：:").find(c) != std::u32string_view::npos || text::is_space(c);
}

bool is_hiragana(char32_t c) { return c >= U'ぁ' && c <= U'ゖ'; }

// Where the long piece that begins at `from` is cut: behind the last resting place, else before the last phrase that
// begins there, else anywhere.
size_t cut_position(std::u32string_view all, size_t from, size_t limit) {
  const size_t latest = from + limit;
  const size_t earliest = from + limit / 2;
  for (size_t at = latest; at > earliest; --at) {
    if (is_resting_place(all[at - 1])) return at;
  }
  for (size_t at = latest; at > earliest; --at) {
    if (is_hiragana(all[at - 1]) && !is_hiragana(all[at]) && text::is_word_character(all[at]) && all[at] != U'ー')
      return at;
  }
  return latest;
}

// Cuts one long piece. Linear: every character is looked at once or twice.
void append_bounded(const std::string& piece, std::vector<std::string>& out) {
  constexpr auto kLimit = static_cast<size_t>(kLongestPiece);
  // A character has at least one byte: short pieces need no decoding.
  if (piece.size() <= kLimit) {
    out.push_back(piece);
    return;
  }
  const std::u32string all = text::to_u32(piece);
  size_t from = 0;
  while (all.size() - from > kLimit) {
    const size_t cut = cut_position(all, from, kLimit);
    out.push_back(text::to_utf8(std::u32string_view(all).substr(from, cut - from)));
    from = cut;
  }
  if (from < all.size()) out.push_back(from == 0 ? piece : text::to_utf8(std::u32string_view(all).substr(from)));
}

}  // namespace

std::vector<std::string> pieces_of(std::string_view text, bool split, text::Rules rules) {
  std::vector<std::string> sentences;
  if (split) sentences = text::split_sentences(text, rules);
  if (sentences.size() < 2) sentences = {std::string(text)};
  std::vector<std::string> pieces;
  for (const std::string& s : sentences) append_bounded(s, pieces);
  return pieces;
}

std::vector<Piece> pieces_of(const std::vector<text::Span>& spans, bool split, text::Rules rules) {
  std::vector<Piece> pieces;
  for (const text::Span& span : spans) {
    const size_t first = pieces.size();
    for (std::string& text : pieces_of(span.text, split, rules))
      pieces.push_back({std::move(text), std::nullopt, span.rate, span.pitch});
    pieces[first].pause_before = span.pause_before;
  }
  return pieces;
}

Sentence make_sentence(std::string_view piece, int64_t index, const SpeakOptions& options,
                       const text::Frontend& frontend, const text::CharTokenizer& tokenizer, bool add_blank) {
  Sentence s;
  s.index = index;
  s.text = options.rules == TextRules::kNatural ? text::natural::without_readings(piece) : std::string(piece);
  s.analysis = frontend.analyze(piece, rules_of(options.rules));
  text::apply_given(s.analysis, options.phones ? &*options.phones : nullptr, options.tones ? &*options.tones : nullptr);
  s.ids = text::to_sequence(s.analysis.phones, s.analysis.tones, s.analysis.word2ph, add_blank);
  s.bert_ids = tokenizer.encode(s.analysis.bert_text);
  // One row a character is what word2ph counts on; where a vocabulary disagrees, the rest is cut or filled with the
  // end.
  s.bert_ids.resize(s.ids.word2ph.size(), s.bert_ids.back());
  return s;
}

bool is_speakable(const Sentence& s, text::Rules rules) {
  const auto& phones = s.analysis.phones;
  if (rules == text::Rules::kSbv2) return phones.size() > 2;
  return std::any_of(phones.begin(), phones.end(),
                     [](const std::string& p) { return p != "_" && !text::is_punctuation(p); });
}

SentenceTiming timing_of(const Sentence& s, const std::vector<int32_t>& frames, double start, double frame_seconds,
                         bool add_blank) {
  SentenceTiming t;
  t.text = s.text;
  t.begin = start;
  int64_t at = 0;
  size_t position = 0;
  const auto& phones = s.analysis.phones;
  std::vector<SoundTiming> all;
  for (size_t i = 0; i < phones.size(); ++i) {
    SoundTiming sound{phones[i], s.analysis.tones[i], start + static_cast<double>(at) * frame_seconds, 0.0};
    const size_t count = add_blank ? 2 : 1;
    for (size_t k = 0; k < count && position < frames.size(); ++k) at += frames[position++];
    sound.end = start + static_cast<double>(at) * frame_seconds;
    all.push_back(std::move(sound));
  }
  while (position < frames.size()) at += frames[position++];
  t.end = start + static_cast<double>(at) * frame_seconds;
  for (const text::MoraSpan& m : text::moras_of(phones)) {
    if (m.kana == "_") continue;
    const auto& first = all[static_cast<size_t>(m.first)];
    const auto& last = all[static_cast<size_t>(m.first + m.count - 1)];
    t.moras.push_back({m.kana, last.tone, first.begin, last.end});
  }
  std::erase_if(all, [](const SoundTiming& p) { return p.symbol == "_"; });
  t.phones = std::move(all);
  return t;
}

}  // namespace hayakoe::engine
