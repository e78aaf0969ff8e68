// SPDX-License-Identifier: Apache-2.0
// What keeping weights as bf16 or int8 does to the speech, against f32, and what multiplying by them as tf32, f16 or
// bf16 does on a GPU: on the voice in the box, and on models of full size with made weights. Durations are compared;
// the waveforms are those of the same durations and the same noise.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "engine/options.hpp"
#include "engine/pauses.hpp"
#include "engine/sentence.hpp"
#include "engine/voice_files.hpp"
#include "model/bert.hpp"
#include "model/made/made_model.hpp"
#include "model/synthesizer.hpp"
#include "support/device.hpp"
#include "support/files.hpp"
#include "support/golden.hpp"

namespace hayakoe::engine {
namespace {

using device::Segments;
using device::Tensor;
using device::WeightType;

const std::vector<std::string> kTexts{"おはようございます。", "今日は朝から雨が降っていて、とても静かな一日でした。",
                                      "駅前に新しい本屋ができたらしいよ。"};
const std::vector<std::string> kShortText{"おはようございます。"};  // for an emulated GPU

// Levels of the short-time spectrum (windows of 1,024 samples, every 4th bin is enough) in decibels.
std::vector<double> log_spectrum(const std::vector<float>& x) {
  constexpr size_t kWindow = 1024;
  std::vector<double> levels;
  for (size_t at = 0; at + kWindow <= x.size(); at += 4 * kWindow) {
    for (size_t bin = 2; bin < kWindow / 2; bin += 4) {
      std::complex<double> sum = 0.0;
      for (size_t i = 0; i < kWindow; ++i) {
        const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) / kWindow;
        const double hann = 0.5 - 0.5 * std::cos(angle);
        sum += hann * static_cast<double>(x[at + i]) * std::polar(1.0, -angle * static_cast<double>(bin));
      }
      levels.push_back(10.0 * std::log10(std::norm(sum) + 1e-6));
    }
  }
  return levels;
}

struct Distance {
  double snr = 0.0;             // of the waveform, in decibels
  double spectral = 0.0;        // log-spectral distance, in decibels
  double feature_cosine = 0.0;  // of BERT's features
  int64_t moved = 0;            // durations that are not the same
  int64_t phones = 0;
};

// One voice with its BERT, as a precision keeps them.
struct Speaker {
  model::Bert bert;
  model::Synthesizer synthesizer;
};

struct Said {
  std::vector<float> features, samples;
  std::vector<int32_t> frames;
};

class PrecisionTest {
 public:
  PrecisionTest(const std::filesystem::path& voice, std::filesystem::path bert, std::vector<std::string> texts)
      : files_(open_voice(voice)), bert_(std::move(bert)), tokenizer_(bert_ / "vocab.txt"), texts_(std::move(texts)) {
    const auto& shape = files_.styles.shape;
    styles_ = device_->constant(files_.styles.values, shape[0], shape[1]);
  }

  Speaker speaker(WeightType bert, WeightType voice) {
    return {model::Bert(bert_, device_, bert), model::Synthesizer(files_.config, *files_.weights, device_, voice)};
  }

  // `frames`: the durations to speak with; null: its own.
  Said say(const Speaker& speaker, const std::string& text, const std::vector<int32_t>* frames) {
    const auto stream = device_->stream();
    device::Stream& s = *stream;
    const model::Synthesizer& v = speaker.synthesizer;
    const Sentence sentence = make_sentence(text, 0, {}, frontend_, tokenizer_, files_.config.add_blank);
    const auto condition = v.condition(s, 0, styles_.slice_rows(0, 1), styles_.slice_rows(0, 1), 1.0F);
    const auto upload = [&](const auto& values) {
      return s.upload(std::span<const int32_t>(std::vector<int32_t>(values.begin(), values.end())));
    };
    Said said;
    const Tensor ids = upload(sentence.bert_ids);
    const Tensor features = speaker.bert.forward(s, ids, Segments::single(ids.rows()));
    said.features = test::download(s, features).values;
    const auto& p = sentence.ids;
    const Segments phones = Segments::single(static_cast<int64_t>(p.phone_ids.size()));
    const model::PhoneRows rows{upload(p.phone_ids), upload(p.tone_ids), upload(p.language_ids),
                                upload(bert_rows(p.word2ph, 0)), phones};
    const auto encoding = v.encode(s, rows, features, condition);
    const std::vector<uint64_t> key{7};
    const Tensor durations = v.durations(s, encoding.x, phones, condition, s.normal(phones, 2, key), {});
    said.frames.resize(static_cast<size_t>(phones.rows()));
    s.download(durations, std::span<int32_t>(said.frames));
    const std::vector<int32_t>& used = frames != nullptr ? *frames : said.frames;
    int64_t total = 0;
    for (const int32_t n : used) total += n;
    const Segments length = Segments::single(total);
    const Tensor noise = s.normal(length, encoding.m_p.cols(), key);
    const Tensor z = v.latent(s, encoding, s.repeated_index(upload(used), total), length, condition, noise, 0.6F);
    said.samples = test::download(s, v.decode(s, z, length, condition)).values;
    return said;
  }

  std::vector<Said> say_all(const Speaker& speaker, const std::vector<Said>* reference) {
    std::vector<Said> all;
    for (size_t i = 0; i < texts_.size(); ++i)
      all.push_back(say(speaker, texts_[i], reference != nullptr ? &(*reference)[i].frames : nullptr));
    return all;
  }

  static Distance distance(const std::vector<Said>& want, const std::vector<Said>& got) {
    Distance d;
    double signal = 0.0, error = 0.0, dot = 0.0, a2 = 0.0, b2 = 0.0, spectral = 0.0;
    size_t levels = 0;
    for (size_t t = 0; t < want.size(); ++t) {
      const Said& w = want[t];
      const Said& g = got[t];
      EXPECT_EQ(w.samples.size(), g.samples.size());
      for (size_t i = 0; i < w.samples.size(); ++i) {
        signal += std::pow(double{w.samples[i]}, 2);
        error += std::pow(double{w.samples[i]} - g.samples[i], 2);
      }
      for (size_t i = 0; i < w.features.size(); ++i) {
        dot += double{w.features[i]} * g.features[i];
        a2 += std::pow(double{w.features[i]}, 2);
        b2 += std::pow(double{g.features[i]}, 2);
      }
      for (size_t i = 0; i < w.frames.size(); ++i) d.moved += w.frames[i] != g.frames[i] ? 1 : 0;
      d.phones += static_cast<int64_t>(w.frames.size());
      const auto x = log_spectrum(w.samples);
      const auto y = log_spectrum(g.samples);
      for (size_t i = 0; i < x.size(); ++i) spectral += std::pow(x[i] - y[i], 2);
      levels += x.size();
    }
    d.snr = 10.0 * std::log10(signal / error);
    d.spectral = std::sqrt(spectral / static_cast<double>(levels));
    d.feature_cosine = dot / std::sqrt(a2 * b2);
    return d;
  }

 private:
  std::shared_ptr<device::Device> device_ = test::open_device(0);
  VoiceFiles files_;
  std::filesystem::path bert_;
  text::CharTokenizer tokenizer_;
  std::vector<std::string> texts_;
  text::Frontend frontend_;
  Tensor styles_;
};

void check_voice(const char* what, const std::filesystem::path& voice, const std::filesystem::path& bert,
                 const std::vector<std::string>& texts = kTexts) {
  PrecisionTest test(voice, bert, texts);
  const auto reference = test.say_all(test.speaker(WeightType::kF32, WeightType::kF32), nullptr);
  for (const char* name : {"f16", "bf16", test::on_cpu() ? "int8" : "tf32"}) {
    const device::Precision p = test::open_device(1)->precision(name);
    const Distance d = PrecisionTest::distance(reference, test.say_all(test.speaker(p.bert, p.voice), &reference));
    std::printf(
        "%s, %s: SNR %.1f dB, log-spectral distance %.2f dB, features' cosine %.6f, %ld of %ld durations moved\n", what,
        name, d.snr, d.spectral, d.feature_cosine, d.moved, d.phones);
    EXPECT_GE(d.snr, 30.0) << name;
    EXPECT_LE(d.spectral, 1.0) << name;
    EXPECT_EQ(d.moved, 0) << name;
  }
}

TEST(Precision, BoxVoice) { check_voice("box voice", test::voices("demo"), test::voices("demo-bert")); }

TEST(Precision, BoxVoiceInShort) {
  check_voice("box voice", test::voices("demo"), test::voices("demo-bert"), kShortText);
}

TEST(Precision, FullSize) {
  const test::TempFolder folder;
  constexpr uintmax_t kNeeded = 2'000'000'000;
  if (std::filesystem::space(folder.path()).available < kNeeded) {
    GTEST_SKIP() << "the temporary folder has no room for models of full size (2 GB)";
  }
  for (const char* kind : {"bert-large", "voice-full"})
    (void)model::make_model(kind, 0, folder.path() / kind, [](int64_t, int64_t) { return true; });
  check_voice("full size", folder.path() / "voice-full", folder.path() / "bert-large");
}

}  // namespace
}  // namespace hayakoe::engine
