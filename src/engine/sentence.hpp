// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <hayakoe/hayakoe.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/frontend.hpp"
#include "text/markup.hpp"
#include "text/tokenizer.hpp"
#include "text/types.hpp"

namespace hayakoe::engine {

/// What is spoken in one breath, and how.
struct Piece {
  std::string text;
  std::optional<double> pause_before;  ///< seconds; nothing: as the request's options say
  double rate = 1.0;
  double pitch = 1.0;
};

/// A sentence with everything that the models take.
struct Sentence {
  int64_t index = 0;  ///< its place in the text; decides its noise
  std::string text;
  text::Analysis analysis;
  text::Sequence ids;  ///< blanks inserted if the voice wants them
  std::vector<int> bert_ids;
  std::optional<double> pause_before;  ///< seconds; nothing: as the request's options say
  double pitch = 1.0;
};

/// Cuts a text into what is spoken in one breath: sentences, or the whole. A piece over `kLongestPiece` characters is
/// cut again, at the last comma or space that leaves no less than half, else where a phrase begins (kanji or katakana
/// behind hiragana): attention grows with the square of the length, and a voice loses its rhythm long before.
std::vector<std::string> pieces_of(std::string_view text, bool split, text::Rules rules);

/// The same for spans: a span's pause stands before its first piece.
std::vector<Piece> pieces_of(const std::vector<text::Span>& spans, bool split, text::Rules rules);

/// Characters of the longest piece, about 40 seconds of speech; BERT has positions for 512.
inline constexpr int64_t kLongestPiece = 200;

/// Analyses a piece and makes its numbers. @throws Error only for given phones or tones that do not fit.
Sentence make_sentence(std::string_view piece, int64_t index, const SpeakOptions& options,
                       const text::Frontend& frontend, const text::CharTokenizer& tokenizer, bool add_blank);

/// True if there is something to say: any phone between the `_` at the ends, under kNatural not only marks.
bool is_speakable(const Sentence& s, text::Rules rules);

/// When each phone and mora of a sentence is heard. `frames`: one number a position, blanks included; a blank belongs
/// to the phone behind it. `start`: seconds from the start of the audio; `frame_seconds`: hop length / rate.
SentenceTiming timing_of(const Sentence& s, const std::vector<int32_t>& frames, double start, double frame_seconds,
                         bool add_blank);

}  // namespace hayakoe::engine
