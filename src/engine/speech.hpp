// SPDX-License-Identifier: Apache-2.0
// The seam between a request and the models of a voice: what native and ONNX voices both can.
#pragma once

#include <cstdint>
#include <hayakoe/hayakoe.hpp>
#include <memory>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "engine/features.hpp"
#include "text/types.hpp"

namespace hayakoe::engine {

/// A batch as the text encoder sees it: the sentences, then the neighbours joined for the pauses.
struct SpeechBatch {
  std::vector<const text::Sequence*> sequences;  ///< of each segment
  std::vector<std::vector<int32_t>> bert_row;    ///< of each segment: the token of `features` for each position
  size_t sentences = 0;                          ///< so many of the segments are sentences
  device::Segments segments;                     ///< positions
  /// int32 [4 · positions, 1]: phone, tone and language ids, tokens of `features`; empty if `features` are not on the
  /// device.
  device::Tensor columns;
  Features features;           ///< on the device for a native voice
  std::vector<uint64_t> keys;  ///< of each segment: of the noise in its durations
  double length_scale = 1.0;   ///< > 1 is slower
};

/// A sentence of the batch that is to be heard.
struct SpokenSentence {
  size_t segment = 0;
  uint64_t key = 0;             ///< of the noise in its sound
  std::vector<int32_t> frames;  ///< of each position; decode() corrects what a voice decides only then
};

/// Speaker, style and randomness of a request.
struct Manner {
  int64_t speaker = 0;
  int64_t style = 0;
  double style_weight = 1.0;
  double sdp_ratio = 0.2;
  double noise = 0.6;
  double noise_w = 0.8;
};

/// The way of one request through the models of a voice. Used by one thread.
class Speech {
 public:
  virtual ~Speech() = default;

  /// Frames of each position of all segments, behind one another, at least 1 in all. Keeps what the others need until
  /// the next batch; adds to `stats` what it costs.
  virtual std::vector<int32_t> durations(const SpeechBatch& batch, Stats& stats) = 0;

  /// Samples of sentences that stand behind one another in the batch, hop_length for each frame.
  virtual std::vector<std::vector<float>> decode(std::span<SpokenSentence> sentences, Stats& stats) = 0;

  /// Most frames that one decode() should be given; a sentence alone may be longer.
  [[nodiscard]] virtual int64_t decode_frames() const = 0;

  /// False if durations() only fills in equal frames, so that pauses cannot be taken from it.
  [[nodiscard]] virtual bool predicts_durations() const { return true; }
};

/// Speech that can give a sentence in windows: begin() once, then window() for [from, to) frames as often as wanted.
class WindowedSpeech : public Speech {
 public:
  virtual void begin(const SpokenSentence& sentence, Stats& stats) = 0;
  virtual std::vector<float> window(int64_t from, int64_t to, Stats& stats) = 0;
};

/// The models of a voice, shared by all requests.
class VoiceModel {
 public:
  virtual ~VoiceModel() = default;
  [[nodiscard]] virtual std::unique_ptr<Speech> speech(device::Stream& stream, const Manner& manner) const = 0;
  [[nodiscard]] virtual int64_t speakers() const = 0;
};

}  // namespace hayakoe::engine
