// SPDX-License-Identifier: Apache-2.0
// One text on its way through the models.
#pragma once

#include <deque>
#include <hayakoe/hayakoe.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core.hpp"
#include "engine/sentence.hpp"

namespace hayakoe::engine {

/// kWhole: as few, large batches as memory allows. kStream: the first sentence ahead alone, then small batches, and
/// every sentence decoded on its own.
enum class Delivery { kWhole, kStream };

/// BERT rows (characters) that one forward holds at most, more only for a single sentence: about 35 sentences. A text
/// of more rows is spoken in several batches, so that memory does not grow with it.
inline constexpr int64_t kMostBertRows = 1024;
/// The same for a stream after its first sentence: few enough that the next sentence is ready before the last is heard.
inline constexpr int64_t kMostStreamedBertRows = 256;

class Request {
 public:
  /// @throws Error for options out of range or names that the voice lacks
  Request(const VoiceCore& voice, std::string_view text, const SpeakOptions& options, Delivery delivery);

  /// The next sentence with the pause before it; nothing at the end.
  std::optional<Audio> next();

  [[nodiscard]] Stats stats() const;
  [[nodiscard]] int64_t sentences_total() const { return static_cast<int64_t>(pieces_.size()); }

 private:
  // A sentence that the text encoder has seen.
  struct Encoded {
    Sentence sentence;
    std::vector<int32_t> frames;  // one a position
    int64_t total_frames = 0;
    double pause_before = 0.0;  // seconds; 0 for the first
    int64_t first_row = 0;      // of batch_encoding_ and batch_durations_
    int64_t rows = 0;
  };
  struct Decoded {
    Sentence sentence;
    std::vector<int32_t> frames;
    double pause_before = 0.0;
    std::vector<float> samples;
  };

  std::vector<Sentence> next_sentences();
  std::vector<int> assist_ids();
  void encode_batch(std::vector<Sentence> sentences);
  device::Tensor bert_features(const std::vector<Sentence>& sentences, const device::Tensor& ids);
  void decode_some();
  Audio deliver(Decoded decoded);
  Audio silence();

  const VoiceCore& voice_;
  const SpeakOptions options_;
  const Delivery delivery_;
  std::shared_ptr<const Network> network_;
  StreamPool::Lease stream_;
  model::Conditioning condition_;
  text::Rules rules_;

  std::vector<std::string> pieces_;
  size_t next_piece_ = 0;
  std::vector<std::string> warnings_;   // not yet handed out
  model::TextEncoding batch_encoding_;  // of the batch that encoded_ is the rest of
  device::Tensor batch_durations_;
  std::deque<Encoded> encoded_;
  std::deque<Decoded> decoded_;

  // What the next batch needs of the last one.
  std::optional<Sentence> last_sentence_;
  device::Tensor last_features_;  // BERT rows of last_sentence_
  device::Tensor assist_mean_;    // [1, width]; empty without an assist text

  int64_t samples_out_ = 0;
  double trailing_silence_ = 0.0;  // seconds, of the sentence delivered last
  bool silence_delivered_ = false;
  Stats stats_;
  double started_;
};

}  // namespace hayakoe::engine
