// SPDX-License-Identifier: Apache-2.0
//
// hayakoe: Japanese text to speech with Style-Bert-VITS2 JP-Extra voices.
//
//   #include <hayakoe/hayakoe.hpp>
//
//   int main() {
//     hayakoe::Engine engine;                                  // the CPU, all cores it may use
//     hayakoe::Voice voice = engine.load("demo", "voices/demo");
//     engine.prepare();                                        // reads BERT and the voices now rather than later
//     hayakoe::Audio audio = voice.generate("こんにちは。今日はいい天気ですね。");
//     // audio.samples: mono float in [-1, 1], audio.sample_rate in Hz
//   }
//
// Build with CMake (`find_package(hayakoe)`, link `hayakoe::hayakoe`) or with `pkg-config --cflags --libs hayakoe`.
//
// Who owns what. An Engine and a Voice are handles: copies share what they stand for, which lives until the last handle
// goes. A Voice keeps what it needs of its engine alive. Audio owns its samples.
//
// Threads. Every function may be called from any number of threads at once, on the same handles: several texts are
// spoken side by side, voices are loaded while others speak, and a new word counts from the next text on.
//
// Errors. A function that fails throws hayakoe::Error, whose what() is one clear sentence. Text never fails: what can
// be read is read, and what was skipped is reported in Audio::warnings (letters, kanji and digits; emoji and symbols go
// without a word). Text is UTF-8; invalid bytes are skipped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <hayakoe/error.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hayakoe {

/// How text is read.
enum class TextRules {
  kNatural,  ///< the default: numbers, dates, units, English, addresses, chat and marks as people read them
             ///< (docs/text.md)
  kSbv2      ///< exactly as Style-Bert-VITS2 reads it
};

/// What an engine is made of. Paths may be empty, which means the default.
struct EngineOptions {
  /// "cpu"; "cuda", the first NVIDIA GPU, or "cuda:N" for number N; "auto": the first GPU where there is one and the
  /// CUDA plug-in (libhayakoe_cuda.so, or the file that $HAYAKOE_CUDA_PLUGIN names) finds it, else the
  /// CPU, which is also taken for a precision that only the CPU has.
  std::string device = "auto";
  /// How the large matrices are kept. What the durations depend on in a voice is always f32, and so are all sums.
  /// On the CPU: "f32"; "f16" or "bf16" (half the memory); "int8" (BERT in a quarter, flow and decoder of the voice as
  /// f16); "auto": what is small and keeps the quality, now int8. The arithmetic is float. Converted folders keep what
  /// they were converted to, and are for the CPU only.
  /// On a GPU: "f32"; "f16", "bf16" (flow and decoder of the voice as f16) or "tf32" (f32 in memory), of which also the
  /// products are computed on the tensor cores; "auto": now f16.
  std::string precision = "auto";
  /// What runs a voice that has both a checkpoint and ONNX graphs: "native", "onnx" (ONNX Runtime), or "auto": native
  /// unless there are only ONNX files. The same for a BERT.
  std::string engine = "auto";
  int threads = 0;             ///< for the arithmetic of one request; 0: as many as this process may use, at most 1024
  std::filesystem::path bert;  ///< BERT folder; empty: the one that fits the voice, see Engine::load()
  std::filesystem::path dictionary;  ///< folder of Open JTalk's dictionary; empty: $HAYAKOE_DICTIONARY or the system's
  std::filesystem::path english;     ///< word<TAB>kana file; empty: the built-in table
};

/// Silence between sentences, which splitting a text into sentences would lose.
struct PauseOptions {
  enum class Mode {
    kPredicted,  ///< as long as the voice's duration predictor would pause there
    kFixed,      ///< `seconds`
    kNone        ///< nothing is put in
  };
  Mode mode = Mode::kPredicted;
  double seconds = 0.5;   ///< for kFixed, 0 to 60
  double minimum = 0.08;  ///< least pause for kPredicted, in seconds, 0 to 60
};

/// How a text is to be spoken. Values out of range are refused with an Error that names them.
struct SpeakOptions {
  std::string style;           ///< name of a style of the voice, or its number; empty: Neutral, else number 0
  double style_weight = 1.0;   ///< 0: neutral, 1: the style, more: exaggerated; −100 to 100
  std::string speaker;         ///< name of a speaker of the voice, or its number; empty: number 0
  double speed = 1.0;          ///< 2 speaks twice as fast; 0.1 to 10. The model's own length_scale is 1 / speed
  double sdp_ratio = 0.2;      ///< share of the stochastic duration predictor: 0 is even, 1 is lively
  double noise = 0.6;          ///< randomness of the voice, 0 to 10
  double noise_w = 0.8;        ///< randomness of the rhythm, 0 to 10
  uint64_t seed = 0;           ///< the same request with the same seed is the same waveform
  std::string assist_text;     ///< a text whose mood colours the speech, not spoken; empty: none
  double assist_weight = 1.0;  ///< how much, 0 to 1
  PauseOptions pause;
  /// The text is SSML: `<speak>` with `<p> <s> <break> <prosody rate pitch> <sub> <say-as> <phoneme>`; anything else is
  /// refused with the line. In plain text under kNatural `[[pause 500]]` is a pause of 500 ms, `[[箸|ハシ|1]]` a
  /// reading with its accent, and 漢字《かんじ》 ruby.
  bool ssml = false;
  bool name_emoji = false;  ///< say the names of emoji (🍣 すし); false: they are silent
  bool split = true;        ///< speak sentence by sentence; false: in one breath, up to 200 characters, then at a comma
  TextRules rules = TextRules::kNatural;
  /// stream() only. True: the first sentence goes ahead alone and small batches follow, and a sentence is delivered in
  /// pieces while it is made, so that sound comes early. False: batches as large as generate()'s, for writing a file;
  /// their sentences are still delivered one by one.
  bool low_latency = true;
  /// Phones and tones (0 low, 1 high) to be spoken instead of those of the text, which still steers the intonation.
  /// With
  /// `_` at both ends. Both or only tones; the text is then not split and may have 500 characters. Tones alone must be
  /// as many as the text's phones.
  std::optional<std::vector<std::string>> phones;
  std::optional<std::vector<int>> tones;
};

/// A phone or a mora, and when it is heard. Seconds from the start of the audio (of the whole, for a stream).
struct SoundTiming {
  std::string symbol;  ///< phone (`k`, `o`, `,`), or katakana for a mora
  int tone = 0;        ///< 0 low, 1 high
  double begin = 0.0;
  double end = 0.0;
};

/// A sentence, and when it is heard.
struct SentenceTiming {
  std::string text;  ///< without readings given in place ([[箸|ハシ|1]], ruby)
  double begin = 0.0;
  double end = 0.0;
  std::vector<SoundTiming> moras;
  std::vector<SoundTiming> phones;
};

/// What a request cost.
///
/// On a GPU the host runs ahead of the device, so the seconds of the stages say where the host was: it waits for all
/// work so far at the end of the text encoder (for the durations) and of the decoder (for the samples), and what BERT
/// and flow take is found there. The total is exact. ('hayakoe bench stages' waits after every stage.)
struct Stats {
  int64_t sentences = 0;
  int64_t bert_forwards = 0;
  int64_t bert_rows = 0;  ///< tokens that BERT computed; no padding
  int64_t uploads = 0;    ///< copies to the device, of `upload_bytes` in all; ONNX Runtime's own are not counted
  int64_t upload_bytes = 0;
  int64_t downloads = 0;
  int64_t download_bytes = 0;
  int64_t kernel_launches = 0;  ///< kernels that a GPU was told to run; 0 on the CPU
  int64_t arena_bytes = 0;      ///< memory for activations that is held, in use or not: by the request's stream on the
                                ///< CPU, by all streams of the device on a GPU
  int64_t peak_bytes = 0;       ///< most bytes of activations that the request has had at once
  int64_t device_bytes = 0;     ///< weights and constants on a GPU, of the whole process; 0 on the CPU
  double text_seconds = 0.0;    ///< normalisation, analysis
  double bert_seconds = 0.0;
  double encoder_seconds = 0.0;  ///< text encoder and durations, pauses included
  double flow_seconds = 0.0;
  double decoder_seconds = 0.0;
  double total_seconds = 0.0;
  double audio_seconds = 0.0;
  /// Floating-point operations of the products, convolutions and attention that the parts are made of, a multiplication
  /// and an addition counted as two, convolutions in their direct form: how much work there was, however it was done.
  int64_t bert_flops = 0;
  int64_t encoder_flops = 0;
  int64_t flow_flops = 0;
  int64_t decoder_flops = 0;
};

/// A waveform, or a part of one.
struct Audio {
  int sample_rate = 0;         ///< Hz
  std::vector<float> samples;  ///< mono, the decoder's own level, in [-1, 1]
  std::vector<SentenceTiming> sentences;
  std::vector<std::string> warnings;  ///< what could not be read, and what was done instead
  Stats stats;                        ///< of a stream: what it has cost so far
  int64_t sentences_total = 0;        ///< sentences of the whole text, for a progress bar
};

/// What a voice folder or file says about itself.
struct VoiceInfo {
  std::string name;
  std::filesystem::path path;
  std::string version;
  int sample_rate = 0;                ///< Hz
  std::vector<std::string> styles;    ///< in the order of their numbers; unnamed ones are empty
  std::vector<std::string> speakers;  ///< likewise
  std::string engine;                 ///< "native", or "onnx" for ONNX Runtime
  int64_t parameters = 0;             ///< number of weights; 0 for ONNX voices
  int64_t bytes = 0;                  ///< size of the weight file
  int64_t bert_width = 0;             ///< channels of the BERT that it was trained with
};

/// A word for the user dictionary.
struct UserWord {
  std::string surface;  ///< as it stands in the text
  std::string reading;  ///< katakana
  int accent = 0;       ///< mora after which the pitch falls, from 1; 0: it does not fall
  /// Under kNatural, 0 to 10. 10: the word is read so wherever it stands; 5: as likely as what the dictionary reads for
  /// this surface; 0: only where nothing else fits. A surface with Latin letters, digits or symbols always counts.
  int priority = 10;
};

namespace engine {
class EngineCore;
class VoiceCore;
}  // namespace engine

/// A voice that can speak. Made by Engine::load().
class HAYAKOE_API Voice {
 public:
  /// Called with each sentence as soon as it is done, in order; return false to stop.
  using Callback = std::function<bool(const Audio& chunk)>;

  /// Speaks a text. The first call reads the weights unless Engine::prepare() has. An empty text, or one without
  /// anything to read, gives a short silence. @throws Error for options that are out of range or that the voice lacks.
  [[nodiscard]] Audio generate(std::string_view text, const SpeakOptions& options = {}) const;

  /// The same as it comes: the chunks' samples one after the other are those of generate(), but for what floating-point
  /// sums in another order change (below 1e-5). A chunk is a sentence with the pause before it or, with low_latency, a
  /// piece of one, whose first piece has the pause and the sentence's timing. Neither the time to the first chunk nor
  /// memory grows with the text (without low_latency: beyond a batch of about 1,000 characters). Returns the cost of
  /// the whole. An exception of the callback stops the stream and is passed on.
  Stats stream(std::string_view text, const SpeakOptions& options, const Callback& callback) const;

  [[nodiscard]] const VoiceInfo& info() const;

 private:
  friend class Engine;
  explicit Voice(std::shared_ptr<const engine::VoiceCore> core);
  std::shared_ptr<const engine::VoiceCore> core_;
};

/// Devices, BERT, dictionary and voices.
class HAYAKOE_API Engine {
 public:
  /// Opens the device and finds the dictionary; cheap. @throws Error
  explicit Engine(const EngineOptions& options = {});

  /// Registers a voice: a folder (config.json, style_vectors.npy, the newest *.safetensors or ONNX graphs) or an .aivm,
  /// .aivmx or .onnx file (docs/voices.md). Reads its
  /// description; the weights follow in prepare() or when it first speaks. A name that exists is replaced; handles of
  /// the old voice stay valid.
  ///
  /// Without EngineOptions::bert the voice uses the first of these folders whose width fits it: `bert` in the voice's
  /// folder, NAME-bert beside it, any *bert* folder beside it, $HAYAKOE_BERT, `bert` in the user's data folder
  /// ($XDG_DATA_HOME/hayakoe, ~/.local/share/hayakoe), and those beside the voice in the box.
  /// Voices share one BERT per folder.
  /// @throws Error naming the file and what is wrong with it
  Voice load(const std::string& name, const std::filesystem::path& path);

  /// Reads BERT and the weights of all voices that are registered. With `warm_up` each also speaks a short sentence, so
  /// that the next text meets prepared kernels and memory.
  void prepare(bool warm_up = false);

  /// A registered voice. @throws Error listing those that there are
  [[nodiscard]] Voice voice(const std::string& name) const;

  /// Adds a word, or replaces the one with the same surface; counts from the next text on.
  /// @throws Error for a reading or accent that is not possible, with the reason
  void add_word(const UserWord& word);
  /// @returns false if there is no such word
  bool remove_word(const std::string& surface);
  [[nodiscard]] std::vector<UserWord> words() const;
  /// Adds the words of a JSON file (`[{"surface": …, "reading": …, "accent": …}]`) or a CSV file
  /// (surface,reading,accent); all or none. @throws Error naming the line
  void load_words(const std::filesystem::path& path);

  /// The device in use, for people: "cpu (AVX2, 8 threads)".
  [[nodiscard]] std::string device() const;

  /// How many BERTs the process holds now, whatever the number of voices and engines.
  [[nodiscard]] static int64_t loaded_berts();

 private:
  std::shared_ptr<engine::EngineCore> core_;
};

/// Describes a voice without reading its weights. @throws Error
HAYAKOE_API VoiceInfo describe_voice(const std::filesystem::path& path);

/// Writes a voice (folder or .aivm file) or a BERT folder to the folder `to` in the form in which the engine keeps it
/// at this precision (see EngineOptions), so that loading takes no work. `to` must not hold a model; other computers'
/// CPUs can use it too. The weights are used where the file is mapped: replace it only as a whole, by renaming. @throws
/// Error
HAYAKOE_API void convert(const std::filesystem::path& from, const std::filesystem::path& to,
                         const std::string& precision = "auto");

/// "0.1.0"
HAYAKOE_API std::string_view version();

}  // namespace hayakoe
