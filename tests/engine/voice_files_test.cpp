// SPDX-License-Identifier: Apache-2.0
#include "engine/voice_files.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <hayakoe/hayakoe.hpp>
#include <nlohmann/json.hpp>

#include "engine/folders.hpp"
#include "support/engine.hpp"
#include "support/golden.hpp"

namespace hayakoe::engine {
namespace {
namespace fs = std::filesystem;

class VoiceFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("hayakoe-voice-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (const auto& entry : fs::directory_iterator(test::voices("demo")))
      fs::copy_file(entry.path(), folder_ / entry.path().filename());
  }
  void TearDown() override { fs::remove_all(folder_); }

  void expect_error(const std::string& part) {
    try {
      (void)open_voice(folder_);
      ADD_FAILURE() << "accepted, without: " << part;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  }
  static void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

  fs::path folder_;
};

TEST_F(VoiceFilesTest, AFolderIsDescribed) {
  const VoiceInfo info = describe_voice(test::voices("demo"));
  EXPECT_EQ(info.name, "demo");
  EXPECT_EQ(info.sample_rate, 22050);
  EXPECT_EQ(info.styles, (std::vector<std::string>{"Neutral", "Bright", "Calm"}));
  EXPECT_EQ(info.speakers, (std::vector<std::string>{"demo"}));
  EXPECT_EQ(info.bert_width, 64);
  EXPECT_NEAR(static_cast<double>(info.parameters), 5.18e6, 0.05e6);  // the model card's figure
}

TEST_F(VoiceFilesTest, AnAivmFileIsTheSameVoiceAsItsFolder) {
  const VoiceFiles folder = open_voice(test::data("voice-tiny"));
  const VoiceFiles file = open_voice(test::data("voice-tiny.aivm"));
  EXPECT_EQ(file.styles.values, folder.styles.values);
  EXPECT_EQ(file.config.upsample_rates, folder.config.upsample_rates);
  EXPECT_EQ(file.info.speakers, folder.info.speakers);

  EngineOptions o = test::engine_options();
  o.bert = test::data("bert-tiny");
  Engine engine(o);
  const Voice a = engine.load("a", test::data("voice-tiny"));
  const Voice b = engine.load("b", test::data("voice-tiny.aivm"));
  SpeakOptions angry;
  angry.style = "Angry";
  angry.speaker = "tiny-b";
  EXPECT_EQ(a.generate("こんにちは。", angry).samples, b.generate("こんにちは。", angry).samples);
}

TEST_F(VoiceFilesTest, TheNewestWeightsAreTaken) {
  fs::copy_file(folder_ / "model.safetensors", folder_ / "demo_e10_s100.safetensors");
  fs::last_write_time(folder_ / "model.safetensors", fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_EQ(open_voice(folder_).weights->path().filename(), "demo_e10_s100.safetensors");
  fs::last_write_time(folder_ / "demo_e10_s100.safetensors", fs::file_time_type::clock::now() - std::chrono::hours(4));
  EXPECT_EQ(open_voice(folder_).weights->path().filename(), "model.safetensors");
  // Other files of that kind lie in such folders too.
  fs::copy_file(test::data("unit/rqs.safetensors"), folder_ / "newest.safetensors");
  EXPECT_EQ(open_voice(folder_).weights->path().filename(), "model.safetensors");
}

TEST_F(VoiceFilesTest, EveryFaultNamesItsFile) {
  EXPECT_THROW((void)open_voice("/nonexistent/voice"), Error);
  fs::resize_file(folder_ / "style_vectors.npy", 1000);
  expect_error("style_vectors.npy");
  fs::remove(folder_ / "style_vectors.npy");
  expect_error("style_vectors.npy");
  fs::copy_file(test::voices("demo/style_vectors.npy"), folder_ / "style_vectors.npy");

  fs::resize_file(folder_ / "model.safetensors", 5'000'000);
  expect_error("model.safetensors");
  fs::copy_file(test::data("bert-tiny/model-f16.safetensors"), folder_ / "model.safetensors",
                fs::copy_options::overwrite_existing);
  expect_error("enc_p.style_proj.weight");
  fs::remove(folder_ / "model.safetensors");
  expect_error("*.safetensors");
  fs::copy_file(test::voices("demo/model.safetensors"), folder_ / "model.safetensors");

  write(folder_ / "config.json", "{\"data\": {\"sampling_rate\": \"fast\"}}");
  expect_error("sampling_rate");
  fs::remove(folder_ / "config.json");
  expect_error("config.json");
}

TEST_F(VoiceFilesTest, AMissingTensorIsNamedWhenTheVoiceIsPrepared) {
  // A voice whose configuration asks for more layers than the file has.
  std::string config = model::read_text_file(folder_ / "config.json");
  const auto at = config.find("\"n_layers\": 6");
  ASSERT_NE(at, std::string::npos);
  config.replace(at, 13, "\"n_layers\": 7");
  write(folder_ / "config.json", config);
  Engine engine(test::engine_options());
  engine.load("deep", folder_);
  try {
    engine.prepare();
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("enc_p.encoder.attn_layers.6."), std::string::npos) << e.what();
  }
}

TEST_F(VoiceFilesTest, WeightsThatWantEndlessSpeechAreRefused) {
  // The voice in the box with another bias in its duration predictor: e^20 frames a phone.
  std::string bytes;
  {
    std::ifstream in(folder_ / "model.safetensors", std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const auto json = nlohmann::json::parse(bytes.substr(8, header));
  const auto& bias = json["dp.proj.bias"];
  ASSERT_EQ(bias["dtype"], "F16");
  const uint16_t twenty = 0x4D00;
  std::memcpy(bytes.data() + 8 + header + bias["data_offsets"][0].get<size_t>(), &twenty, sizeof(twenty));
  write(folder_ / "model.safetensors", bytes);

  EngineOptions o = test::engine_options();
  o.bert = test::voices("demo-bert");
  Engine engine(o);
  const Voice voice = engine.load("endless", folder_);
  SpeakOptions deterministic;
  deterministic.sdp_ratio = 0.0;
  try {
    (void)voice.generate("これは終わらない文章になってしまう。", deterministic);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("model.safetensors"), std::string::npos) << e.what();
  }
}

TEST_F(VoiceFilesTest, ABertOfTheWrongWidthIsRefused) {
  std::string config = model::read_text_file(test::data("bert-tiny/config.json"));
  EngineOptions o = test::engine_options();
  o.bert = test::data("voice-tiny");
  Engine engine(o);
  const Voice voice = engine.load("demo", test::voices("demo"));
  EXPECT_THROW((void)voice.generate("あ"), Error);
  // Found by width: a 1024-channel voice finds none here, and is told what it needs.
  try {
    (void)find_bert(folder_, 1024);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("deberta-v2-large-japanese-char-wwm"), std::string::npos) << e.what();
  }
  EXPECT_EQ(find_bert(test::voices("demo"), 64).filename(), "demo-bert");
}

TEST(Folders, VoicesAreFoundByName) {
  EXPECT_EQ(find_voice("demo", test::voices("")), fs::path(test::voices("demo")));
  EXPECT_EQ(find_voice(test::voices("demo"), ""), fs::path(test::voices("demo")));
  EXPECT_THROW((void)find_voice("nobody", test::voices("")), Error);
  EXPECT_FALSE(is_voice(test::voices("demo-bert")));
  EXPECT_TRUE(is_voice(test::data("voice-tiny.aivm")));
}

}  // namespace
}  // namespace hayakoe::engine
