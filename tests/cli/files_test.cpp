// SPDX-License-Identifier: Apache-2.0
// The files that `say` leaves: formats, levels, timing, subtitles, stats; and what an interrupt leaves.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "audio_file.hpp"
#include "process.hpp"

namespace hayakoe::test {
namespace {

constexpr const char* kText = "こんにちは。今日はいい天気ですね。";

AudioFile say_to(const ScratchFolder& folder, const std::string& name, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"say", kText, "-q", "-o", folder.file(name)});
  const Result result = run(more);
  EXPECT_EQ(result.status, 0) << result.err;
  return read_audio(folder.file(name));
}

TEST(Files, ExtensionDecidesTheFormat) {
  const ScratchFolder folder;
  const AudioFile wav = say_to(folder, "a.wav");
  EXPECT_EQ(wav.format, SF_FORMAT_WAV | SF_FORMAT_PCM_16);
  const AudioFile flac = say_to(folder, "a.FLAC");
  EXPECT_EQ(flac.format, SF_FORMAT_FLAC | SF_FORMAT_PCM_16);
  EXPECT_TRUE(flac.samples == wav.samples);
  const AudioFile ogg = say_to(folder, "a.ogg");
  EXPECT_EQ(ogg.format & SF_FORMAT_SUBMASK, SF_FORMAT_VORBIS);
  EXPECT_EQ(ogg.samples.size(), wav.samples.size());
  const AudioFile floats = say_to(folder, "b.wav", {"--sample-format", "float"});
  EXPECT_EQ(floats.format, SF_FORMAT_WAV | SF_FORMAT_FLOAT);
  ASSERT_EQ(floats.samples.size(), wav.samples.size());
  EXPECT_NEAR(floats.peak(), wav.peak(), 1e-4);
}

TEST(Files, Mp3IsWrittenOrRefusedWithAReason) {
  const ScratchFolder folder;
  const Result result = run({"say", kText, "-q", "-o", folder.file("a.mp3")});
  if (result.status == 0) {
    EXPECT_GT(read_audio(folder.file("a.mp3")).seconds(), 1.0);
  } else {
    EXPECT_EQ(result.status, 1);
    EXPECT_NE(result.err.find("MP3"), std::string::npos) << result.err;
    EXPECT_TRUE(folder.names().empty());
  }
}

TEST(Files, NormalizePeakIsFullScale) {
  const ScratchFolder folder;
  const AudioFile plain = say_to(folder, "a.wav");
  const AudioFile loud = say_to(folder, "b.wav", {"--normalize", "peak"});
  EXPECT_LT(plain.peak(), 0.99F);
  EXPECT_NEAR(loud.peak(), 1.0F, 1e-3);
  ASSERT_EQ(loud.samples.size(), plain.samples.size());
}

TEST(Files, TimingFitsTheAudio) {
  const ScratchFolder folder;
  const AudioFile audio = say_to(folder, "a.wav", {"--timing", folder.file("t.json")});
  const auto timing = nlohmann::json::parse(read_file(folder.file("t.json")));
  constexpr double kRounding = 1e-6;
  EXPECT_EQ(timing["sample_rate"], audio.rate);
  EXPECT_NEAR(timing["duration"].get<double>(), audio.seconds(), kRounding);
  ASSERT_EQ(timing["sentences"].size(), 2U);
  EXPECT_EQ(timing["sentences"][0]["text"], "こんにちは。");
  EXPECT_EQ(timing["sentences"][1]["text"], "今日はいい天気ですね。");
  EXPECT_EQ(timing["sentences"][0]["moras"][0]["kana"], "コ");
  EXPECT_EQ(timing["sentences"][0]["phones"][0]["phone"], "k");
  double at = 0;
  for (const auto& sentence : timing["sentences"]) {
    EXPECT_GE(sentence["begin"].get<double>(), at - kRounding);
    for (const char* kind : {"moras", "phones"}) {
      double sound_at = sentence["begin"];
      ASSERT_GT(sentence[kind].size(), 5U);
      for (const auto& sound : sentence[kind]) {
        EXPECT_GE(sound["begin"].get<double>(), sound_at - kRounding);
        EXPECT_GE(sound["end"].get<double>(), sound["begin"].get<double>());
        EXPECT_TRUE(sound["tone"] == 0 || sound["tone"] == 1);
        sound_at = sound["end"];
      }
      EXPECT_LE(sound_at, sentence["end"].get<double>() + kRounding);
    }
    at = sentence["end"];
  }
  EXPECT_NEAR(at, audio.seconds(), kRounding);
}

TEST(Files, SubtitlesHaveACueASentence) {
  const ScratchFolder folder;
  (void)say_to(folder, "a.wav", {"--subtitles", folder.file("a.srt")});
  const std::string srt = read_file(folder.file("a.srt"));
  EXPECT_TRUE(srt.starts_with("1\n00:00:00,000 --> 00:00:0")) << srt;
  EXPECT_NE(srt.find("\nこんにちは。\n\n2\n"), std::string::npos) << srt;
  EXPECT_NE(srt.find("\n今日はいい天気ですね。\n"), std::string::npos) << srt;
}

TEST(Files, StatsTellTheCost) {
  const ScratchFolder folder;
  const Result json = run({"say", kText, "-q", "-o", folder.file("a.wav"), "--stats", "json"});
  ASSERT_EQ(json.status, 0) << json.err;
  EXPECT_EQ(json.out, "");
  const auto stats = nlohmann::json::parse(json.err);  // quiet: nothing but the object
  EXPECT_EQ(stats["sentences"], 2);
  EXPECT_GE(stats["bert_rows"].get<int>(), 20);
  EXPECT_NEAR(stats["audio_seconds"].get<double>(), read_audio(folder.file("a.wav")).seconds(), 1e-5);
  EXPECT_GT(stats["times_real_time"].get<double>(), 0.0);
  EXPECT_TRUE(stats["device"].get<std::string>().starts_with("cpu"));
  EXPECT_EQ(json_line(run({"say", kText, "-o", folder.file("a.wav"), "--stats", "json"}).err)["sentences"], 2);
  EXPECT_NE(run({"say", "あ", "-o", folder.file("a.wav"), "--stats", "text"}).err.find("bert_rows"), std::string::npos);
}

TEST(Files, DefaultIsOutWavInTheWorkingFolder) {
  const ScratchFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const Result result = run({"say", "はい"});
  std::filesystem::current_path(before);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(folder.names(), std::vector<std::string>{"out.wav"});
}

TEST(Files, InterruptLeavesNothingBehind) {
  const ScratchFolder folder;
  std::string book;
  for (int i = 0; i < 2000; ++i) book += "今日はとてもいい天気なので、散歩に行きましょう。\n";
  for (const auto& [signal, status] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    Process process({"say", "-o", folder.file("a.wav"), "--timing", folder.file("t.json")}, book);
    // Once the file is being written under its other name, the first sentence is on its way.
    constexpr auto kPatience = std::chrono::seconds(20);
    const auto start = std::chrono::steady_clock::now();
    while (folder.names().empty() && std::chrono::steady_clock::now() - start < kPatience) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    process.send(signal);
    const Result result = process.wait();
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_NE(result.err.find("interrupted"), std::string::npos) << result.err;
    EXPECT_TRUE(folder.names().empty());
  }
}

}  // namespace
}  // namespace hayakoe::test
