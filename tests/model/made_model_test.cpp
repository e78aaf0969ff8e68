// SPDX-License-Identifier: Apache-2.0
// Made models have the form of released ones and are the same everywhere; that they speak is tests/engine's to show.
#include "model/made/made_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "model/config.hpp"
#include "model/made/bert_tensors.hpp"
#include "model/made/random_values.hpp"
#include "model/made/vocabulary.hpp"
#include "model/made/voice_tensors.hpp"
#include "support/files.hpp"
#include "support/golden.hpp"

namespace hayakoe::model {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::TempFolder;

MadeModel make(std::string_view kind, uint64_t seed, const fs::path& folder) {
  return make_model(kind, seed, folder, [](int64_t, int64_t) { return true; });
}

void expect_same_form(const fs::path& made, const std::string& released) {
  const auto got = tensor::SafeTensors::open(made);
  const auto want = tensor::SafeTensors::open(test::data(released));
  EXPECT_EQ(got.metadata(), want.metadata());
  EXPECT_EQ(got.tensors().size(), want.tensors().size());
  for (const auto& [name, view] : want.tensors()) {
    ASSERT_TRUE(got.has(name)) << name;
    EXPECT_EQ(got.get(name).dtype, view.dtype) << name;
    EXPECT_EQ(got.get(name).shape, view.shape) << name;
  }
}

TEST(MadeModel, AVoiceHasTheFormOfAReleasedOne) {
  const TempFolder folder;
  const MadeModel made = make("voice-tiny", 0, folder.path());
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"config.json", "model.safetensors", "style_vectors.npy"}));
  EXPECT_EQ(static_cast<uintmax_t>(made.bytes), fs::file_size(folder.path() / "model.safetensors"));
  expect_same_form(folder.path() / "model.safetensors", "voice-tiny/model.safetensors");
}

TEST(MadeModel, ABertHasTheFormOfAReleasedOne) {
  const TempFolder folder;
  (void)make("bert-tiny", 0, folder.path());
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"config.json", "model.safetensors", "vocab.txt"}));
  expect_same_form(folder.path() / "model.safetensors", "bert-tiny/model.safetensors");
}

std::map<std::string, std::vector<int64_t>> shapes(const std::vector<MadeTensor>& list) {
  std::map<std::string, std::vector<int64_t>> all;
  for (const MadeTensor& t : list) all[t.name] = t.shape;
  EXPECT_EQ(all.size(), list.size());  // no name twice
  return all;
}

// Shapes from the description of the format, at full size.
TEST(MadeModel, FullSizesAreTheFormats) {
  using Shape = std::vector<int64_t>;
  auto bert = shapes(bert_tensors(BertConfig()));
  EXPECT_EQ(bert["deberta.embeddings.word_embeddings.weight"], (Shape{22012, 1024}));
  EXPECT_EQ(bert["deberta.encoder.rel_embeddings.weight"], (Shape{512, 1024}));
  EXPECT_EQ(bert["deberta.encoder.conv.conv.weight"], (Shape{1024, 1024, 3}));
  EXPECT_EQ(bert["deberta.encoder.layer.23.intermediate.dense.weight"], (Shape{4096, 1024}));
  EXPECT_FALSE(bert.contains("deberta.encoder.layer.24.intermediate.dense.weight"));

  auto voice = shapes(voice_tensors(VoiceConfig(), 1024));
  EXPECT_EQ(voice["enc_p.bert_proj.weight"], (Shape{192, 1024, 1}));
  EXPECT_EQ(voice["enc_p.encoder.ffn_layers.5.conv_1.weight"], (Shape{768, 192, 3}));
  EXPECT_EQ(voice["flow.flows.6.enc.ffn_layers.5.conv_1.weight"], (Shape{768, 192, 5}));
  EXPECT_EQ(voice["dec.ups.0.weight_v"], (Shape{512, 256, 16}));
  EXPECT_EQ(voice["dec.ups.4.weight_g"], (Shape{32, 1, 1}));
  EXPECT_EQ(voice["dec.resblocks.14.convs2.2.weight_v"], (Shape{16, 16, 11}));
  EXPECT_EQ(voice["dec.conv_post.weight"], (Shape{1, 16, 7}));
  EXPECT_EQ(voice.size(), 1164U);  // and `iteration`
}

TEST(MadeModel, TheSeedDecidesEveryByte) {
  const TempFolder folder;
  const auto file = [&](const char* name) { return read_text_file(folder.path() / name / "model.safetensors"); };
  const auto styles = [&](const char* name) { return read_text_file(folder.path() / name / "style_vectors.npy"); };
  (void)make("voice-tiny", 7, folder.path() / "a");
  (void)make("voice-tiny", 7, folder.path() / "b");
  (void)make("voice-tiny", 8, folder.path() / "c");
  EXPECT_EQ(file("a"), file("b"));
  EXPECT_EQ(styles("a"), styles("b"));
  EXPECT_NE(file("a"), file("c"));
  EXPECT_NE(styles("a"), styles("c"));
}

// The same numbers computed from the published generators (SplitMix64, FNV-1a) with exact arithmetic in another
// language.
TEST(RandomValues, AreTheSameOnEveryMachine) {
  const auto values = [](double mean, Pattern pattern) {
    std::vector<float> out(6);
    draw({"enc.weight", {2, 3}, 0.25, mean, pattern}, 7, out);
    return out;
  };
  EXPECT_EQ(values(0.0, Pattern::kPlain), (std::vector<float>{0x1.0455dap-3F, 0x1.fe9c24p-2F, 0x1.945f7cp-2F,
                                                              0x1.6078ecp-8F, -0x1.a1a408p-3F, -0x1.6acc08p-2F}));
  EXPECT_EQ(values(1.0, Pattern::kPlain), (std::vector<float>{0x1.208abcp+0F, 0x1.7fa70ap+0F, 0x1.6517dep+0F,
                                                              0x1.016078p+0F, 0x1.9796fep-1F, 0x1.4a99fcp-1F}));
  EXPECT_EQ(values(0.0, Pattern::kCentred), (std::vector<float>{-0x1.b46e84p-3F, 0x1.4473ecp-3F, 0x1.bfea62p-5F,
                                                                0x1.846be2p-3F, -0x1.41df6ep-6F, -0x1.5c2ff4p-3F}));
}

struct Moments {
  double mean = 0.0, std = 0.0;
};

Moments moments(const std::vector<float>& values) {
  double sum = 0.0;
  double squares = 0.0;
  for (const float v : values) {
    sum += v;
    squares += double{v} * v;
  }
  const double mean = sum / static_cast<double>(values.size());
  return {mean, std::sqrt(squares / static_cast<double>(values.size()) - mean * mean)};
}

TEST(RandomValues, HaveTheirMeanAndSpread) {
  constexpr int64_t kRows = 300;
  constexpr int64_t kCols = 400;
  std::vector<float> out(static_cast<size_t>(kRows * kCols));
  draw({"a", {kRows, kCols}, 0.5, 2.0}, 1, out);
  EXPECT_NEAR(moments(out).mean, 2.0, 0.01);
  EXPECT_NEAR(moments(out).std, 0.5, 0.01);
  // Names are as good as seeds.
  std::vector<float> other(out.size());
  draw({"b", {kRows, kCols}, 0.5, 2.0}, 1, other);
  double product = 0.0;
  for (size_t i = 0; i < out.size(); ++i) product += (out[i] - 2.0) * (other[i] - 2.0);
  EXPECT_NEAR(product / static_cast<double>(out.size()), 0.0, 0.01);
}

TEST(RandomValues, FollowTheirPattern) {
  constexpr size_t kRows = 100;
  constexpr size_t kCols = 30;
  std::vector<float> out(kRows * kCols);
  draw({"a", {kRows, kCols}, 1.0, 0.0, Pattern::kCentred}, 1, out);
  EXPECT_NEAR(moments(out).std, 1.0, 0.05);
  for (size_t r = 0; r < kRows; ++r) {
    double sum = 0.0;
    for (size_t c = 0; c < kCols; ++c) sum += out[r * kCols + c];
    EXPECT_NEAR(sum, 0.0, 1e-5);
  }
  draw({"a", {kRows, kCols}, 1.0, 0.0, Pattern::kCentredIn}, 1, out);
  EXPECT_NEAR(moments(out).std, 1.0, 0.05);
  for (size_t c = 0; c < kCols; ++c) {
    double sum = 0.0;
    for (size_t r = 0; r < kRows; ++r) sum += out[r * kCols + c];
    EXPECT_NEAR(sum, 0.0, 1e-5);
  }
  draw({"a", {kRows, kCols / 3, 3}, 1.0, 0.0, Pattern::kDifference}, 1, out);
  for (size_t i = 0; i < out.size(); i += 3) {
    EXPECT_NE(out[i], 0.0F);
    EXPECT_EQ(out[i], -out[i + 2]);
    EXPECT_EQ(out[i + 1], 0.0F);
  }
}

TEST(MadeVocabulary, HasAsManyDifferentTokensAsAsked) {
  for (const int64_t size : {300, 22012, 60000}) {
    const std::string text = made_vocabulary(size);
    std::set<std::string> tokens;
    size_t begin = 0;
    for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      tokens.insert(text.substr(begin, end - begin));
    }
    EXPECT_EQ(begin, text.size());
    EXPECT_EQ(static_cast<int64_t>(tokens.size()), size);
    for (const char* token : {"[CLS]", "あ", "ッ", "ー", "、", "。"}) EXPECT_TRUE(tokens.contains(token)) << token;
    if (size > 22000) {
      for (const char* token : {"日", "鬱", "A", "!"}) EXPECT_TRUE(tokens.contains(token)) << token;
    }
  }
}

TEST(MadeModel, NothingIsOverwritten) {
  const TempFolder folder;
  for (const char* name : {"config.json", "style_vectors.npy", "model.safetensors"}) {
    const fs::path at = folder.path() / name;
    fs::create_directory(at);
    test::write_file(at / name, "mine");
    expect_error([&] { (void)make("voice-tiny", 0, at); }, {(at / name).string(), "there already"});
    EXPECT_EQ(read_text_file(at / name), "mine");
    EXPECT_EQ(std::distance(fs::directory_iterator(at), {}), 1);
  }
}

TEST(MadeModel, LeavesNothingWhenStopped) {
  const TempFolder folder;
  test::write_file(folder.path() / "notes.txt", "mine");
  int calls = 0;
  const auto stop = [&](int64_t done, int64_t total) {
    EXPECT_LT(done, total);
    return ++calls < 3;
  };
  EXPECT_EQ(make_model("voice-tiny", 0, folder.path(), stop).parameters, 0);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"notes.txt"});
  EXPECT_EQ(make_model("bert-tiny", 0, folder.path() / "new", stop).parameters, 0);
  EXPECT_FALSE(fs::exists(folder.path() / "new"));
}

TEST(MadeModel, ErrorsNameWhatIsAtFault) {
  const TempFolder folder;
  expect_error([&] { (void)make("voice-huge", 0, folder.path()); }, {"voice-huge", "voice-full", "bert-large"});
  const fs::path file = test::write_file(folder.path() / "file", "mine");
  expect_error([&] { (void)make("voice-tiny", 0, file); }, {file.string()});
  expect_error([&] { (void)make("voice-tiny", 0, file / "below"); }, {(file / "below").string()});
  EXPECT_EQ(read_text_file(file), "mine");
}

}  // namespace
}  // namespace hayakoe::model
