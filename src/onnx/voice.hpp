// SPDX-License-Identifier: Apache-2.0
// A voice in ONNX form: the synthesizer, and where the voice has one, the duration predictor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onnx/session.hpp"

namespace hayakoe::onnx {

/// One sentence for a voice. `phones`, `tones` and `languages` are final ids, blanks inserted, and equally many.
struct VoiceInput {
  std::span<const int> phones, tones, languages;
  DeviceTensor bert;             ///< [1, BERT width, phones]: expand()
  std::span<const float> style;  ///< [style width], the weight of the style applied
  int64_t speaker = 0;
  float length_scale = 1.0F;   ///< > 1 is slower
  float sdp_ratio = 0.2F;      ///< share of the stochastic duration predictor, 0 to 1
  float noise_scale = 0.6F;    ///< randomness of the sound
  float noise_scale_w = 0.8F;  ///< randomness of the rhythm
};

/// One graph of a voice, synthesizer or duration predictor, with its inputs and its output found.
class VoiceGraph {
 public:
  enum class Kind { kSynthesizer, kDurationPredictor };

  /// @throws Error naming the file, which lists what was expected and what it has
  VoiceGraph(const std::filesystem::path& file, Kind kind, const SessionOptions& options);

  /// The output, [1, …, values]. @throws Error
  [[nodiscard]] Output run(const VoiceInput& input) const;

  [[nodiscard]] const Session& session() const { return session_; }
  [[nodiscard]] int64_t bert_width() const;   ///< features a phone; 0 if the file leaves it open
  [[nodiscard]] int64_t style_width() const;  ///< likewise

 private:
  [[nodiscard]] const ValueInfo* input_info(size_t slot) const;
  void check(const VoiceInput& input) const;

  Session session_;
  std::vector<std::optional<size_t>> inputs_;  // a slot's index in session_.inputs()
  std::string output_;
};

/// The noise of a published graph comes from ONNX Runtime's own generator, which takes no seed: the same input gives
/// the same sound only with noise_scale 0, and the same rhythm only with sdp_ratio 0 or noise_scale_w 0. Immutable: any
/// number of threads may speak at once.
class Voice {
 public:
  /// Opens both published forms: HayaKoe's pair of files, and the single file of Style-Bert-VITS2 and AivisHub, which
  /// has no duration predictor of its own. @throws Error naming the file
  explicit Voice(const std::filesystem::path& synthesizer,
                 const std::optional<std::filesystem::path>& duration_predictor = std::nullopt,
                 const SessionOptions& options = {});

  /// Samples from -1 to 1, mono, at the voice's rate. @throws Error
  [[nodiscard]] std::vector<float> synthesize(const VoiceInput& input) const;

  /// True if `durations` can be asked: for HayaKoe's form. A single file keeps its durations to itself; only their sum
  /// is known, from the number of samples.
  [[nodiscard]] bool has_durations() const { return duration_predictor_.has_value(); }

  /// Frames a phone position, without making sound. The synthesizer draws its own noise, so these are the durations of
  /// its sound only where the rhythm is not random. @throws Error, also without a duration predictor
  [[nodiscard]] std::vector<int32_t> durations(const VoiceInput& input) const;

  [[nodiscard]] const VoiceGraph& synthesizer() const { return synthesizer_; }

 private:
  VoiceGraph synthesizer_;
  std::optional<VoiceGraph> duration_predictor_;
};

}  // namespace hayakoe::onnx
