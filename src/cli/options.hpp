// SPDX-License-Identifier: Apache-2.0
// Groups of options that the commands share.
#pragma once

#include <hayakoe/hayakoe.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hayakoe::cli {

/// An option that takes a number; what is not one is a usage error. Ranges are checked by the library.
CLI::Option* add_number(CLI::App& app, const std::string& name, double& value, const std::string& description);

/// The same for whole numbers.
CLI::Option* add_whole(CLI::App& app, const std::string& name, int& value, const std::string& description);
CLI::Option* add_whole(CLI::App& app, const std::string& name, std::uint64_t& value, const std::string& description);

/// How text is read.
struct ReadingOptions {
  std::string rules = "natural";
  std::string dictionary;  ///< folder; empty: the default
  std::string english;     ///< file; empty: the built-in table
  std::string words;       ///< file of user words; empty: none
  bool name_emoji = false;

  [[nodiscard]] TextRules text_rules() const { return rules == "sbv2" ? TextRules::kSbv2 : TextRules::kNatural; }
};
void add_reading_options(CLI::App& app, ReadingOptions& options);

/// Where voices are, and which one.
struct VoiceChoice {
  std::string voice = "demo";  ///< name or path
  std::string voices;          ///< folder; empty: the default ones only
};
void add_voices_folder(CLI::App& app, VoiceChoice& choice);

/// The path of the voice. @throws Error if there is none, or no such `voices` folder
std::filesystem::path find_chosen_voice(const VoiceChoice& choice);

/// `choice.voices` as a path. @throws Error if it is given and no folder
std::filesystem::path checked_voices_folder(const VoiceChoice& choice);

/// How to speak.
struct SpeakingOptions {
  SpeakOptions speak;
  std::optional<double> speed;
  std::optional<double> length_scale;
  std::string pause = "predicted";
  std::optional<std::string> phones;
  std::optional<std::string> tones;
};
void add_speaking_options(CLI::App& app, SpeakingOptions& options);

/// The library's options from those of the command line. @throws UsageError for what cannot be parsed or contradicts
/// itself, Error for a length scale out of range
SpeakOptions speak_options(const SpeakingOptions& options, const ReadingOptions& reading);

/// The parts of a list that is separated by white space (a comma is a phone).
std::vector<std::string> split_list(std::string_view list);

/// Puts `_` at the ends of `phones` where it is missing, and tones 0 for them if there are as many tones as phones.
void add_ends(std::vector<std::string>& phones, std::vector<int>& tones);

}  // namespace hayakoe::cli
