// SPDX-License-Identifier: Apache-2.0
#include "audio/format.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "audio/writer.hpp"
#include "audio_helpers.hpp"

namespace hayakoe::audio {
namespace {

using test::expect_error;

TEST(Container, ByExtension) {
  EXPECT_EQ(container_for("a.wav"), Container::kWav);
  EXPECT_EQ(container_for("/x.mp3/a.WAV"), Container::kWav);
  EXPECT_EQ(container_for("a.b.Flac"), Container::kFlac);
  EXPECT_EQ(container_for("音.ogg"), Container::kOgg);
  EXPECT_EQ(container_for("a.mP3"), Container::kMp3);
  for (const char* name : {"a", "a.", "a.txt", ".wav", "a.wav/b", "", "a.wav "}) {
    expect_error([&] { (void)container_for(name); }, {name, ".wav", ".flac", ".ogg", ".mp3"});
  }
  EXPECT_EQ(container_from_name("WAV"), Container::kWav);
  expect_error([] { (void)container_from_name("aac"); }, {"aac", "wav, flac, ogg or mp3"});
}

TEST(Container, SamplingRates) {
  const test::TempFolder folder;
  const auto refused = [&](const char* name, int rate, std::initializer_list<std::string_view> parts) {
    SCOPED_TRACE(std::string(name) + " " + std::to_string(rate));
    expect_error([&] { (void)AudioWriter::to_file(folder.path() / name, rate, SampleFormat::kPcm16); }, parts);
  };
  refused("a.wav", 0, {"0 Hz", "wav", "positive"});
  refused("a.wav", -44100, {"-44100 Hz"});
  refused("a.flac", 0, {"flac", "655350"});
  refused("a.flac", 65537, {"flac", "multiple of 10"});
  refused("a.flac", 655360, {"flac", "655350"});
  refused("a.ogg", 7999, {"ogg", "8000 to 192000"});
  refused("a.ogg", 192001, {"ogg", "8000 to 192000"});
  refused("a.mp3", 44000, {"mp3", "44100"});
  refused("a.mp3", 96000, {"mp3", "48000"});
  EXPECT_TRUE(folder.names().empty());
  const auto samples = test::tone(10'000, 44100);
  for (const auto& [name, rate] : std::vector<std::pair<const char*, int>>{{"a.wav", 1},
                                                                           {"a.wav", 2147483647},
                                                                           {"a.flac", 1},
                                                                           {"a.flac", 65535},
                                                                           {"a.flac", 655350},
                                                                           {"a.ogg", 8000},
                                                                           {"a.ogg", 11025},
                                                                           {"a.ogg", 96000},
                                                                           {"a.ogg", 192000}}) {
    SCOPED_TRACE(std::string(name) + " " + std::to_string(rate));
    auto writer = AudioWriter::to_file(folder.path() / name, rate, SampleFormat::kPcm16);
    writer.write(samples);
    writer.close();
    const auto decoded = test::decode(folder.path() / name);
    EXPECT_EQ(decoded.info.samplerate, rate);
    EXPECT_EQ(decoded.samples.size(), samples.size());
  }
}

}  // namespace
}  // namespace hayakoe::audio
