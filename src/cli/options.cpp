// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "cli/command.hpp"
#include "engine/folders.hpp"

namespace hayakoe::cli {
namespace fs = std::filesystem;
namespace {

// The whole of `text` as a number, whatever the locale.
template <typename Number>
std::optional<Number> parse(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number value{};
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || fault != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

template <typename Number>
CLI::Option* add_parsed(CLI::App& app, const std::string& name, const char* kind, const std::string& description,
                        std::function<void(Number)> set) {
  const auto store = [set = std::move(set), name, kind](const std::string& text) {
    const auto value = parse<Number>(text);
    if (!value) throw CLI::ValidationError(fmt::format("{}: '{}' is not {}", name, text, kind));
    set(*value);
  };
  return app.add_option_function<std::string>(name, store, description)->type_name("N");
}

CLI::Option* add_optional(CLI::App& app, const std::string& name, std::optional<double>& value,
                          const std::string& description) {
  return add_parsed<double>(app, name, "a number", description, [&value](double v) { value = v; });
}

CLI::Option* add_text(CLI::App& app, const std::string& name, const std::string& type, std::string& value,
                      const std::string& description) {
  return app.add_option(name, value, description)->type_name(type);
}

PauseOptions pause_options(const std::string& pause, PauseOptions options) {
  if (pause == "predicted") {
    options.mode = PauseOptions::Mode::kPredicted;
  } else if (pause == "none") {
    options.mode = PauseOptions::Mode::kNone;
  } else if (const auto seconds = parse<double>(pause)) {
    options.mode = PauseOptions::Mode::kFixed;
    options.seconds = *seconds;
  } else {
    throw UsageError(fmt::format("--pause: '{}' is neither 'predicted' nor 'none' nor a number of seconds", pause));
  }
  return options;
}

double speed_of(const SpeakingOptions& options) {
  if (!options.length_scale) return options.speed.value_or(1.0);
  if (options.speed) throw UsageError("--speed and --length-scale say the same thing; give one of them");
  constexpr double kLeast = 0.1;  // the range of the speed, turned over
  constexpr double kMost = 10;
  const double scale = *options.length_scale;
  if (!(scale >= kLeast && scale <= kMost)) {
    throw Error(fmt::format("length-scale: {} is out of range; use {} to {}", scale, kLeast, kMost));
  }
  // Turned over twice, the ends of the range must not fall out of it.
  return std::clamp(1.0 / scale, 1.0 / kMost, 1.0 / kLeast);
}

std::vector<int> parse_tones(const std::string& list) {
  std::vector<int> tones;
  for (const std::string& part : split_list(list)) {
    const auto tone = parse<int>(part);
    if (!tone) throw UsageError(fmt::format("--tones: '{}' is not a tone; use 0 (low) and 1 (high)", part));
    tones.push_back(*tone);
  }
  return tones;
}

}  // namespace

CLI::Option* add_number(CLI::App& app, const std::string& name, double& value, const std::string& description) {
  return add_parsed<double>(app, name, "a number", description, [&value](double v) { value = v; });
}

CLI::Option* add_whole(CLI::App& app, const std::string& name, int& value, const std::string& description) {
  return add_parsed<int>(app, name, "a whole number", description, [&value](int v) { value = v; });
}

CLI::Option* add_whole(CLI::App& app, const std::string& name, std::uint64_t& value, const std::string& description) {
  return add_parsed<std::uint64_t>(app, name, "a whole number from 0 to 2^64 - 1", description,
                                   [&value](std::uint64_t v) { value = v; });
}

void add_reading_options(CLI::App& app, ReadingOptions& options) {
  app.add_option("--text-rules", options.rules,
                 "natural: read as people do; sbv2: exactly as Style-Bert-VITS2 [default natural]")
      ->type_name("RULES")
      ->check(CLI::IsMember({"natural", "sbv2"}).description(""))
      ->group("Reading");
  add_text(app, "--english", "FILE", options.english, "Read English words by this word<TAB>kana file instead")
      ->group("Reading");
  add_text(app, "--words", "FILE", options.words, "Add your own words: a CSV (surface,reading,accent) or JSON file")
      ->group("Reading");
  app.add_flag("--name-emoji", options.name_emoji, "Say the names of emoji instead of skipping them")->group("Reading");
  add_text(app, "--dictionary", "DIR", options.dictionary,
           "Open JTalk's dictionary [default $HAYAKOE_DICTIONARY or the system's]")
      ->group("Reading");
}

void add_voices_folder(CLI::App& app, VoiceChoice& choice) {
  add_text(app, "--voices", "DIR", choice.voices,
           "Look for voices here, then in $HAYAKOE_VOICES, ~/.local/share/hayakoe/voices and the box");
}

fs::path checked_voices_folder(const VoiceChoice& choice) {
  std::error_code ec;
  if (!choice.voices.empty() && !fs::is_directory(choice.voices, ec)) {
    throw Error(fmt::format("voices: there is no folder {}", choice.voices));
  }
  return choice.voices;
}

fs::path find_chosen_voice(const VoiceChoice& choice) {
  const fs::path first = checked_voices_folder(choice);
  try {
    return engine::find_voice(choice.voice, first);
  } catch (const Error&) {
    // A folder that is there but is no voice: opening it tells what it lacks.
    std::error_code ec;
    if (!choice.voice.empty() && fs::exists(choice.voice, ec)) return choice.voice;
    throw;
  }
}

void add_speaking_options(CLI::App& app, SpeakingOptions& options) {
  SpeakOptions& s = options.speak;
  const std::vector<CLI::Option*> all{
      add_text(app, "--style", "NAME", s.style, "Style by name or number, see 'hayakoe info' [default Neutral]"),
      add_number(app, "--style-weight", s.style_weight,
                 "0: neutral, 1: the style, more: exaggerated [-100 to 100, default 1]"),
      add_text(app, "--speaker", "NAME", s.speaker, "Speaker by name or number [default number 0]"),
      add_optional(app, "--speed", options.speed, "2 speaks twice as fast [0.1 to 10, default 1]"),
      add_optional(app, "--length-scale", options.length_scale,
                   "The model's own term, 1 / speed [0.1 to 10, default 1]"),
      add_number(app, "--sdp-ratio", s.sdp_ratio,
                 "Liveliness of the rhythm: share of the stochastic durations [0 to 1, default 0.2]"),
      add_number(app, "--noise", s.noise, "Randomness of the voice [0 to 10, default 0.6]"),
      add_number(app, "--noise-w", s.noise_w, "Randomness of the rhythm [0 to 10, default 0.8]"),
      add_whole(app, "--seed", s.seed, "The same seed gives the same waveform [0 to 2^64 - 1, default 0]"),
      add_text(app, "--assist", "TEXT", s.assist_text, "A text that is not spoken, but whose mood colours the speech"),
      add_number(app, "--assist-weight", s.assist_weight, "How much it does [0 to 1, default 1]"),
      add_text(app, "--pause", "PAUSE", options.pause,
               "Between sentences: predicted, none, or seconds [0 to 60, default predicted]"),
      add_number(app, "--pause-min", s.pause.minimum, "Least predicted pause, seconds [0 to 60, default 0.08]"),
      app.add_flag("--ssml", s.ssml, "The text is SSML: <speak> with p, s, break, prosody, sub, say-as, phoneme"),
      app.add_flag_function(
          "--no-split", [&s](std::int64_t) { s.split = false; }, "Speak the text in one breath"),
      app.add_option_function<std::string>(
             "--phones", [&options](const std::string& v) { options.phones = v; },
             "Speak these phones instead of the text's: \"k o N n i ...\"; needs --tones")
          ->type_name("LIST"),
      app.add_option_function<std::string>(
             "--tones", [&options](const std::string& v) { options.tones = v; },
             "0 (low) or 1 (high) a phone; alone: for the phones of the text as 'hayakoe g2p' shows them")
          ->type_name("LIST"),
  };
  for (CLI::Option* option : all) option->group("Speaking");
}

std::vector<std::string> split_list(std::string_view list) {
  constexpr std::string_view kSeparators = " \t\r\n";
  std::vector<std::string> parts;
  std::size_t at = 0;
  while ((at = list.find_first_not_of(kSeparators, at)) != std::string_view::npos) {
    const std::size_t end = std::min(list.find_first_of(kSeparators, at), list.size());
    parts.emplace_back(list.substr(at, end - at));
    at = end;
  }
  return parts;
}

void add_ends(std::vector<std::string>& phones, std::vector<int>& tones) {
  const bool equal = phones.size() == tones.size();
  if (phones.empty() || phones.front() != "_") {
    phones.insert(phones.begin(), "_");
    if (equal) tones.insert(tones.begin(), 0);
  }
  if (phones.size() < 2 || phones.back() != "_") {
    phones.emplace_back("_");
    if (equal) tones.push_back(0);
  }
}

SpeakOptions speak_options(const SpeakingOptions& options, const ReadingOptions& reading) {
  SpeakOptions speak = options.speak;
  speak.rules = reading.text_rules();
  speak.name_emoji = reading.name_emoji;
  speak.speed = speed_of(options);
  speak.pause = pause_options(options.pause, speak.pause);
  if (options.phones && !options.tones) throw UsageError("--phones needs --tones: a tone (0 or 1) for each phone");
  if (options.tones) speak.tones = parse_tones(*options.tones);
  if (options.phones) {
    speak.phones = split_list(*options.phones);
    add_ends(*speak.phones, *speak.tones);
  }
  return speak;
}

}  // namespace hayakoe::cli
