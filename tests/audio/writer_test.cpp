// SPDX-License-Identifier: Apache-2.0
#include "audio/writer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <limits>
#include <thread>

#include "audio_helpers.hpp"

namespace hayakoe::audio {
namespace {

using test::expect_error;
using Names = std::vector<std::string>;

void write_in_pieces(AudioWriter& writer, std::span<const float> samples) {
  std::size_t size = 1;
  while (!samples.empty()) {
    const std::size_t count = std::min(size, samples.size());
    writer.write(samples.first(count));
    samples = samples.subspan(count);
    size = size * 3 + 1;
  }
}

float largest_difference(std::span<const float> a, std::span<const float> b) {
  float largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max(largest, std::fabs(a[i] - b[i]));
  }
  return largest;
}

// The strength of the 440 Hz tone in it: its amplitude, whatever the delay a codec has added.
double tone_amplitude(std::span<const float> samples, int rate) {
  double re = 0;
  double im = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double angle = 2 * std::numbers::pi * 440 * static_cast<double>(i) / rate;
    re += samples[i] * std::cos(angle);
    im += samples[i] * std::sin(angle);
  }
  return 2 * std::hypot(re, im) / static_cast<double>(samples.size());
}

TEST(AudioWriter, WavFileEqualsTheOneInMemory) {
  const test::TempFolder folder;
  const auto samples = test::tone(20'000, 44100);
  for (const SampleFormat format : {SampleFormat::kPcm16, SampleFormat::kFloat}) {
    const auto path = folder.path() / "a.wav";
    auto writer = AudioWriter::to_file(path, 44100, format);
    write_in_pieces(writer, samples);
    EXPECT_EQ(writer.samples(), 20'000U);
    writer.close();
    EXPECT_EQ(test::file_bytes(path), encode_wav(samples, 44100, format));
    std::string memory;
    auto other = AudioWriter::to_memory(memory, Container::kWav, 44100, format);
    other.write(samples);
    EXPECT_EQ(memory, "");
    other.close();
    EXPECT_EQ(memory, encode_wav(samples, 44100, format));
  }
}

TEST(AudioWriter, FlacHoldsTheSameSamples) {
  const test::TempFolder folder;
  auto samples = test::tone(30'000, 24000);
  samples[7] = 3.0F;
  samples[8] = -3.0F;
  samples[9] = std::numeric_limits<float>::quiet_NaN();
  for (const SampleFormat format : {SampleFormat::kPcm16, SampleFormat::kFloat}) {
    auto writer = AudioWriter::to_file(folder.path() / "a.flac", 24000, format);
    write_in_pieces(writer, samples);
    writer.close();
    const auto decoded = test::decode(folder.path() / "a.flac");
    const bool fine = format == SampleFormat::kFloat;
    EXPECT_EQ(decoded.info.format, SF_FORMAT_FLAC | (fine ? SF_FORMAT_PCM_24 : SF_FORMAT_PCM_16));
    EXPECT_EQ(decoded.info.samplerate, 24000);
    EXPECT_EQ(decoded.info.frames, 30'000);
    ASSERT_EQ(decoded.samples.size(), samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const float want = fine ? static_cast<float>(to_pcm24(samples[i])) / 8388608.0F
                              : static_cast<float>(to_pcm16(samples[i])) / 32768.0F;
      ASSERT_EQ(decoded.samples[i], want) << i;
    }
  }
}

TEST(AudioWriter, OggVorbis) {
  const test::TempFolder folder;
  // Longer than what the stack could hold if it were encoded in one go.
  const auto samples = test::tone(2'000'000, 44100);
  auto writer = AudioWriter::to_file(folder.path() / "a.ogg", 44100, SampleFormat::kPcm16);
  writer.write(samples);
  writer.close();
  const auto decoded = test::decode(folder.path() / "a.ogg");
  EXPECT_EQ(decoded.info.format, SF_FORMAT_OGG | SF_FORMAT_VORBIS);
  EXPECT_EQ(decoded.info.samplerate, 44100);
  ASSERT_EQ(decoded.samples.size(), samples.size());
  EXPECT_LT(largest_difference(decoded.samples, samples), 0.05F);
}

bool has_mp3() {
  try {
    check_can_write(Container::kMp3, SampleFormat::kPcm16, 44100);
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(AudioWriter, Mp3) {
  const test::TempFolder folder;
  const auto path = folder.path() / "a.mp3";
  if (!has_mp3()) {
    expect_error([&] { (void)AudioWriter::to_file(path, 44100, SampleFormat::kPcm16); }, {"mp3", "libsndfile"});
    GTEST_SKIP() << "this libsndfile writes no mp3";
  }
  for (const int rate : {44100, 24000, 8000}) {
    const auto samples = test::tone(60'000, rate);
    auto writer = AudioWriter::to_file(path, rate, SampleFormat::kPcm16);
    write_in_pieces(writer, samples);
    writer.close();
    const auto decoded = test::decode(path);
    EXPECT_EQ(decoded.info.samplerate, rate);
    EXPECT_EQ(decoded.info.channels, 1);
    EXPECT_NEAR(static_cast<double>(decoded.samples.size()), 60'000.0, 3000.0);
    EXPECT_NEAR(tone_amplitude(decoded.samples, rate), 0.5, 0.03);
  }
}

TEST(AudioWriter, StreamsInEveryContainer) {
  const test::TempFolder folder;
  const auto samples = test::tone(100'000, 44100);
  for (const Container container : {Container::kWav, Container::kFlac, Container::kOgg, Container::kMp3}) {
    if (container == Container::kMp3 && !has_mp3()) {
      continue;
    }
    SCOPED_TRACE(container_name(container));
    std::string received;
    std::size_t before_close = 0;
    auto writer = AudioWriter::to_stream([&](std::string_view bytes) { received += bytes; }, container, 44100,
                                         SampleFormat::kPcm16);
    write_in_pieces(writer, samples);
    before_close = received.size();
    writer.close();
    EXPECT_GT(before_close, received.size() / 3);  // it did not wait for the end
    const auto path = folder.path() / container_name(container);
    test::write_file(path, received);
    const auto decoded = test::decode(path);
    EXPECT_EQ(decoded.info.samplerate, 44100);
    EXPECT_NEAR(static_cast<double>(decoded.samples.size()), 100'000.0, container == Container::kMp3 ? 3000.0 : 0.0);
    // LAME makes constant bit rates 5 % quieter; and the silence around the tone counts.
    EXPECT_NEAR(tone_amplitude(decoded.samples, 44100), 0.5, container == Container::kMp3 ? 0.05 : 0.03);
  }
}

TEST(AudioWriter, NothingAtAllIsStillAFile) {
  const test::TempFolder folder;
  for (const char* name : {"a.wav", "a.flac", "a.ogg", "a.mp3"}) {
    if (container_for(name) == Container::kMp3 && !has_mp3()) {
      continue;
    }
    SCOPED_TRACE(name);
    auto writer = AudioWriter::to_file(folder.path() / name, 44100, SampleFormat::kPcm16);
    writer.write({});
    writer.close();
    const auto decoded = test::decode(folder.path() / name);
    EXPECT_EQ(decoded.info.samplerate, 44100);
    EXPECT_LE(decoded.samples.size(), container_for(name) == Container::kWav ? 0U : 1U);
  }
}

TEST(AudioWriter, NoFileBeforeClose) {
  const test::TempFolder folder;
  const auto samples = test::tone(10'000, 44100);
  for (const char* name : {"a.wav", "a.flac", "a.ogg"}) {
    {
      auto writer = AudioWriter::to_file(folder.path() / name, 44100, SampleFormat::kPcm16);
      writer.write(samples);
      EXPECT_FALSE(std::filesystem::exists(folder.path() / name));
      EXPECT_EQ(folder.names().size(), 1U);
    }
    EXPECT_EQ(folder.names(), Names{});
  }
}

TEST(AudioWriter, ReplacesAFileOnlyAtClose) {
  const test::TempFolder folder;
  const auto path = folder.path() / "a.wav";
  test::write_file(path, "old");
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  { auto abandoned = AudioWriter::to_file(path, 44100, SampleFormat::kPcm16); }
  EXPECT_EQ(test::file_bytes(path), "old");
  auto writer = AudioWriter::to_file(path, 44100, SampleFormat::kPcm16);
  EXPECT_EQ(test::file_bytes(path), "old");
  writer.close();
  writer.close();
  EXPECT_EQ(test::file_bytes(path).size(), 44U);
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0640));
  EXPECT_EQ(folder.names(), Names{"a.wav"});
}

TEST(AudioWriter, NewFileHasOrdinaryPermissions) {
  const test::TempFolder folder;
  const mode_t mask = ::umask(022);
  AudioWriter::to_file(folder.path() / "a.wav", 44100, SampleFormat::kPcm16).close();
  ::umask(mask);
  EXPECT_EQ(std::filesystem::status(folder.path() / "a.wav").permissions(), std::filesystem::perms(0644));
}

TEST(AudioWriter, WritesThroughALink) {
  const test::TempFolder folder;
  std::filesystem::create_directory(folder.path() / "d");
  test::write_file(folder.path() / "d" / "real.wav", "old");
  std::filesystem::create_symlink("d/real.wav", folder.path() / "link.wav");
  AudioWriter::to_file(folder.path() / "link.wav", 44100, SampleFormat::kPcm16).close();
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "link.wav"));
  EXPECT_EQ(test::file_bytes(folder.path() / "d" / "real.wav").size(), 44U);
}

TEST(AudioWriter, LongestFileName) {
  const test::TempFolder folder;
  const auto path = folder.path() / (std::string(251, 'x') + ".wav");
  AudioWriter::to_file(path, 44100, SampleFormat::kPcm16).close();
  EXPECT_TRUE(std::filesystem::exists(path));
  const auto longer = folder.path() / (std::string(252, 'x') + ".wav");
  expect_error([&] { (void)AudioWriter::to_file(longer, 44100, SampleFormat::kPcm16); }, {"too long"});
}

TEST(AudioWriter, PathsThatCannotBeWritten) {
  const test::TempFolder folder;
  std::filesystem::create_directory(folder.path() / "d.wav");
  test::write_file(folder.path() / "file", "x");
  const auto refused = [](const std::filesystem::path& path, std::string_view reason) {
    expect_error([&] { (void)AudioWriter::to_file(path, 44100, SampleFormat::kPcm16); }, {path.string(), reason});
  };
  refused(folder.path() / "d.wav", "folder");
  refused(folder.path() / "absent" / "a.wav", "No such file");
  refused(folder.path() / "file" / "a.wav", "Not a directory");
  EXPECT_EQ(folder.names(), (Names{"d.wav", "file"}));
}

TEST(AudioWriter, FullDevice) {
  const auto samples = test::tone(100'000, 44100);
  for (const Container container : {Container::kWav, Container::kFlac, Container::kOgg}) {
    SCOPED_TRACE(container_name(container));
    expect_error(
        [&] {
          auto writer = AudioWriter::to_file("/dev/full", container, 44100, SampleFormat::kPcm16);
          writer.write(samples);
          writer.close();
        },
        {"/dev/full", "No space left"});
  }
}

// A limit on the size of files fails as a full disk does, but for the reason it gives.
TEST(AudioWriter, FullDiskLeavesNothingBehind) {
  const test::TempFolder folder;
  const auto samples = test::tone(400'000, 44100);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  for (const char* name : {"a.wav", "a.flac"}) {
    SCOPED_TRACE(name);
    test::write_file(folder.path() / name, "old");
    rlimit tight = before;
    tight.rlim_cur = 50'000;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    auto writer = AudioWriter::to_file(folder.path() / name, 44100, SampleFormat::kPcm16);
    expect_error([&] { writer.write(samples); }, {name, "File too large"});
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    expect_error([&] { writer.write(samples); }, {name, "File too large"});
    expect_error([&] { writer.close(); }, {name, "File too large"});
    EXPECT_EQ(test::file_bytes(folder.path() / name), "old");
    std::filesystem::remove(folder.path() / name);
    EXPECT_EQ(folder.names(), Names{});
  }
  std::signal(SIGXFSZ, handler);
}

TEST(AudioWriter, DevicesAreWrittenDirectly) {
  auto writer = AudioWriter::to_file("/dev/null", Container::kWav, 44100, SampleFormat::kPcm16);
  writer.write(test::tone(1000, 44100));
  writer.close();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(AudioWriter, PipesGetTheStreamHeader) {
  const test::TempFolder folder;
  const auto fifo = folder.path() / "a.wav";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const auto samples = test::tone(100'000, 44100);
  std::string received;
  std::thread reader([&] { received = test::file_bytes(fifo); });
  auto writer = AudioWriter::to_file(fifo, 44100, SampleFormat::kPcm16);
  write_in_pieces(writer, samples);
  writer.close();
  reader.join();
  EXPECT_EQ(received, wav_stream_header(44100, SampleFormat::kPcm16) + pcm_bytes(samples, SampleFormat::kPcm16));
  EXPECT_EQ(folder.names(), Names{"a.wav"});
}

TEST(AudioWriter, WhatTheSinkThrowsComesOut) {
  struct Gone {};
  const auto samples = test::tone(100'000, 44100);
  for (const Container container : {Container::kWav, Container::kFlac, Container::kOgg}) {
    SCOPED_TRACE(container_name(container));
    std::size_t received = 0;
    auto writer = AudioWriter::to_stream(
        [&](std::string_view bytes) {
          received += bytes.size();
          if (received > 5000) {
            throw Gone();
          }
        },
        container, 44100, SampleFormat::kPcm16);
    EXPECT_THROW(
        {
          writer.write(samples);
          writer.close();
        },
        Gone);
    const std::size_t then = received;
    EXPECT_THROW(writer.close(), Gone);
    EXPECT_EQ(received, then);
    EXPECT_THROW(
        (void)AudioWriter::to_stream([](std::string_view) { throw Gone(); }, container, 44100, SampleFormat::kPcm16)
            .close(),
        Gone);
  }
}

TEST(AudioWriter, AnAbandonedStreamGetsNothingMore) {
  const auto samples = test::tone(100'000, 44100);
  for (const Container container : {Container::kWav, Container::kFlac, Container::kOgg}) {
    std::size_t calls = 0;
    std::size_t calls_before = 0;
    {
      auto writer = AudioWriter::to_stream([&](std::string_view) { ++calls; }, container, 44100, SampleFormat::kPcm16);
      writer.write(samples);
      calls_before = calls;
    }
    EXPECT_EQ(calls, calls_before);
  }
}

TEST(AudioWriter, WritingAfterCloseIsAnError) {
  std::string out;
  auto writer = AudioWriter::to_memory(out, Container::kWav, 44100, SampleFormat::kPcm16);
  writer.close();
  expect_error([&] { writer.write(std::vector<float>(1)); }, {"closed"});
  EXPECT_EQ(out.size(), 44U);
}

TEST(AudioWriter, MovesKeepTheFile) {
  std::string out;
  auto first = AudioWriter::to_memory(out, Container::kWav, 44100, SampleFormat::kPcm16);
  first.write(std::vector<float>(2));
  AudioWriter second = std::move(first);
  second.write(std::vector<float>(3));
  second.close();
  EXPECT_EQ(out, encode_wav(std::vector<float>(5), 44100, SampleFormat::kPcm16));
}

TEST(AudioWriter, TheSameSamplesGiveTheSameFile) {
  const auto samples = test::tone(50'000, 44100);
  for (const Container container : {Container::kWav, Container::kFlac}) {
    std::string whole;
    std::string pieces;
    auto one = AudioWriter::to_memory(whole, container, 44100, SampleFormat::kPcm16);
    one.write(samples);
    one.close();
    auto other = AudioWriter::to_memory(pieces, container, 44100, SampleFormat::kPcm16);
    write_in_pieces(other, samples);
    other.close();
    EXPECT_EQ(whole, pieces);
  }
}

}  // namespace
}  // namespace hayakoe::audio
