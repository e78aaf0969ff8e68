// SPDX-License-Identifier: Apache-2.0
// One text on its way through the models.
#pragma once

#include <deque>
#include <hayakoe/hayakoe.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core.hpp"
#include "engine/pauses.hpp"
#include "engine/sentence.hpp"
#include "engine/speech.hpp"

namespace hayakoe::engine {

/// kWhole: as few, large batches as memory allows. kStream: the first sentence ahead alone, then small batches, and
/// every sentence decoded in windows, the first of them short.
enum class Delivery { kWhole, kStream };

/// BERT rows (characters) that one forward holds at most, more only for a single sentence: about 35 sentences. A text
/// of more rows is spoken in several batches, so that memory does not grow with it.
inline constexpr int64_t kMostBertRows = 1024;
/// The same for a stream after its first sentence: few enough that the next sentence is ready before the last is heard.
inline constexpr int64_t kMostStreamedBertRows = 256;
/// Frames of a streamed sentence's first window (0.2 s of 44.1 kHz), and the most that they grow to.
inline constexpr int64_t kFirstWindowFrames = 16;
inline constexpr int64_t kMostWindowFrames = 128;

/// Seconds between sentences of a voice that cannot tell how long it would pause.
inline constexpr double kUsualPause = 0.4;

class Request {
 public:
  /// @throws Error for options out of range or names that the voice lacks
  Request(const VoiceCore& voice, std::string_view text, const SpeakOptions& options, Delivery delivery);

  /// The next sentence with the pause before it, or a window of one; nothing at the end.
  std::optional<Audio> next();

  [[nodiscard]] Stats stats() const;
  [[nodiscard]] int64_t sentences_total() const { return static_cast<int64_t>(pieces_.size()); }

 private:
  // A sentence whose durations are known.
  struct Encoded {
    Sentence sentence;
    SpokenSentence spoken;
    int64_t total_frames = 0;
    double pause_before = 0.0;  // seconds; 0 for the first
  };
  struct Decoded {
    Encoded sentence;
    std::vector<float> samples;
  };
  // A sentence whose windows are delivered one by one.
  struct Streamed {
    Encoded sentence;
    std::vector<float> samples;  // delivered
    int64_t at = 0;              // frames delivered
    int64_t window = kFirstWindowFrames;
  };

  std::vector<Piece> pieces_of_text(std::string_view text) const;
  std::vector<Sentence> next_sentences();
  void add_sentence(const Piece& piece, std::vector<Sentence>& sentences);
  [[nodiscard]] double length_scale(const Piece& piece) const;
  std::vector<int> assist_ids();
  void encode_batch(std::vector<Sentence> sentences);
  [[nodiscard]] bool features_stay_in_onnx() const;
  Features bert_features(const std::vector<std::vector<int>>& sequences, size_t sentences, const device::Tensor& ids);
  void take_encoded(std::vector<Sentence> sentences, const SpeechBatch& batch, const std::vector<Joined>& joined,
                    const std::vector<int32_t>& frames);
  [[nodiscard]] double predicted_pause(const Joined& joined, std::span<const int32_t> frames) const;
  void decode_some();
  void begin_streamed();
  Audio deliver_window();
  Audio new_audio();
  Audio begin_sentence(const Encoded& sentence);
  void append(Audio& audio, std::span<const float> samples);
  void end_sentence(Audio& audio, std::span<const float> samples);
  Audio deliver(const Decoded& decoded);
  Audio silence(double seconds);

  const VoiceCore& voice_;
  const SpeakOptions options_;
  const Delivery delivery_;
  std::shared_ptr<const Network> network_;
  StreamPool::Lease stream_;
  std::unique_ptr<Speech> speech_;
  WindowedSpeech* windowed_ = nullptr;  // speech_, if it can do that and the request wants it
  text::Rules rules_;

  std::vector<Piece> pieces_;
  size_t next_piece_ = 0;
  std::optional<double> owed_pause_;  // seconds, of pieces without anything to say
  double batch_length_scale_ = 1.0;
  std::vector<std::string> warnings_;  // not yet handed out
  std::deque<Encoded> encoded_;
  std::deque<Decoded> decoded_;
  std::optional<Streamed> streamed_;

  // What the next batch needs of the last one.
  std::optional<Sentence> last_sentence_;
  Features last_features_;      // of last_sentence_
  device::Tensor assist_mean_;  // [1, width]; empty without an assist text

  int64_t samples_out_ = 0;
  double trailing_silence_ = 0.0;  // seconds, of the sentence delivered last
  bool silence_delivered_ = false;
  Stats stats_;
  double started_;
};

}  // namespace hayakoe::engine
