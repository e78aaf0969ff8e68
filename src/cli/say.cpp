// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <hayakoe/hayakoe.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/console.hpp"
#include "cli/input.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/machine_options.hpp"
#include "cli/options.hpp"
#include "cli/recorder.hpp"

namespace hayakoe::cli {
namespace {

constexpr int kSignalBase = 128;  // a shell's exit status for a signal

struct SayOptions {
  TextSource text;
  RecorderOptions record;
  std::string stats;
  bool quiet = false;
  VoiceChoice voice;
  MachineOptions machine;
  ReadingOptions reading;
  SpeakingOptions speaking;
};

EngineOptions engine_options(const SayOptions& o) {
  EngineOptions engine = o.machine.engine_options();
  engine.dictionary = o.reading.dictionary;
  engine.english = o.reading.english;
  return engine;
}

void report_stats(const std::string& form, const Stats& stats, const std::string& device) {
  const Json json = stats_json(stats, device);
  if (form == "json") {
    fmt::print(stderr, "{}\n", to_line(json));
  } else if (form == "text") {
    for (const auto& [key, value] : json.items()) {
      fmt::print(stderr, "{:<16} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
}

// Warnings, progress and the last line, unless they are not wanted.
class Reporter {
 public:
  explicit Reporter(bool quiet) : quiet_(quiet), progress_(!quiet) {}

  void chunk(const Audio& chunk) {
    if (!quiet_ && !chunk.warnings.empty()) {
      progress_.clear();
      for (const std::string& warning : chunk.warnings) warn(warning);
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    progress_.show(chunk.stats.sentences, chunk.sentences_total, chunk.stats.audio_seconds, elapsed.count());
  }

  void clear() { progress_.clear(); }

  void done(const std::string& output, const Stats& stats) const {
    if (quiet_) return;
    if (stats.sentences == 0) warn("there is nothing to speak in this text; the audio is a short silence");
    const std::string name = output == "-" ? "standard output" : one_line(output);
    fmt::print(stderr, "{}: {:.1f} s of speech in {:.1f} s ({:.1f} × real time)\n", name, stats.audio_seconds,
               stats.total_seconds, stats.total_seconds > 0 ? stats.audio_seconds / stats.total_seconds : 0.0);
  }

 private:
  bool quiet_;
  Progress progress_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

int stopped() {
  complain("interrupted; nothing was written");
  return kSignalBase + interrupted();
}

int say(const SayOptions& o) {
  SpeakOptions speak = speak_options(o.speaking, o.reading);
  speak.low_latency = false;  // a file is done when all of it is
  check(o.record);
  const std::string text = read_text(o.text);
  note_interrupts();

  Engine engine(engine_options(o));
  if (!o.reading.words.empty()) engine.load_words(o.reading.words);
  const Voice voice = engine.load(o.voice.voice, find_chosen_voice(o.voice));
  Recorder recorder(o.record, voice.info().sample_rate);
  engine.prepare();

  Reporter reporter(o.quiet);
  const Stats stats = voice.stream(text, speak, [&](const Audio& chunk) {
    if (interrupted() != 0) return false;
    recorder.add(chunk);
    reporter.chunk(chunk);
    return interrupted() == 0;
  });
  reporter.clear();
  if (interrupted() != 0) return stopped();
  recorder.finish();
  report_stats(o.stats, stats, engine.device());
  reporter.done(o.record.output, stats);
  return 0;
}

void add_output_options(CLI::App& app, SayOptions& o) {
  const auto text = [&app](const std::string& name, const char* type, std::string& value,
                           const std::string& description) {
    return app.add_option(name, value, description)->type_name(type)->group("Output");
  };
  const auto one_of = [](std::vector<std::string> values) { return CLI::IsMember(std::move(values)).description(""); };
  text("-o,--output", "FILE", o.record.output,
       "wav, flac, ogg or mp3 by extension; -: WAV to the standard output [default out.wav]");
  text("--sample-format", "FORMAT", o.record.sample_format, "pcm16 or float (FLAC: 24 bits) [default pcm16]")
      ->check(one_of({"pcm16", "float"}));
  text("--normalize", "HOW", o.record.normalize,
       "none: the voice's own level; peak: the loudest is full scale [default none]")
      ->check(one_of({"none", "peak"}));
  text("--timing", "FILE", o.record.timing, "Write when each sentence, mora and phone is heard (JSON, seconds)");
  text("--subtitles", "FILE", o.record.subtitles, "Write subtitles, one a sentence (SRT)");
  text("--stats", "FORM", o.stats, "Tell what it cost, on the standard error: json or text")
      ->check(one_of({"json", "text"}));
  app.add_flag("-q,--quiet", o.quiet, "Only errors and what was asked for")->group("Output");
}

}  // namespace

Command add_say(CLI::App& program) {
  const auto options = std::make_shared<SayOptions>();
  CLI::App& app = *program.add_subcommand("say", "Speak a text into an audio file");
  add_text_source(app, options->text);
  app.add_option("--voice", options->voice.voice,
                 "A voice by name (see 'hayakoe voices'), folder or .aivm file [default demo]")
      ->type_name("VOICE");
  add_voices_folder(app, options->voice);
  add_output_options(app, *options);
  add_speaking_options(app, options->speaking);
  add_reading_options(app, options->reading);
  add_machine_options(app, options->machine);
  app.footer("A text that begins with - goes behind --. Ctrl-C stops after the sentence at hand and leaves no file.");
  return {&app, [options] { return say(*options); }};
}

}  // namespace hayakoe::cli
