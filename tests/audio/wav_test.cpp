// SPDX-License-Identifier: Apache-2.0
#include "audio/wav.hpp"

#include <gtest/gtest.h>

#include "audio_helpers.hpp"

namespace hayakoe::audio {
namespace {

using namespace std::string_literals;

TEST(Wav, ExactBytesOf16Bits) {
  const std::vector<float> samples = {0.0F, 1.0F, -1.0F, 0.5F};
  const std::string want =
      "RIFF\x2c\0\0\0WAVE"
      "fmt \x10\0\0\0\x01\0\x01\0\x44\xac\0\0\x88\x58\x01\0\x02\0\x10\0"
      "data\x08\0\0\0"
      "\0\0\xff\x7f\x01\x80\0\x40"s;
  EXPECT_EQ(encode_wav(samples, 44100, SampleFormat::kPcm16), want);
}

TEST(Wav, ExactBytesOfFloats) {
  const std::vector<float> samples = {1.0F, -2.5F};
  const std::string want =
      "RIFF\x3a\0\0\0WAVE"
      "fmt \x12\0\0\0\x03\0\x01\0\x80\x3e\0\0\0\xfa\0\0\x04\0\x20\0\0\0"
      "fact\x04\0\0\0\x02\0\0\0"
      "data\x08\0\0\0"
      "\0\0\x80\x3f\0\0\x20\xc0"s;
  EXPECT_EQ(encode_wav(samples, 16000, SampleFormat::kFloat), want);
}

TEST(Wav, EmptyAudioIsAValidFile) {
  const std::string file = encode_wav({}, 24000, SampleFormat::kPcm16);
  EXPECT_EQ(file.size(), 44U);
  EXPECT_EQ(file.substr(4, 4), "\x24\0\0\0"s);
  EXPECT_EQ(file.substr(40), "\0\0\0\0"s);
}

TEST(Wav, StreamHeaderHasUnknownSizes) {
  for (const SampleFormat format : {SampleFormat::kPcm16, SampleFormat::kFloat}) {
    const std::string exact = wav_header(44100, format, 0);
    std::string stream = wav_stream_header(44100, format);
    ASSERT_EQ(stream.size(), exact.size());
    EXPECT_EQ(stream.substr(4, 4), "\xff\xff\xff\xff");
    EXPECT_EQ(stream.substr(stream.size() - 8), "data\xff\xff\xff\xff");
    stream.replace(4, 4, exact, 4, 4);
    stream.replace(stream.size() - 4, 4, "\0\0\0\0"s);
    if (format == SampleFormat::kFloat) {
      EXPECT_EQ(stream.substr(46, 4), "\xff\xff\xff\xff");
      stream.replace(46, 4, "\0\0\0\0"s);
    }
    EXPECT_EQ(stream, exact);
  }
}

TEST(Wav, StreamedPiecesAreTheWholeFile) {
  const auto samples = test::tone(1000, 44100);
  const std::span<const float> view(samples);
  for (const SampleFormat format : {SampleFormat::kPcm16, SampleFormat::kFloat}) {
    const std::string whole = encode_wav(samples, 44100, format);
    const std::string pieces = wav_stream_header(44100, format) + pcm_bytes(view.first(1), format) +
                               pcm_bytes({}, format) + pcm_bytes(view.subspan(1), format);
    const std::size_t header = wav_header(44100, format, 0).size();
    ASSERT_EQ(pieces.size(), whole.size());
    EXPECT_EQ(pieces.substr(header), whole.substr(header));
  }
}

TEST(Wav, ReadersAcceptBothHeaders) {
  const test::TempFolder folder;
  const auto samples = test::tone(5000, 22050);
  for (const SampleFormat format : {SampleFormat::kPcm16, SampleFormat::kFloat}) {
    test::write_file(folder.path() / "whole.wav", encode_wav(samples, 22050, format));
    test::write_file(folder.path() / "stream.wav", wav_stream_header(22050, format) + pcm_bytes(samples, format));
    const auto whole = test::decode(folder.path() / "whole.wav");
    EXPECT_EQ(whole.info.samplerate, 22050);
    EXPECT_EQ(whole.info.channels, 1);
    EXPECT_EQ(whole.info.frames, 5000);
    EXPECT_EQ(whole.info.format, SF_FORMAT_WAV | (format == SampleFormat::kFloat ? SF_FORMAT_FLOAT : SF_FORMAT_PCM_16));
    const auto stream = test::decode(folder.path() / "stream.wav");
    EXPECT_EQ(stream.samples, whole.samples);
    if (format == SampleFormat::kFloat) {
      EXPECT_EQ(whole.samples, samples);
    }
  }
}

TEST(Wav, SizesThatDoNotFit) {
  EXPECT_EQ(wav_max_samples(SampleFormat::kPcm16), (0xfffffffeU - 36) / 2);
  EXPECT_EQ(wav_header(8000, SampleFormat::kPcm16, wav_max_samples(SampleFormat::kPcm16)).substr(4, 4),
            "\xfe\xff\xff\xff");
  EXPECT_NO_THROW((void)wav_header(8000, SampleFormat::kFloat, wav_max_samples(SampleFormat::kFloat)));
  for (const SampleFormat format : {SampleFormat::kPcm16, SampleFormat::kFloat}) {
    test::expect_error([&] { (void)wav_header(8000, format, wav_max_samples(format) + 1); }, {"4 GiB", "flac"});
  }
  test::expect_error([] { (void)wav_stream_header(0, SampleFormat::kPcm16); }, {"0 Hz", "positive"});
  test::expect_error([] { (void)encode_wav({}, -1, SampleFormat::kPcm16); }, {"-1 Hz"});
}

}  // namespace
}  // namespace hayakoe::audio
