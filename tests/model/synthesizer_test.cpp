// SPDX-License-Identifier: Apache-2.0
// Every stage of a voice against the reference, each fed with the reference's own inputs, then end to end.
#include "model/synthesizer.hpp"

#include <gtest/gtest.h>

#include <hayakoe/error.hpp>
#include <nlohmann/json.hpp>
#include <numeric>

#include "support/device.hpp"
#include "support/golden.hpp"

namespace hayakoe::model {
namespace {

using device::Segments;
using device::Tensor;
using test::Matrix;

struct Case {
  std::string folder;
  std::string name;
};

void PrintTo(const Case& c, std::ostream* os) { *os << c.folder << "/" << c.name; }

VoiceConfig config_of(const std::string& folder) {
  const std::string path = test::data(folder + "/config.json");
  return VoiceConfig::parse(read_text_file(path), path);
}

class SynthesizerTest : public testing::TestWithParam<Case> {
 protected:
  std::string folder_ = GetParam().folder;
  VoiceConfig config_ = config_of(folder_);
  tensor::SafeTensors golden_ =
      tensor::SafeTensors::open(test::data(folder_ + "/golden-" + GetParam().name + ".safetensors"));
  nlohmann::json scalars_ =
      nlohmann::json::parse(read_text_file(test::data(folder_ + "/golden-" + GetParam().name + ".json")));
  std::shared_ptr<device::Device> device_ = test::open_device(2);
  std::unique_ptr<device::Stream> stream_ = device_->stream();
  device::Stream& s_ = *stream_;
  Synthesizer voice_{config_, tensor::SafeTensors::open(test::data(folder_ + "/model.safetensors")), device_};

  Matrix golden(const std::string& name) { return test::channels_last(golden_, name); }
  Tensor given(const std::string& name) { return test::upload(s_, golden(name)); }

  Conditioning condition() {
    const Tensor style = s_.upload(golden_.read_f32("style_vec"), 1, 256);
    return voice_.condition(s_, golden_.read_i64("sid")[0], style, style, 1.0F);
  }

  PhoneRows phone_rows() {
    const auto phones = test::integers(golden_, "x");
    std::vector<int32_t> own_row(phones.size());
    std::iota(own_row.begin(), own_row.end(), 0);
    return {s_.upload(phones), s_.upload(test::integers(golden_, "tone")),
            s_.upload(test::integers(golden_, "language")), s_.upload(own_row),
            Segments::single(static_cast<int64_t>(phones.size()))};
  }

  DurationOptions duration_options() {
    return {scalars_["sdp_ratio"].get<float>(), scalars_["noise_scale_w"].get<float>(),
            scalars_["length_scale"].get<float>()};
  }

  Segments phones() { return Segments::single(golden("enc_x").rows); }
  Segments frames() { return Segments::single(golden("z").rows); }

  std::vector<int32_t> golden_durations() {
    std::vector<int32_t> out;
    for (const float d : golden_.read_f32("w_ceil")) out.push_back(static_cast<int32_t>(d));
    return out;
  }

  Tensor frame_rows(const std::vector<int32_t>& durations) {
    std::vector<int32_t> rows;
    for (size_t i = 0; i < durations.size(); ++i)
      rows.insert(rows.end(), static_cast<size_t>(durations[i]), static_cast<int32_t>(i));
    return s_.upload(rows);
  }
};

TEST_P(SynthesizerTest, Speaker) { test::expect_close(s_, condition().speaker, golden("g"), "g"); }

TEST_P(SynthesizerTest, TextEncoder) {
  const TextEncoding e = voice_.encode(s_, phone_rows(), given("bert"), condition());
  test::expect_close(s_, e.x, golden("enc_x"), "enc_x");
  test::expect_close(s_, e.m_p, golden("m_p"), "m_p");
  test::expect_close(s_, e.logs_p, golden("logs_p"), "logs_p");
}

TEST_P(SynthesizerTest, DurationPredictors) {
  const Conditioning c = condition();
  test::expect_close(s_, voice_.duration_predictor().forward(s_, given("enc_x"), phones(), c.speaker),
                     golden("logw_dp"), "logw_dp");
  const float noise_scale = scalars_["noise_scale_w"].get<float>();
  test::expect_close(s_,
                     voice_.stochastic_duration_predictor().forward(s_, given("enc_x"), phones(), c.speaker,
                                                                    given("noise_sdp"), noise_scale),
                     golden("logw_sdp"), "logw_sdp");

  const Tensor d = voice_.durations(s_, given("enc_x"), phones(), c, given("noise_sdp"), duration_options());
  std::vector<int32_t> got(static_cast<size_t>(d.rows()));
  s_.download(d, std::span<int32_t>(got));
  EXPECT_EQ(got, golden_durations());
}

TEST_P(SynthesizerTest, FlowAndDecoder) {
  const Conditioning c = condition();
  const Tensor z = voice_.flow().reverse(s_, given("z_p"), frames(), c.speaker);
  test::expect_close(s_, z, golden("z"), "z");
  test::expect_close(s_, voice_.decoder().forward(s_, given("z"), frames(), c.speaker, 512), golden("audio"), "audio");
}

TEST_P(SynthesizerTest, DecodingInWindowsIsTheSame) {
  const Conditioning c = condition();
  const Tensor z = given("z");
  for (const int64_t window : {7, 40}) {
    test::expect_close(s_, voice_.decoder().forward(s_, z, frames(), c.speaker, window), golden("audio"), "windows");
  }
}

TEST(DecoderMargin, IsWhatASampleReallyDependsOn) {
  // A change of one frame is heard up to the margin and no further; and the margin is not far beyond it.
  const auto device = test::open_device(2);
  const auto stream = device->stream();
  device::Stream& s = *stream;
  const Synthesizer voice(config_of("voice-tiny"),
                          tensor::SafeTensors::open(test::data("voice-tiny/model.safetensors")), device);
  const int64_t margin = voice.decoder().margin_frames();
  const int64_t length = 2 * margin + 21;
  const int64_t middle = length / 2;
  const std::vector<uint64_t> key{5};
  Matrix z = test::download(s, s.normal(Segments::single(length), 32, key));
  const Tensor g = s.upload(std::vector<float>(48, 0.0F), 1, 48);
  const auto samples = [&] {
    return test::download(s, voice.decoder().forward(s, test::upload(s, z), Segments::single(length), g, length))
        .values;
  };
  const auto before = samples();
  for (int64_t c = 0; c < 32; ++c) z.values[static_cast<size_t>(middle * 32 + c)] += 10.0F;
  const auto after = samples();
  int64_t first = length;
  int64_t last = -1;
  for (size_t i = 0; i < before.size(); ++i) {
    // Blocks of a convolution that are transformed together share their rounding errors, however far apart.
    if (std::abs(before[i] - after[i]) < 2e-6F) continue;
    const auto frame = static_cast<int64_t>(i) / 512;
    first = std::min(first, frame);
    last = std::max(last, frame);
  }
  EXPECT_GE(first, middle - margin);
  EXPECT_LE(last, middle + margin);
  EXPECT_LE(margin, std::max(middle - first, last - middle) + 4);
}

TEST_P(SynthesizerTest, EndToEnd) {
  const Conditioning c = condition();
  const TextEncoding e = voice_.encode(s_, phone_rows(), given("bert"), c);
  const Tensor d = voice_.durations(s_, e.x, phones(), c, given("noise_sdp"), duration_options());
  std::vector<int32_t> durations(static_cast<size_t>(d.rows()));
  s_.download(d, std::span<int32_t>(durations));
  ASSERT_EQ(durations, golden_durations());
  const Tensor z =
      voice_.latent(s_, e, frame_rows(durations), frames(), c, given("noise_zp"), scalars_["noise_scale"].get<float>());
  test::expect_close(s_, z, golden("z"), "z");
  test::expect_close(s_, voice_.decode(s_, z, frames(), c), golden("audio"), "audio");
}

TEST_P(SynthesizerTest, ABatchGivesEverySegmentItsOwnResult) {
  // The same sentence three times behind one another: segment ends are respected by every convolution and attention.
  const Conditioning c = condition();
  const auto thrice = [](const Matrix& m) {
    Matrix all{{}, m.rows * 3, m.cols};
    for (int i = 0; i < 3; ++i) all.values.insert(all.values.end(), m.values.begin(), m.values.end());
    return all;
  };
  const int64_t n = golden("z").rows;
  const std::vector<int64_t> lengths{n, n, n};
  const Segments three = Segments::of_lengths(lengths);
  const Tensor z = voice_.flow().reverse(s_, test::upload(s_, thrice(golden("z_p"))), three, c.speaker);
  test::expect_close(s_, z, thrice(golden("z")), "z");
  test::expect_close(s_, voice_.decode(s_, z, three, c), thrice(golden("audio")), "audio");
}

INSTANTIATE_TEST_SUITE_P(Golden, SynthesizerTest,
                         testing::Values(Case{"voice-tiny", "short"}, Case{"voice-tiny", "long"},
                                         Case{"voice-tiny", "alt"}, Case{"voice-tiny", "min"},
                                         Case{"voice-tiny-rb2", "short"}));

TEST(SynthesizerLoad, WeightsThatDoNotFitAreNamed) {
  const auto device = test::open_device(1);
  VoiceConfig wrong = config_of("voice-tiny");
  wrong.filter_channels = 128;
  const auto file = tensor::SafeTensors::open(test::data("voice-tiny/model.safetensors"));
  try {
    const Synthesizer voice(wrong, file, device);
    FAIL() << "a wrong configuration was accepted";
  } catch (const Error& e) {
    const std::string what = e.what();
    for (const char* part : {"model.safetensors", "ffn_layers.0.conv_1.weight", "[64, 32, 3]", "[128, 32, 3]"}) {
      EXPECT_NE(what.find(part), std::string::npos) << what;
    }
  }
  try {
    const Synthesizer voice(config_of("voice-tiny"),
                            tensor::SafeTensors::open(test::data("bert-tiny/model.safetensors")), device);
    FAIL() << "a BERT was taken for a voice";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("not of a Style-Bert-VITS2 voice"), std::string::npos) << e.what();
  }
}

TEST(SynthesizerPauses, TheDurationPassOverJoinedSentencesMatchesTheReference) {
  const auto device = test::open_device(2);
  const auto stream = device->stream();
  device::Stream& s = *stream;
  const auto golden = tensor::SafeTensors::open(test::data("voice-tiny/golden-pause.safetensors"));
  const auto meta = nlohmann::json::parse(read_text_file(test::data("voice-tiny/golden-pause.json")));
  const Synthesizer voice(config_of("voice-tiny"),
                          tensor::SafeTensors::open(test::data("voice-tiny/model.safetensors")), device);

  const auto phones = test::integers(golden, "x");
  std::vector<int32_t> own_row(phones.size());
  std::iota(own_row.begin(), own_row.end(), 0);
  const auto segments = Segments::single(static_cast<int64_t>(phones.size()));
  const PhoneRows rows{s.upload(phones), s.upload(test::integers(golden, "tone")),
                       s.upload(test::integers(golden, "language")), s.upload(own_row), segments};
  const Tensor style = s.upload(golden.read_f32("style_vec"), 1, 256);
  const Conditioning c = voice.condition(s, meta["sid"].get<int64_t>(), style, style, 1.0F);
  const TextEncoding e = voice.encode(s, rows, test::upload(s, test::channels_last(golden, "bert")), c);
  for (size_t i = 0; i < meta["cases"].size(); ++i) {
    const auto& scalars = meta["cases"][i];
    const Tensor noise = test::upload(s, test::channels_last(golden, "noise_sdp." + std::to_string(i)));
    const Tensor d = voice.durations(s, e.x, segments, c, noise,
                                     {scalars["sdp_ratio"].get<float>(), scalars["noise_scale_w"].get<float>(),
                                      scalars["length_scale"].get<float>()});
    std::vector<int32_t> got(phones.size());
    s.download(d, std::span<int32_t>(got));
    EXPECT_EQ(got, scalars["durations"].get<std::vector<int32_t>>()) << i;
  }
}

}  // namespace
}  // namespace hayakoe::model
