// SPDX-License-Identifier: Apache-2.0
#include "engine/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <hayakoe/error.hpp>
#include <utility>

#include "engine/options.hpp"
#include "engine/request_parts.hpp"
#include "text/emoji.hpp"
#include "text/unicode.hpp"

namespace hayakoe::engine {

using device::Segments;
using device::Tensor;

namespace {

// All integers of a batch, gathered on the host and sent in one copy.
class IntegerUpload {
 public:
  template <typename T>
  void add(const std::vector<T>& values) {
    all_.insert(all_.end(), values.begin(), values.end());
  }
  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(all_.size()); }
  [[nodiscard]] Tensor send(device::Stream& s) const { return s.upload(std::span<const int32_t>(all_)); }

 private:
  std::vector<int32_t> all_;
};

// Puts a segment behind the others.
void add_segment(const text::Sequence& ids, std::vector<int32_t> rows, SpeechBatch& batch) {
  batch.sequences.push_back(&ids);
  batch.bert_row.push_back(std::move(rows));
}

Segments segments_of(const SpeechBatch& batch) {
  std::vector<int64_t> lengths;
  for (const text::Sequence* ids : batch.sequences) lengths.push_back(static_cast<int64_t>(ids->phone_ids.size()));
  return Segments::of_lengths(lengths);
}

// One upload: token ids, which it returns, then the four columns of the text encoder.
Tensor upload_integers(device::Stream& stream, const std::vector<std::vector<int>>& tokens, SpeechBatch& batch) {
  IntegerUpload upload;
  for (const auto& ids : tokens) upload.add(ids);
  const int64_t token_rows = upload.size();
  for (const auto* ids : batch.sequences) upload.add(ids->phone_ids);
  for (const auto* ids : batch.sequences) upload.add(ids->tone_ids);
  for (const auto* ids : batch.sequences) upload.add(ids->language_ids);
  for (const auto& r : batch.bert_row) upload.add(r);
  const Tensor integers = upload.send(stream);
  batch.columns = integers.slice_rows(token_rows, 4 * batch.segments.rows());
  return integers.slice_rows(0, token_rows);
}

// The longest piece at the slowest speed has about half of this; broken weights must not ask for endless memory.
void check_length(int64_t frames, const std::filesystem::path& voice) {
  constexpr int64_t kMostFrames = 1 << 16;
  if (frames <= kMostFrames) return;
  throw Error(
      fmt::format("{}: the voice wants {} frames for one sentence, more than the {} that are possible; its duration "
                  "predictor's weights seem to be broken",
                  voice.string(), frames, kMostFrames));
}

// Given phones belong to the text as a whole, which therefore cannot be cut where it is long.
void check_given_text(std::string_view text) {
  constexpr size_t kMostCharacters = 500;
  const size_t characters = text::to_u32(text).size();
  if (characters > kMostCharacters) {
    throw Error(
        fmt::format("phones: the text has {} characters, and given phones or tones are for one sentence of up to {}",
                    characters, kMostCharacters));
  }
}

}  // namespace

Request::Request(const VoiceCore& voice, std::string_view text, const SpeakOptions& options, Delivery delivery)
    : voice_(voice),
      options_((check(options), options)),
      delivery_(delivery),
      network_(voice.network()),
      stream_(voice.shared().streams.lease()),
      rules_(rules_of(options.rules)),
      started_(now()) {
  const VoiceFiles& files = voice.files();
  const std::string& name = files.info.name;
  const int64_t styles = files.styles.shape[0];
  const int64_t style = find_id(files.config.style2id, options.style, styles, "style", name);
  const auto& speakers = files.config.spk2id;
  const int64_t speaker =
      options.speaker.empty() ? 0 : find_id(speakers, options.speaker, network_->voice->speakers(), "speaker", name);
  speech_ = network_->voice->speech(
      *stream_, {speaker, style, options.style_weight, options.sdp_ratio, options.noise, options.noise_w});
  if (delivery == Delivery::kStream) windowed_ = dynamic_cast<WindowedSpeech*>(speech_.get());
  if (!network_->warning.empty()) warnings_.push_back(network_->warning);
  const Timer timer(stats_.text_seconds);
  const bool given = options.phones.has_value() || options.tones.has_value();
  if (given) check_given_text(text);
  if (given) {
    pieces_.push_back({std::string(text), std::nullopt, 1.0, 1.0});
  } else {
    pieces_ = pieces_of_text(text);
  }
}

std::vector<Piece> Request::pieces_of_text(std::string_view text) const {
  std::vector<text::Span> spans;
  std::string named;
  if (options_.name_emoji) text = named = text::name_emoji(text);
  if (options_.ssml) {
    spans = text::parse_ssml(text, rules_);
  } else if (rules_ == text::Rules::kNatural) {
    spans = text::parse_pauses(text);
  } else {
    spans.push_back({std::string(text), std::nullopt, 1.0, 1.0});
  }
  std::vector<Piece> pieces = pieces_of(spans, options_.split, rules_);
  for (const Piece& piece : pieces) {
    const double speed = 1.0 / length_scale(piece);
    const bool marked = piece.rate != 1.0 || piece.pitch != 1.0;
    if (marked && (speed < 0.1 || speed > 10.0))
      throw Error(fmt::format("rate: speed, rate and pitch together make a speed of {:.3g}; use 0.1 to 10", speed));
  }
  return pieces;
}

// A pitched sentence is made longer by as much as its resampling shortens it.
double Request::length_scale(const Piece& piece) const { return piece.pitch / (options_.speed * piece.rate); }

std::optional<Audio> Request::next() {
  while (decoded_.empty()) {
    if (streamed_) return deliver_window();
    if (!encoded_.empty()) {
      if (windowed_ != nullptr && encoded_.front().sentence.pitch == 1.0) {
        begin_streamed();
      } else {
        decode_some();
      }
      continue;
    }
    std::vector<Sentence> sentences = next_sentences();
    if (sentences.empty()) {
      if (owed_pause_.value_or(0.0) > 0.0) return silence(*std::exchange(owed_pause_, std::nullopt));
      // Nothing to say in the whole text: a short silence, so that a caller always gets a valid file.
      constexpr double kSilence = 0.2;
      if (samples_out_ > 0 || silence_delivered_) return std::nullopt;
      return silence(kSilence);
    }
    encode_batch(std::move(sentences));
  }
  Decoded first = std::move(decoded_.front());
  decoded_.pop_front();
  return deliver(first);
}

std::vector<Sentence> Request::next_sentences() {
  const Timer timer(stats_.text_seconds);
  const bool first_of_stream = delivery_ == Delivery::kStream && !last_sentence_;
  const int64_t most_rows = first_of_stream                  ? 1
                            : delivery_ == Delivery::kStream ? kMostStreamedBertRows
                                                             : kMostBertRows;
  std::vector<Sentence> sentences;
  int64_t rows = 0;
  while (next_piece_ < pieces_.size() && rows < most_rows) {
    const Piece& piece = pieces_[next_piece_];
    // A piece has at most a row a character and two more; bytes say no less.
    if (!sentences.empty() && rows + static_cast<int64_t>(piece.text.size()) / 3 > most_rows) break;
    if (!sentences.empty() && length_scale(piece) != batch_length_scale_) break;
    batch_length_scale_ = length_scale(piece);
    const size_t before = sentences.size();
    add_sentence(piece, sentences);
    if (sentences.size() > before) rows += static_cast<int64_t>(sentences.back().bert_ids.size());
  }
  return sentences;
}

// Analyses the next piece. What has nothing to say leaves its pause to what follows.
void Request::add_sentence(const Piece& piece, std::vector<Sentence>& sentences) {
  Sentence s = make_sentence(piece.text, static_cast<int64_t>(next_piece_++), options_, voice_.shared().frontend,
                             network_->bert->tokenizer, voice_.files().config.add_blank);
  warnings_.insert(warnings_.end(), s.analysis.warnings.begin(), s.analysis.warnings.end());
  std::optional<double> pause = piece.pause_before;
  if (owed_pause_) pause = std::min(*owed_pause_ + pause.value_or(0.0), text::kLongestPause);
  const bool speakable = is_speakable(s, rules_);
  owed_pause_ = speakable ? std::nullopt : pause;
  if (!speakable) return;
  s.pause_before = pause;
  s.pitch = piece.pitch;
  sentences.push_back(std::move(s));
}

// True if BERT's features do not come to the device: BERT and voice are both ONNX models. Mixing with the features of
// an assist text is done on the device.
bool Request::features_stay_in_onnx() const {
  return network_->bert->is_onnx() && voice_.files().onnx && options_.assist_text.empty();
}

// The features of the sentences, one behind the other. What is behind the sentences in `sequences` is the assist text.
Features Request::bert_features(const std::vector<std::vector<int>>& sequences, size_t sentences, const Tensor& ids) {
  const Timer timer(stats_.bert_seconds);
  std::vector<int64_t> lengths;
  lengths.reserve(sequences.size());
  for (const auto& s : sequences) lengths.push_back(static_cast<int64_t>(s.size()));
  const Segments tokens = Segments::of_lengths(lengths);
  ++stats_.bert_forwards;
  stats_.bert_flops += network_->bert->flops(tokens);
  stats_.bert_rows += tokens.rows();
  if (features_stay_in_onnx()) return network_->bert->onnx_features(sequences);
  Tensor features = network_->bert->features(*stream_, ids, tokens, sequences);
  const int64_t rows = tokens.begin(static_cast<int64_t>(sentences));
  if (sequences.size() > sentences) assist_mean_ = stream_->mean_rows(features.slice_rows(rows, tokens.rows() - rows));
  features = features.slice_rows(0, rows);
  if (!assist_mean_.empty())
    stream_->mix_row_in_place(features, assist_mean_, static_cast<float>(options_.assist_weight));
  end_stage(*stream_);
  return features;
}

std::vector<int> Request::assist_ids() {
  const std::vector<std::string> pieces = pieces_of(options_.assist_text, false, rules_);
  if (pieces.size() > 1) warnings_.push_back("the assist text is long; only its beginning is used: " + pieces.front());
  SpeakOptions plain;
  plain.rules = options_.rules;
  return make_sentence(pieces.front(), 0, plain, voice_.shared().frontend, network_->bert->tokenizer, false).bert_ids;
}

void Request::encode_batch(std::vector<Sentence> sentences) {
  const bool add_blank = voice_.files().config.add_blank;
  const bool predict_pauses = options_.pause.mode == PauseOptions::Mode::kPredicted && speech_->predicts_durations();
  const size_t count = sentences.size();

  // Rows of BERT's features: those of the sentence before this batch, then this batch's.
  std::vector<int32_t> first_row;
  int32_t rows = last_sentence_ && predict_pauses ? static_cast<int32_t>(tokens_of(last_features_)) : 0;
  const bool carried = rows > 0;
  for (const Sentence& s : sentences) {
    first_row.push_back(rows);
    rows += static_cast<int32_t>(s.bert_ids.size());
  }

  std::vector<Joined> joined;
  joined.reserve(count);
  if (predict_pauses) {
    if (carried) joined.push_back(join(*last_sentence_, sentences[0], 0, first_row[0], add_blank));
    for (size_t i = 1; i < count; ++i)
      joined.push_back(join(sentences[i - 1], sentences[i], first_row[i - 1], first_row[i], add_blank));
  }

  SpeechBatch batch;
  for (size_t i = 0; i < count; ++i)
    add_segment(sentences[i].ids, bert_rows(sentences[i].ids.word2ph, first_row[i]), batch);
  for (Joined& j : joined) add_segment(j.ids, std::move(j.bert_row), batch);
  batch.sentences = count;
  batch.segments = segments_of(batch);
  batch.length_scale = batch_length_scale_;

  std::vector<std::vector<int>> tokens;
  tokens.reserve(count + 1);
  for (const Sentence& s : sentences) tokens.push_back(s.bert_ids);
  if (!options_.assist_text.empty() && assist_mean_.empty()) tokens.push_back(assist_ids());
  const Tensor ids = features_stay_in_onnx() ? Tensor() : upload_integers(*stream_, tokens, batch);

  const Features features = bert_features(tokens, count, ids);
  batch.features = carried ? join(*stream_, last_features_, features) : features;
  for (const Sentence& s : sentences) batch.keys.push_back(noise_key(options_.seed, NoiseKind::kDuration, s.index));
  for (size_t i = 0; i < joined.size(); ++i) {
    const Sentence& right = sentences[count - joined.size() + i];
    batch.keys.push_back(noise_key(options_.seed, NoiseKind::kPause, right.index));
  }
  const std::vector<int32_t> frames = speech_->durations(batch, stats_);

  if (predict_pauses) last_features_ = last_of(features, static_cast<int64_t>(sentences.back().bert_ids.size()));
  last_sentence_ = sentences.back();
  take_encoded(std::move(sentences), batch, joined, frames);
}

void Request::take_encoded(std::vector<Sentence> sentences, const SpeechBatch& batch, const std::vector<Joined>& joined,
                           const std::vector<int32_t>& frames) {
  const size_t count = sentences.size();
  const auto of_segment = [&](size_t i) {
    const auto segment = static_cast<int64_t>(i);
    return std::span(frames).subspan(static_cast<size_t>(batch.segments.begin(segment)),
                                     static_cast<size_t>(batch.segments.length(segment)));
  };
  const auto pause_before = [&](size_t i) {  // seconds
    if (sentences[i].pause_before) return *sentences[i].pause_before;
    if (options_.pause.mode == PauseOptions::Mode::kFixed) return options_.pause.seconds;
    if (options_.pause.mode == PauseOptions::Mode::kPredicted && !speech_->predicts_durations()) return kUsualPause;
    if (joined.size() + i < count) return 0.0;  // the first of the text, or no pauses are wanted
    const size_t which = joined.size() + i - count;
    return std::max(predicted_pause(joined[which], of_segment(count + which)), options_.pause.minimum);
  };
  for (size_t i = 0; i < count; ++i) {
    Encoded e;
    e.pause_before = pause_before(i);
    const auto own = of_segment(i);
    e.spoken = {i, noise_key(options_.seed, NoiseKind::kLatent, sentences[i].index), {own.begin(), own.end()}};
    for (const int32_t f : own) e.total_frames += f;
    check_length(e.total_frames, voice_.files().model_file());
    e.sentence = std::move(sentences[i]);
    encoded_.push_back(std::move(e));
  }
}

// Seconds of the marks at the boundary and the blanks around them.
double Request::predicted_pause(const Joined& joined, std::span<const int32_t> frames) const {
  int64_t total = 0;
  for (size_t p = joined.boundary_begin; p < joined.boundary_end; ++p) total += frames[p];
  const auto& config = voice_.files().config;
  return static_cast<double>(total) * static_cast<double>(config.hop_length) /
         static_cast<double>(config.sampling_rate);
}

}  // namespace hayakoe::engine
