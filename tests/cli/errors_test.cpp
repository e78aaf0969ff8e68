// SPDX-License-Identifier: Apache-2.0
// Whatever the program is given, it speaks or says in one sentence what is wrong; it never crashes.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "audio_file.hpp"
#include "process.hpp"

namespace hayakoe::test {
namespace {

namespace fs = std::filesystem;

const std::string kData = HAYAKOE_TEST_DATA;

// A run that fails with `status` and one sentence in which `mention` stands, and leaves no audio file.
void expect_failure(int status, const std::string& mention, std::vector<std::string> arguments,
                    const std::string& input = "") {
  const ScratchFolder folder;
  if (!arguments.empty() && arguments.front() == "say") arguments.insert(arguments.end(), {"-o", folder.file("a.wav")});
  const Result result = run(arguments, input);
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.status, status) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("hayakoe: ")) << result.err;
  EXPECT_NE(result.err.find(mention), std::string::npos) << result.err;
  EXPECT_TRUE(folder.names().empty());
  // A usage error has a second line that says where help is.
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), status) << result.err;
}

AudioFile spoken(const std::string& text, const std::vector<std::string>& more = {}) {
  const ScratchFolder folder;
  std::vector<std::string> arguments{"say", "-o", folder.file("a.wav")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Result result = run(arguments, text);
  EXPECT_EQ(result.status, 0) << result.err;
  return read_audio(folder.file("a.wav"));
}

TEST(Text, WithNothingToSayIsAShortSilence) {
  for (const char* text : {"", " \n ", "😀🎉", "\xff\xfe\xfd", "。", "！？"}) {
    const ScratchFolder folder;
    const Result result = run({"say", text, "-o", folder.file("a.wav")});
    ASSERT_EQ(result.status, 0) << result.err;
    const AudioFile audio = read_audio(folder.file("a.wav"));
    EXPECT_GT(audio.seconds(), 0.05) << text;
    EXPECT_LT(audio.seconds(), 2.0) << text;
    EXPECT_EQ(audio.peak(), 0.0F) << text;
    EXPECT_NE(result.err.find("hayakoe: warning: "), std::string::npos) << result.err;
    EXPECT_EQ(run({"say", text, "-q", "-o", folder.file("a.wav")}).err, "");
  }
}

TEST(Text, WithBrokenPartsSpeaksTheRest) {
  for (const char* text : {"おは\xffよう", "おはよう😀", "\xe3\x81おはよう", "おはよう\xed\xa0\x80"}) {
    EXPECT_GT(spoken(text).peak(), 0.05F) << text;
  }
}

// Half of it in sentences, half without a single mark. Spoken as fast as it goes, since tests are in a hurry.
TEST(Text, OfManyCharactersIsSpoken) {
  std::string text;
  constexpr int kTimes = 15;
  for (int i = 0; i < kTimes; ++i) text += "これは長い文章の中の一つの短い文なのです。\n";
  for (int i = 0; i < kTimes; ++i) text += "これは長い文章の中の一つの短い文なのだが";
  const AudioFile audio = spoken(text, {"--speed", "10", "--pause", "none"});
  EXPECT_GT(audio.seconds(), 0.5 * 2 * kTimes);
  EXPECT_GT(audio.peak(), 0.05F);
}

TEST(Text, OfAHundredThousandUnreadableCharactersIsASilence) {
  std::string text;
  constexpr int kCharacters = 100'000;
  for (int i = 0; i < kCharacters; ++i) text += "😀";
  EXPECT_EQ(spoken(text).peak(), 0.0F);
}

TEST(Usage, ErrorsExitWithTwo) {
  const std::vector<std::vector<std::string>> wrong{
      {"say", "--no-such-option", "あ"}, {"say", "あ", "い"},
      {"say", "あ", "--speed", "fast"},  {"say", "あ", "--seed", "-1"},
      {"say", "あ", "--seed", "1.5"},    {"say", "あ", "--threads", "many"},
      {"say", "あ", "--pause", "long"},  {"say", "あ", "--normalize", "loud"},
      {"say", "あ", "--stats", "xml"},   {"say", "あ", "--text-rules", "mine"},
      {"say", "あ", "-f", "x"},          {"say", "あ", "--speed", "2", "--length-scale", "2"},
  };
  for (const auto& arguments : wrong) expect_failure(2, "hayakoe", arguments);
  expect_failure(2, "hayakoe", {});
  expect_failure(2, "shout", {"shout"});
  expect_failure(2, "hayakoe", {"info"});
  expect_failure(2, "jsonl", {"g2p", "あ", "--jsonl", "-"});
}

TEST(Usage, NumbersOutOfRangeNameOptionValueAndRange) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"--speed", "0"},          {"--speed", "nan"},     {"--length-scale", "0"}, {"--length-scale", "21"},
      {"--sdp-ratio", "1.5"},    {"--noise", "-1"},      {"--noise-w", "11"},     {"--assist-weight", "2"},
      {"--style-weight", "1e9"}, {"--threads", "99999"}, {"--pause", "61"},       {"--pause-min", "inf"},
  };
  for (const auto& [option, value] : wrong) expect_failure(1, "use ", {"say", "あ", option, value});
}

TEST(Usage, HelpAndVersionGoToTheStandardOutput) {
  EXPECT_TRUE(run({"--version"}).out.starts_with("hayakoe 0."));
  for (const std::string command : {"say", "g2p", "voices", "info"}) {
    const Result help = run({command, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_NE(help.out.find("Usage: hayakoe " + command), std::string::npos) << help.out;
    EXPECT_NE(run({"--help"}).out.find("\n  " + command), std::string::npos);
  }
}

TEST(Paths, ThatAreWrongAreNamed) {
  const ScratchFolder folder;
  const std::string nowhere = folder.file("nowhere");
  expect_failure(1, nowhere, {"say", "あ", "--voice", nowhere});
  expect_failure(1, nowhere, {"say", "あ", "--voices", nowhere});
  expect_failure(1, nowhere, {"say", "あ", "--bert", nowhere});
  expect_failure(1, nowhere, {"say", "あ", "--dictionary", nowhere});
  expect_failure(1, nowhere, {"say", "あ", "--english", nowhere});
  expect_failure(1, nowhere, {"say", "あ", "--words", nowhere});
  expect_failure(1, nowhere, {"say", "-f", nowhere});
  expect_failure(1, folder.path().string(), {"say", "-f", folder.path().string()});
  expect_failure(1, nowhere, {"say", "あ", "--timing", nowhere + "/t.json"});
  expect_failure(1, nowhere, {"g2p", "--jsonl", nowhere});
  expect_failure(1, nowhere, {"g2p", "--json", "あ", "--bert", nowhere});
  expect_failure(1, "nobody", {"say", "あ", "--voice", "nobody"});
  for (const std::string& output : {nowhere + "/a.wav", folder.file("a.txt"), folder.path().string()}) {
    const Result result = run({"say", "あ", "-o", output});
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_NE(result.err.find("hayakoe: "), std::string::npos) << result.err;
  }
  EXPECT_TRUE(folder.names().empty());
}

// A copy of a small voice in which one file is changed.
class BrokenVoice {
 public:
  BrokenVoice() { copy_voice(path()); }
  [[nodiscard]] fs::path path() const { return folder_.path() / "voice"; }
  void expect_failure_naming(const std::string& file) const {
    expect_failure(1, file, {"say", "あ", "--voice", path().string(), "--bert", kData + "/bert-tiny"});
  }

 private:
  ScratchFolder folder_;
};

TEST(BrokenVoices, TruncatedWeights) {
  const std::string whole = read_file(kData + "/voice-tiny/model.safetensors");
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, std::size_t{100}, whole.size() / 2, whole.size() - 1}) {
    const BrokenVoice voice;
    write_file(voice.path() / "model.safetensors", whole.substr(0, size));
    voice.expect_failure_naming("model.safetensors");
  }
}

TEST(BrokenVoices, ConfigWithAWrongType) {
  const auto original = nlohmann::json::parse(read_file(kData + "/voice-tiny/config.json"));
  for (const char* key :
       {"/data/sampling_rate", "/model/n_layers", "/data/spk2id", "/model/upsample_rates", "/version"}) {
    const BrokenVoice voice;
    auto config = original;
    const nlohmann::json::json_pointer pointer(key);
    ASSERT_TRUE(config.contains(pointer)) << key;
    config[pointer] = config[pointer].is_string() ? nlohmann::json(1) : nlohmann::json("wrong");
    write_file(voice.path() / "config.json", config.dump());
    voice.expect_failure_naming("config.json");
  }
  const BrokenVoice voice;
  write_file(voice.path() / "config.json", "{\"data\": ");
  voice.expect_failure_naming("config.json");
}

TEST(BrokenVoices, MissingFiles) {
  for (const char* name : {"config.json", "style_vectors.npy", "model.safetensors"}) {
    const BrokenVoice voice;
    fs::remove(voice.path() / name);
    voice.expect_failure_naming(voice.path().string());
  }
}

TEST(BrokenVoices, BertThatDoesNotFit) {
  const ScratchFolder folder;
  const fs::path bert = folder.path() / "other-bert";
  fs::copy(kData + "/bert-tiny", bert);
  auto config = nlohmann::json::parse(read_file(bert / "config.json"));
  config["hidden_size"] = 2 * config["hidden_size"].get<int>();
  write_file(bert / "config.json", config.dump());
  expect_failure(1, "other-bert", {"say", "あ", "--bert", bert.string()});
}

}  // namespace
}  // namespace hayakoe::test
