// SPDX-License-Identifier: Apache-2.0
#include "onnx/voice_package.hpp"

#include <gtest/gtest.h>

#include "models.hpp"
#include "onnx/bert_package.hpp"
#include "support/files.hpp"
#include "support/golden.hpp"
#include "tensor/npy_writer.hpp"

namespace hayakoe {
namespace {

namespace fs = std::filesystem;
using onnx::open_voice_package;
using onnx::VoicePackage;
using test::expect_error;
using test::models;
using test::TempFolder;

class OnnxVoicePackage : public test::WithOnnxRuntime {};

// Both forms are of one voice.
void expect_voice_tiny(const VoicePackage& package) {
  EXPECT_EQ(package.config.model_name, "voice-tiny");
  EXPECT_EQ(package.config.sampling_rate, 44100);
  EXPECT_EQ(package.config.n_speakers, 2);
  EXPECT_EQ(package.config.style2id.at("Angry"), 2);
  EXPECT_EQ(package.bert_width, 64);
  const tensor::NpyArray styles = tensor::read_npy(test::data("voice-tiny/style_vectors.npy"));
  EXPECT_EQ(package.styles.shape, styles.shape);
  EXPECT_EQ(package.styles.values, styles.values);
}

TEST_F(OnnxVoicePackage, OpensAFolder) {
  EXPECT_TRUE(onnx::holds_onnx_voice(models("voice")));
  const VoicePackage package = open_voice_package(models("voice"));
  expect_voice_tiny(package);
  EXPECT_EQ(package.synthesizer, models("voice/synthesizer.onnx"));
  EXPECT_EQ(package.duration_predictor, models("voice/duration_predictor.onnx"));
  EXPECT_TRUE(package.manifest.empty());
}

TEST_F(OnnxVoicePackage, OpensAnAivmxFile) {
  EXPECT_TRUE(onnx::holds_onnx_voice(models("voice-tiny.aivmx")));
  const VoicePackage package = open_voice_package(models("voice-tiny.aivmx"));
  expect_voice_tiny(package);
  EXPECT_FALSE(package.duration_predictor.has_value());
  EXPECT_NE(package.manifest.find("Style-Bert-VITS2 (JP-Extra)"), std::string::npos);
}

// A copy of the voice's small files, and of its model under another name.
struct SingleFile {
  TempFolder folder;
  fs::path file = folder.path() / "my_voice_e10.onnx";
  SingleFile() {
    fs::copy_file(models("voice/synthesizer.onnx"), file);
    for (const char* name : {"config.json", "style_vectors.npy"})
      fs::copy_file(models("voice") / name, folder.path() / name, fs::copy_options::none);
  }
};

TEST_F(OnnxVoicePackage, OpensASingleFileByItsNameOrItsFolder) {
  const SingleFile voice;
  for (const fs::path& path : {voice.file, voice.folder.path()}) {
    EXPECT_TRUE(onnx::holds_onnx_voice(path));
    const VoicePackage package = open_voice_package(path);
    expect_voice_tiny(package);
    EXPECT_EQ(package.synthesizer, voice.file);
    EXPECT_FALSE(package.duration_predictor.has_value());
  }
}

TEST_F(OnnxVoicePackage, NamesTheFileThatIsMissing) {
  const TempFolder empty;
  EXPECT_FALSE(onnx::holds_onnx_voice(empty.path()));
  expect_error([&] { (void)open_voice_package(empty.path()); }, {empty.path().string(), "no *.onnx"});
  expect_error([] { (void)open_voice_package(models("none.aivmx")); }, {"none.aivmx", "no such file"});
  const SingleFile voice;
  fs::remove(voice.folder.path() / "style_vectors.npy");
  expect_error([&] { (void)open_voice_package(voice.file); }, {"style_vectors.npy"});
  fs::remove(voice.folder.path() / "config.json");
  expect_error([&] { (void)open_voice_package(voice.file); }, {"config.json", "no such file"});
}

TEST_F(OnnxVoicePackage, AnAivmxFileNeedsItsMetadata) {
  const SingleFile voice;
  const fs::path renamed = voice.folder.path() / "voice.aivmx";
  fs::rename(voice.file, renamed);
  expect_error([&] { (void)open_voice_package(renamed); },
               {"voice.aivmx", "'aivm_hyper_parameters'", "not an .aivmx voice"});
}

TEST_F(OnnxVoicePackage, StyleVectorsMustFitTheModel) {
  const SingleFile voice;
  const fs::path styles = voice.folder.path() / "style_vectors.npy";
  const auto write = [&](std::vector<int64_t> shape) {
    const std::vector<float> zeros(static_cast<size_t>(shape[0] * shape[1]));
    fs::remove(styles);
    tensor::write_npy(styles, shape, zeros);
  };
  write({3, 128});
  expect_error([&] { (void)open_voice_package(voice.file); }, {"[3, 128]", "[styles, 256]"});
  write({2, 256});
  expect_error([&] { (void)open_voice_package(voice.file); }, {"2 style vectors", "3 styles"});
}

TEST_F(OnnxVoicePackage, ABertIsNoVoice) {
  expect_error([] { (void)open_voice_package(models("bert")); }, {"bert.onnx", "is not a voice's synthesizer"});
}

TEST(OnnxBertPackage, FindsModelAndVocabulary) {
  for (const char* path : {"bert", "bert/bert.onnx"}) {
    EXPECT_TRUE(onnx::holds_onnx_bert(models(path)));
    const onnx::BertPackage package = onnx::find_bert_package(models(path));
    EXPECT_EQ(package.model, models("bert/bert.onnx"));
    EXPECT_EQ(package.vocab, models("bert/vocab.txt"));
  }
}

TEST(OnnxBertPackage, TakesTheExactModelBeforeTheQuantized) {
  const TempFolder folder;
  test::write_file(folder.path() / "vocab.txt", "[PAD]\n");
  test::write_file(folder.path() / "bert_q8.onnx", "");
  EXPECT_EQ(onnx::find_bert_package(folder.path()).model.filename(), "bert_q8.onnx");
  test::write_file(folder.path() / "model.onnx", "");
  EXPECT_EQ(onnx::find_bert_package(folder.path()).model.filename(), "model.onnx");
  test::write_file(folder.path() / "bert.onnx", "");
  EXPECT_EQ(onnx::find_bert_package(folder.path()).model.filename(), "bert.onnx");
}

TEST(OnnxBertPackage, NamesWhatIsMissingOrWrong) {
  const TempFolder folder;
  EXPECT_FALSE(onnx::holds_onnx_bert(folder.path()));
  expect_error([&] { (void)onnx::find_bert_package(folder.path() / "none"); }, {"none", "no such BERT folder"});
  expect_error([&] { (void)onnx::find_bert_package(folder.path()); }, {"no bert.onnx, model.onnx or bert_q8.onnx"});
  test::write_file(folder.path() / "model.onnx", "");
  expect_error([&] { (void)onnx::find_bert_package(folder.path()); }, {"vocab.txt", "no such file"});
  test::write_file(folder.path() / "vocab.txt", "[PAD]\n");
  test::write_file(folder.path() / "config.json", R"({"model_type": "roberta"})");
  expect_error([&] { (void)onnx::find_bert_package(folder.path()); }, {"config.json", "roberta", "deberta-v2"});
}

}  // namespace
}  // namespace hayakoe
