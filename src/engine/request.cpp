// SPDX-License-Identifier: Apache-2.0
#include "engine/request.hpp"

#include <fmt/format.h>

#include <chrono>
#include <hayakoe/error.hpp>
#include <utility>

#include "engine/options.hpp"
#include "engine/pauses.hpp"
#include "text/unicode.hpp"

namespace hayakoe::engine {

using device::Segments;
using device::Tensor;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Adds the time of a scope to a figure.
class Timer {
 public:
  explicit Timer(double& total) : total_(total), start_(now()) {}
  ~Timer() { total_ += now() - start_; }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double& total_;
  double start_;
};

// What the noise is for; each kind has its own, so that none depends on what else is drawn.
enum class NoiseKind : uint64_t { kDuration = 1, kPause = 2, kLatent = 3 };

// Mixes the bits of a 64-bit number (the finaliser of SplitMix64, Steele, Lea, Flood 2014).
uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

uint64_t noise_key(uint64_t seed, NoiseKind kind, int64_t sentence) {
  const uint64_t a = mixed(seed + 0x9E3779B97F4A7C15U);
  return mixed(mixed(a + static_cast<uint64_t>(kind)) + static_cast<uint64_t>(sentence));
}

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

// The segments of a batch for the text encoder: every sentence, then every joined pair.
struct EncoderInput {
  std::vector<const text::Sequence*> sequences;
  std::vector<std::vector<int32_t>> bert_row;
  std::vector<int64_t> lengths;

  void add(const text::Sequence& ids, std::vector<int32_t> rows) {
    sequences.push_back(&ids);
    lengths.push_back(static_cast<int64_t>(ids.phone_ids.size()));
    bert_row.push_back(std::move(rows));
  }
};

// The longest piece at the slowest speed has about half of this; broken weights must not ask for endless memory.
void check_length(int64_t frames, const std::filesystem::path& weights) {
  constexpr int64_t kMostFrames = 1 << 16;
  if (frames <= kMostFrames) return;
  throw Error(
      fmt::format("{}: the voice wants {} frames for one sentence, more than the {} that are possible; its duration "
                  "predictor's weights seem to be broken",
                  weights.string(), frames, kMostFrames));
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
  const auto styles = network_->styles.rows();
  const int64_t style = find_id(files.config.style2id, options.style, styles, "style", name);
  const auto& speakers = files.config.spk2id;
  const int64_t speaker = options.speaker.empty()
                              ? 0
                              : find_id(speakers, options.speaker, network_->synthesizer.speakers(), "speaker", name);
  condition_ =
      network_->synthesizer.condition(*stream_, speaker, network_->styles.slice_rows(0, 1),
                                      network_->styles.slice_rows(style, 1), static_cast<float>(options.style_weight));
  const Timer timer(stats_.text_seconds);
  const bool given = options.phones.has_value() || options.tones.has_value();
  if (given) check_given_text(text);
  pieces_ = given ? std::vector<std::string>{std::string(text)} : pieces_of(text, options.split, rules_);
}

std::optional<Audio> Request::next() {
  while (decoded_.empty()) {
    if (!encoded_.empty()) {
      decode_some();
      continue;
    }
    std::vector<Sentence> sentences = next_sentences();
    if (sentences.empty()) {
      // Nothing to say in the whole text: a short silence, so that a caller always gets a valid file.
      if (samples_out_ > 0 || silence_delivered_) return std::nullopt;
      return silence();
    }
    encode_batch(std::move(sentences));
  }
  Decoded first = std::move(decoded_.front());
  decoded_.pop_front();
  return deliver(std::move(first));
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
    const std::string& piece = pieces_[next_piece_];
    // A piece has at most a row a character and two more; bytes say no less.
    if (!sentences.empty() && rows + static_cast<int64_t>(piece.size()) / 3 > most_rows) break;
    Sentence s = make_sentence(piece, static_cast<int64_t>(next_piece_), options_, voice_.shared().frontend,
                               network_->bert->tokenizer, voice_.files().config.add_blank);
    ++next_piece_;
    warnings_.insert(warnings_.end(), s.analysis.warnings.begin(), s.analysis.warnings.end());
    if (!is_speakable(s, rules_)) continue;
    rows += static_cast<int64_t>(s.bert_ids.size());
    sentences.push_back(std::move(s));
  }
  return sentences;
}

Tensor Request::bert_features(const std::vector<Sentence>& sentences, const Tensor& ids) {
  const Timer timer(stats_.bert_seconds);
  std::vector<int64_t> lengths;
  lengths.reserve(sentences.size() + 1);
  for (const Sentence& s : sentences) lengths.push_back(static_cast<int64_t>(s.bert_ids.size()));
  int64_t rows = 0;
  for (const int64_t n : lengths) rows += n;
  // The assist text, if any, is one more segment of the first batch.
  if (ids.rows() > rows) lengths.push_back(ids.rows() - rows);

  Tensor features = network_->bert->model.forward(*stream_, ids, Segments::of_lengths(lengths));
  ++stats_.bert_forwards;
  stats_.bert_rows += ids.rows();
  if (ids.rows() > rows) assist_mean_ = stream_->mean_rows(features.slice_rows(rows, ids.rows() - rows));
  features = features.slice_rows(0, rows);
  if (!assist_mean_.empty())
    stream_->mix_row_in_place(features, assist_mean_, static_cast<float>(options_.assist_weight));
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
  const bool predict_pauses = options_.pause.mode == PauseOptions::Mode::kPredicted;
  const size_t count = sentences.size();

  // Rows of BERT's features: those of the sentence before this batch, then this batch's.
  std::vector<int32_t> first_row;
  int32_t rows = last_sentence_ && predict_pauses ? static_cast<int32_t>(last_features_.rows()) : 0;
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

  EncoderInput input;
  for (size_t i = 0; i < count; ++i) input.add(sentences[i].ids, bert_rows(sentences[i].ids.word2ph, first_row[i]));
  for (Joined& j : joined) input.add(j.ids, std::move(j.bert_row));
  const Segments segments = Segments::of_lengths(input.lengths);

  // One upload: token ids, then the four columns of the text encoder.
  IntegerUpload upload;
  for (const Sentence& s : sentences) upload.add(s.bert_ids);
  if (!options_.assist_text.empty() && assist_mean_.empty()) {
    upload.add(assist_ids());
  }
  const int64_t token_rows = upload.size();
  for (const auto* ids : input.sequences) upload.add(ids->phone_ids);
  for (const auto* ids : input.sequences) upload.add(ids->tone_ids);
  for (const auto* ids : input.sequences) upload.add(ids->language_ids);
  for (const auto& r : input.bert_row) upload.add(r);
  const Tensor integers = upload.send(*stream_);

  const Tensor features = bert_features(sentences, integers.slice_rows(0, token_rows));

  const Timer timer(stats_.encoder_seconds);
  const auto column = [&](int64_t n) { return integers.slice_rows(token_rows + n * segments.rows(), segments.rows()); };
  const model::PhoneRows phone_rows{column(0), column(1), column(2), column(3), segments};
  const Tensor table = carried ? stream_->concat_rows(last_features_, features) : features;
  const model::TextEncoding encoding = network_->synthesizer.encode(*stream_, phone_rows, table, condition_);

  std::vector<uint64_t> keys;
  keys.reserve(count + joined.size());
  for (const Sentence& s : sentences) keys.push_back(noise_key(options_.seed, NoiseKind::kDuration, s.index));
  for (size_t i = 0; i < joined.size(); ++i) {
    const Sentence& right = sentences[count - joined.size() + i];
    keys.push_back(noise_key(options_.seed, NoiseKind::kPause, right.index));
  }
  const model::DurationOptions duration_options{static_cast<float>(options_.sdp_ratio),
                                                static_cast<float>(options_.noise_w),
                                                static_cast<float>(1.0 / options_.speed)};
  const Tensor noise = options_.sdp_ratio != 0.0 ? stream_->normal(segments, 2, keys) : Tensor();
  const Tensor durations =
      network_->synthesizer.durations(*stream_, encoding.x, segments, condition_, noise, duration_options);
  std::vector<int32_t> frames(static_cast<size_t>(segments.rows()));
  stream_->download(durations, std::span<int32_t>(frames));

  const double frame_seconds =
      static_cast<double>(voice_.files().config.hop_length) / static_cast<double>(voice_.files().config.sampling_rate);
  const auto pause_before = [&](size_t i) {  // seconds
    if (options_.pause.mode == PauseOptions::Mode::kFixed) return options_.pause.seconds;
    if (!predict_pauses || joined.size() + i < count) return 0.0;
    const size_t which = joined.size() + i - count;
    const int64_t begin = segments.begin(static_cast<int64_t>(count + which));
    int64_t total = 0;
    for (size_t p = joined[which].boundary_begin; p < joined[which].boundary_end; ++p)
      total += frames[static_cast<size_t>(begin) + p];
    return std::max(static_cast<double>(total) * frame_seconds, options_.pause.minimum);
  };

  if (predict_pauses) {
    last_features_ = features.slice_rows(features.rows() - static_cast<int64_t>(sentences.back().bert_ids.size()),
                                         static_cast<int64_t>(sentences.back().bert_ids.size()));
  }
  last_sentence_ = sentences.back();
  batch_encoding_ = encoding;
  batch_durations_ = durations;
  for (size_t i = 0; i < count; ++i) {
    const int64_t begin = segments.begin(static_cast<int64_t>(i));
    const int64_t length = segments.length(static_cast<int64_t>(i));
    Encoded e;
    e.pause_before = pause_before(i);
    e.frames.assign(frames.begin() + begin, frames.begin() + begin + length);
    for (const int32_t f : e.frames) e.total_frames += f;
    check_length(e.total_frames, voice_.files().weights.path());
    e.sentence = std::move(sentences[i]);
    e.first_row = begin;
    e.rows = length;
    encoded_.push_back(std::move(e));
  }
}

void Request::decode_some() {
  // Sentences that stand behind one another go together as long as they are short.
  const int64_t limit = delivery_ == Delivery::kStream ? 0 : voice_.shared().device->decode_frames();
  size_t count = 0;
  int64_t frames = 0;
  while (count < encoded_.size() && (count == 0 || frames + encoded_[count].total_frames <= limit))
    frames += encoded_[count++].total_frames;

  std::vector<int64_t> lengths;
  std::vector<uint64_t> keys;
  int64_t phone_rows = 0;
  for (size_t i = 0; i < count; ++i) {
    lengths.push_back(encoded_[i].total_frames);
    keys.push_back(noise_key(options_.seed, NoiseKind::kLatent, encoded_[i].sentence.index));
    phone_rows += encoded_[i].rows;
  }
  const Segments segments = Segments::of_lengths(lengths);

  Tensor z;
  {
    const Timer timer(stats_.flow_seconds);
    const int64_t first = encoded_.front().first_row;
    const auto rows = [&](const Tensor& of_batch) { return of_batch.slice_rows(first, phone_rows); };
    const model::TextEncoding text{rows(batch_encoding_.x), rows(batch_encoding_.m_p), rows(batch_encoding_.logs_p)};
    const Tensor frame_row = stream_->repeated_index(rows(batch_durations_), frames);
    const Tensor noise = stream_->normal(segments, text.m_p.cols(), keys);
    z = network_->synthesizer.latent(*stream_, text, frame_row, segments, condition_, noise,
                                     static_cast<float>(options_.noise));
  }
  const Timer timer(stats_.decoder_seconds);
  const Tensor samples = network_->synthesizer.decode(*stream_, z, segments, condition_);
  std::vector<float> all(static_cast<size_t>(samples.rows()));
  stream_->download(samples, std::span<float>(all));

  const int64_t hop = voice_.files().config.hop_length;
  for (size_t i = 0; i < count; ++i) {
    Encoded& e = encoded_[i];
    const auto begin = all.begin() + segments.begin(static_cast<int64_t>(i)) * hop;
    decoded_.push_back(
        {std::move(e.sentence), std::move(e.frames), e.pause_before, {begin, begin + e.total_frames * hop}});
  }
  encoded_.erase(encoded_.begin(), encoded_.begin() + static_cast<std::ptrdiff_t>(count));
}

Audio Request::deliver(Decoded d) {
  const auto& config = voice_.files().config;
  const int rate = static_cast<int>(config.sampling_rate);
  Audio audio;
  audio.sample_rate = rate;
  audio.sentences_total = sentences_total();
  audio.warnings = std::exchange(warnings_, {});
  if (stats_.sentences > 0) {
    audio.samples.resize(static_cast<size_t>(gap_samples(d.pause_before, trailing_silence_, rate)), 0.0F);
  }
  const double start = static_cast<double>(samples_out_ + static_cast<int64_t>(audio.samples.size())) / rate;
  trailing_silence_ = trailing_silence(d.samples, rate);
  audio.samples.insert(audio.samples.end(), d.samples.begin(), d.samples.end());
  audio.sentences.push_back(
      timing_of(d.sentence, d.frames, start, static_cast<double>(config.hop_length) / rate, config.add_blank));
  samples_out_ += static_cast<int64_t>(audio.samples.size());
  ++stats_.sentences;
  audio.stats = stats();
  return audio;
}

Audio Request::silence() {
  constexpr double kSeconds = 0.2;
  silence_delivered_ = true;
  Audio audio;
  audio.sample_rate = static_cast<int>(voice_.files().config.sampling_rate);
  audio.samples.resize(static_cast<size_t>(audio.sample_rate * kSeconds), 0.0F);
  audio.sentences_total = sentences_total();
  audio.warnings = std::exchange(warnings_, {});
  samples_out_ += static_cast<int64_t>(audio.samples.size());
  audio.stats = stats();
  return audio;
}

Stats Request::stats() const {
  Stats s = stats_;
  const device::Transfers t = stream_->transfers();
  s.uploads = t.uploads;
  s.upload_bytes = t.upload_bytes;
  s.downloads = t.downloads;
  s.download_bytes = t.download_bytes;
  s.arena_bytes = stream_->arena_bytes();
  s.total_seconds = now() - started_;
  s.audio_seconds = static_cast<double>(samples_out_) / static_cast<double>(voice_.files().config.sampling_rate);
  return s;
}

}  // namespace hayakoe::engine
