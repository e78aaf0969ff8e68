// SPDX-License-Identifier: Apache-2.0
// What is spoken: the same text by every way in, and what each option does to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "audio_file.hpp"
#include "process.hpp"

namespace hayakoe::test {
namespace {

constexpr const char* kText = "こんにちは。今日はいい天気ですね。";
constexpr int kRate = 22050;

// Speaks into a WAV file of its own; more arguments may follow.
std::string speak(const std::string& text, const std::vector<std::string>& more = {}) {
  const ScratchFolder folder;
  std::vector<std::string> arguments{"say", text, "-q", "-o", folder.file("a.wav")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Result result = run(arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "");
  return read_file(folder.path() / "a.wav");
}

TEST(Say, WritesAWavFileAndSaysSo) {
  const ScratchFolder folder;
  const Result result = run({"say", kText, "-o", folder.file("a.wav")});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with(folder.file("a.wav") + ": ")) << result.err;
  EXPECT_NE(result.err.find(" s of speech in "), std::string::npos) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;

  const AudioFile audio = read_audio(folder.file("a.wav"));
  EXPECT_EQ(audio.rate, kRate);
  EXPECT_EQ(audio.channels, 1);
  EXPECT_GT(audio.samples.size(), static_cast<std::size_t>(kRate));
  EXPECT_GT(audio.peak(), 0.05F);
}

TEST(Say, TextFromArgumentFileAndStandardInputIsTheSame) {
  const ScratchFolder folder;
  const std::string expected = speak(kText);
  write_file(folder.path() / "text.txt", std::string("\xEF\xBB\xBF") + kText + "\r\n");
  ASSERT_EQ(run({"say", "-f", folder.file("text.txt"), "-o", folder.file("file.wav")}).status, 0);
  ASSERT_EQ(run({"say", "-f", "-", "-o", folder.file("dash.wav")}, kText).status, 0);
  ASSERT_EQ(run({"say", "-o", folder.file("stdin.wav")}, std::string(kText) + "\n").status, 0);
  for (const char* name : {"file.wav", "dash.wav", "stdin.wav"}) {
    EXPECT_TRUE(read_file(folder.path() / name) == expected) << name;
  }
}

TEST(Say, StandardOutputGetsTheBytesOfTheFile) {
  const Result result = run({"say", kText, "-o", "-"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(result.out == speak(kText));
  EXPECT_NE(result.err.find("standard output: "), std::string::npos);
}

TEST(Say, SeedDecidesTheWaveform) {
  const std::string first = speak("おはよう。", {"--seed", "7"});
  EXPECT_TRUE(first == speak("おはよう。", {"--seed", "7"}));
  EXPECT_FALSE(first == speak("おはよう。", {"--seed", "8"}));
}

TEST(Say, SpeedAndLengthScaleAreInverse) {
  const auto length = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"--sdp-ratio", "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return speak("今日はいい天気ですね", arguments).size();
  };
  const auto normal = static_cast<double>(length({}));
  const auto fast = static_cast<double>(length({"--speed", "2"}));
  EXPECT_GT(fast / normal, 0.4);
  EXPECT_LT(fast / normal, 0.7);  // no phone is shorter than a frame
  EXPECT_EQ(static_cast<double>(length({"--length-scale", "0.5"})), fast);
  EXPECT_NEAR(static_cast<double>(length({"--speed", "0.5"})) / normal, 2.0, 0.25);
}

TEST(Say, FixedPauseIsAsLongAsAskedFor) {
  const auto seconds = [](const char* pause) {
    return static_cast<double>(speak(kText, {"--pause", pause}).size()) / (2.0 * kRate);
  };
  EXPECT_NEAR(seconds("2.5") - seconds("1.5"), 1.0, 0.01);
  EXPECT_LT(seconds("none"), seconds("1"));
}

TEST(Say, StyleChangesTheVoiceAndUnknownOnesAreListed) {
  EXPECT_FALSE(speak("おはよう") == speak("おはよう", {"--style", "Bright"}));
  EXPECT_TRUE(speak("おはよう", {"--style", "1"}) == speak("おはよう", {"--style", "Bright"}));
  const Result result = run({"say", "あ", "--style", "Shouting", "-o", "-"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("Bright"), std::string::npos) << result.err;
}

TEST(Say, GivenPhonesAreSpoken) {
  const ScratchFolder folder;
  const auto phones_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "say", "箸", "-q", "-o", folder.file("a.wav"), "--timing", folder.file("t.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    std::string phones;
    const auto timing = nlohmann::json::parse(read_file(folder.file("t.json")));
    for (const auto& phone : timing["sentences"][0]["phones"]) {
      phones += phone["phone"].get<std::string>() + std::to_string(phone["tone"].get<int>()) + " ";
    }
    return phones;
  };
  EXPECT_EQ(phones_of({"--phones", "h a sh i", "--tones", "0 0 1 1"}), "h0 a0 sh1 i1 ");
  EXPECT_EQ(phones_of({"--phones", "_ h a sh i _", "--tones", "0 0 0 1 1 0"}), "h0 a0 sh1 i1 ");
  EXPECT_EQ(phones_of({"--tones", "0 0 0 1 1 0"}), "h0 a0 sh1 i1 ");
  EXPECT_EQ(run({"say", "箸", "--phones", "h a sh i", "-o", "-"}).status, 2);
  EXPECT_EQ(run({"say", "箸", "--phones", "h a", "--tones", "0 x", "-o", "-"}).status, 2);
  const Result lengths = run({"say", "箸", "--phones", "h a sh i", "--tones", "0 1", "-o", "-"});
  EXPECT_EQ(lengths.status, 1) << lengths.err;
}

TEST(Say, UserWordsAndEnglishTableAreRead) {
  const ScratchFolder folder;
  write_file(folder.path() / "words.csv", "九龍堂,クーロンドー,0\n");
  write_file(folder.path() / "english.tsv", "zyxwv\tジクス\n");
  const auto kana = [&](const std::string& text, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "say", text, "-q", "-o", folder.file("a.wav"), "--timing", folder.file("t.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    std::string all;
    const auto timing = nlohmann::json::parse(read_file(folder.file("t.json")));
    for (const auto& mora : timing["sentences"][0]["moras"]) all += mora["kana"].get<std::string>();
    return all;
  };
  EXPECT_EQ(kana("九龍堂", {"--words", folder.file("words.csv")}), "クウロンドオ");
  EXPECT_EQ(kana("zyxwv", {"--english", folder.file("english.tsv")}), "ジクス");
}

TEST(Say, AivmFilesAndFoldersAreVoices) {
  const std::string data = HAYAKOE_TEST_DATA;
  const std::string bert = data + "/bert-tiny";
  const std::string folder = speak("はい", {"--voice", data + "/voice-tiny", "--bert", bert});
  EXPECT_TRUE(folder == speak("はい", {"--voice", data + "/voice-tiny.aivm", "--bert", bert}));
  EXPECT_TRUE(folder == speak("はい", {"--voice", "voice-tiny", "--voices", data, "--bert", bert}));
}

}  // namespace
}  // namespace hayakoe::test
