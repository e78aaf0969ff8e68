// SPDX-License-Identifier: Apache-2.0
// The second half of a request: from text encodings to samples, by groups of sentences or by windows of one.
#include <algorithm>
#include <utility>

#include "audio/resample.hpp"
#include "engine/options.hpp"
#include "engine/pauses.hpp"
#include "engine/request.hpp"
#include "engine/request_parts.hpp"
#include "model/flops.hpp"

namespace hayakoe::engine {

using device::Segments;
using device::Tensor;

// Latent frames of the first `count` encoded sentences.
Tensor Request::latent(size_t count, const Segments& segments) {
  const Timer timer(stats_.flow_seconds);
  std::vector<uint64_t> keys;
  int64_t phone_rows = 0;
  for (size_t i = 0; i < count; ++i) {
    keys.push_back(noise_key(options_.seed, NoiseKind::kLatent, encoded_[i].sentence.index));
    phone_rows += encoded_[i].rows;
  }
  const int64_t first = encoded_.front().first_row;
  const auto rows = [&](const Tensor& of_batch) { return of_batch.slice_rows(first, phone_rows); };
  const model::TextEncoding text{rows(batch_encoding_.x), rows(batch_encoding_.m_p), rows(batch_encoding_.logs_p)};
  const Tensor frame_row = stream_->repeated_index(rows(batch_durations_), segments.rows());
  const Tensor noise = stream_->normal(segments, text.m_p.cols(), keys);
  stats_.flow_flops += model::flow_flops(voice_.files().config, segments);
  return network_->synthesizer.latent(*stream_, text, frame_row, segments, condition_, noise,
                                      static_cast<float>(options_.noise));
}

std::vector<float> Request::to_host(const Tensor& samples) {
  std::vector<float> all(static_cast<size_t>(samples.rows()));
  stream_->download(samples, std::span<float>(all));
  return all;
}

void Request::decode_some() {
  // Sentences that stand behind one another go together as long as they are short.
  const int64_t limit = voice_.shared().device->decode_frames();
  std::vector<int64_t> lengths;
  int64_t frames = 0;
  while (lengths.size() < encoded_.size()) {
    const int64_t next = encoded_[lengths.size()].total_frames;
    if (!lengths.empty() && frames + next > limit) break;
    lengths.push_back(next);
    frames += next;
  }
  const Segments segments = Segments::of_lengths(lengths);
  const Tensor z = latent(lengths.size(), segments);
  const Timer timer(stats_.decoder_seconds);
  const std::vector<float> all = to_host(network_->synthesizer.decode(*stream_, z, segments, condition_));
  stats_.decoder_flops += model::decoder_flops(voice_.files().config, frames);

  const int64_t hop = voice_.files().config.hop_length;
  for (size_t i = 0; i < lengths.size(); ++i) {
    Encoded e = std::move(encoded_.front());
    encoded_.pop_front();
    const auto samples = std::span(all).subspan(static_cast<size_t>(segments.begin(static_cast<int64_t>(i)) * hop),
                                                static_cast<size_t>(lengths[i] * hop));
    const double pitch = e.sentence.pitch;
    decoded_.push_back({std::move(e), pitch == 1.0 ? std::vector<float>(samples.begin(), samples.end())
                                                   : audio::resampled(samples, 1.0 / pitch)});
  }
}

void Request::begin_streamed() {
  Tensor z = latent(1, Segments::single(encoded_.front().total_frames));
  streamed_.emplace(Streamed{std::move(encoded_.front()), std::move(z), {}});
  encoded_.pop_front();
}

Audio Request::deliver_window() {
  Streamed& s = *streamed_;
  const int64_t left = s.sentence.total_frames - s.at;
  // The first window is short, so that the first sound comes soon; each one after it is twice as long, so that the
  // margins cost less and less. A small rest is not worth a window of its own.
  int64_t frames = s.window;
  if (left < frames + kFirstWindowFrames) frames = left;
  std::vector<float> samples;
  {
    const Timer timer(stats_.decoder_seconds);
    samples = to_host(network_->synthesizer.decode_window(*stream_, s.z, s.at, s.at + frames, condition_));
    stats_.decoder_flops += model::decoder_flops(voice_.files().config, frames);
  }
  Audio audio = s.at == 0 ? begin_sentence(s.sentence) : new_audio();
  append(audio, samples);
  s.samples.insert(s.samples.end(), samples.begin(), samples.end());
  s.at += frames;
  s.window = std::min(2 * s.window, kMostWindowFrames);
  if (s.at < s.sentence.total_frames) {
    audio.stats = stats();
  } else {
    end_sentence(audio, s.samples);
    streamed_.reset();
  }
  return audio;
}

Audio Request::new_audio() {
  Audio audio;
  audio.sample_rate = static_cast<int>(voice_.files().config.sampling_rate);
  audio.sentences_total = sentences_total();
  audio.warnings = std::exchange(warnings_, {});
  return audio;
}

// The pause before a sentence, and when its phones will be heard.
Audio Request::begin_sentence(const Encoded& e) {
  const auto& config = voice_.files().config;
  const int rate = static_cast<int>(config.sampling_rate);
  Audio audio = new_audio();
  if (stats_.sentences > 0 || e.sentence.pause_before) {
    audio.samples.resize(static_cast<size_t>(gap_samples(e.pause_before, trailing_silence_, rate)), 0.0F);
    samples_out_ += static_cast<int64_t>(audio.samples.size());
  }
  const double start = static_cast<double>(samples_out_) / rate;
  const double frame_seconds = static_cast<double>(config.hop_length) / rate / e.sentence.pitch;
  audio.sentences.push_back(timing_of(e.sentence, e.frames, start, frame_seconds, config.add_blank));
  return audio;
}

void Request::append(Audio& audio, std::span<const float> samples) {
  audio.samples.insert(audio.samples.end(), samples.begin(), samples.end());
  samples_out_ += static_cast<int64_t>(samples.size());
}

// `samples`: the whole sentence. What it ends in of silence counts towards the next pause.
void Request::end_sentence(Audio& audio, std::span<const float> samples) {
  trailing_silence_ = trailing_silence(samples, audio.sample_rate);
  ++stats_.sentences;
  audio.stats = stats();
}

Audio Request::deliver(const Decoded& d) {
  Audio audio = begin_sentence(d.sentence);
  append(audio, d.samples);
  end_sentence(audio, d.samples);
  return audio;
}

Audio Request::silence(double seconds) {
  silence_delivered_ = true;
  Audio audio = new_audio();
  audio.samples.resize(static_cast<size_t>(gap_samples(seconds, trailing_silence_, audio.sample_rate)), 0.0F);
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
