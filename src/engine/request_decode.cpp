// SPDX-License-Identifier: Apache-2.0
// The second half of a request: from text encodings to samples, by groups of sentences or by windows of one.
#include <algorithm>
#include <utility>

#include "audio/resample.hpp"
#include "engine/request.hpp"
#include "engine/request_parts.hpp"

namespace hayakoe::engine {

void Request::decode_some() {
  // Sentences that stand behind one another go together as long as they are short.
  std::vector<SpokenSentence> spoken;
  int64_t frames = 0;
  while (spoken.size() < encoded_.size()) {
    const Encoded& next = encoded_[spoken.size()];
    if (!spoken.empty() && frames + next.total_frames > speech_->decode_frames()) break;
    spoken.push_back(next.spoken);
    frames += next.total_frames;
  }
  std::vector<std::vector<float>> samples = speech_->decode(spoken, stats_);
  for (size_t i = 0; i < spoken.size(); ++i) {
    Encoded e = std::move(encoded_.front());
    encoded_.pop_front();
    e.spoken = std::move(spoken[i]);
    const double pitch = e.sentence.pitch;
    decoded_.push_back(
        {std::move(e), pitch == 1.0 ? std::move(samples[i]) : audio::resampled(samples[i], 1.0 / pitch)});
  }
}

void Request::begin_streamed() {
  streamed_.emplace(Streamed{std::move(encoded_.front()), {}});
  encoded_.pop_front();
  windowed_->begin(streamed_->sentence.spoken, stats_);
}

Audio Request::deliver_window() {
  Streamed& s = *streamed_;
  const int64_t left = s.sentence.total_frames - s.at;
  // The first window is short, so that the first sound comes soon; each one after it is twice as long, so that the
  // margins cost less and less. A small rest is not worth a window of its own.
  int64_t frames = s.window;
  if (left < frames + kFirstWindowFrames) frames = left;
  const std::vector<float> samples = windowed_->window(s.at, s.at + frames, stats_);
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
  audio.sentences.push_back(timing_of(e.sentence, e.spoken.frames, start, frame_seconds, config.add_blank));
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
  s.kernel_launches = t.launches;
  s.arena_bytes = stream_->arena_bytes();
  s.peak_bytes = stream_->peak_bytes();
  s.device_bytes = voice_.shared().device->weight_bytes();
  s.total_seconds = now() - started_;
  s.audio_seconds = static_cast<double>(samples_out_) / static_cast<double>(voice_.files().config.sampling_rate);
  return s;
}

}  // namespace hayakoe::engine
