// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "process.hpp"

namespace hayakoe::test {
namespace {

using nlohmann::json;

const std::string kData = HAYAKOE_TEST_DATA;

json entry(const json& list, const std::string& name) {
  for (const json& voice : list) {
    if (voice["name"] == name) return voice;
  }
  return nullptr;
}

TEST(Voices, ListsGoodAndBrokenOnes) {
  const ScratchFolder folder;
  const auto broken = folder.path() / "broken";
  std::filesystem::create_directory(broken);
  write_file(broken / "config.json", "{}");
  write_file(broken / "model.safetensors", "short");
  copy_voice(folder.path() / "tiny.v2");
  const Result result = run({"voices", "--json", "--voices", folder.path().string()});
  ASSERT_EQ(result.status, 0) << result.err;
  const json list = json::parse(result.out);
  EXPECT_TRUE(entry(list, "broken").contains("error"));
  const json demo = entry(list, "demo");
  EXPECT_EQ(demo["styles"], (json{"Neutral", "Bright", "Calm"}));
  EXPECT_EQ(demo["speakers"], json{"demo"});
  EXPECT_EQ(demo["sample_rate"], 22050);
  EXPECT_GT(demo["bytes"].get<int>(), 10'000'000);
  EXPECT_FALSE(entry(list, "tiny.v2").is_null());  // by the name that --voice takes
  EXPECT_EQ(run({"info", "tiny.v2", "--voices", folder.path().string()}).status, 0);

  const Result text = run({"voices", "--voices", folder.path().string()});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("broken: "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("styles: Neutral, Bright, Calm"), std::string::npos) << text.out;
}

TEST(Voices, MissingFolderIsAnError) {
  const Result result = run({"voices", "--voices", "/nowhere/at/all"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("/nowhere/at/all"), std::string::npos) << result.err;
}

TEST(Info, DescribesByNameFolderAndFile) {
  const Result demo = run({"info", "demo", "--json"});
  ASSERT_EQ(demo.status, 0) << demo.err;
  const json info = json::parse(demo.out);
  EXPECT_TRUE(info["version"].get<std::string>().ends_with("JP-Extra"));
  EXPECT_GT(info["parameters"].get<int>(), 1'000'000);
  EXPECT_TRUE(info["bert"].get<std::string>().ends_with("demo-bert"));

  const json tiny = json::parse(run({"info", kData + "/voice-tiny.aivm", "--json"}).out);
  EXPECT_EQ(tiny["parameters"], json::parse(run({"info", kData + "/voice-tiny/", "--json"}).out)["parameters"]);

  const Result text = run({"info", "demo"});
  EXPECT_NE(text.out.find("Bright (#1)"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("22050 Hz"), std::string::npos) << text.out;
}

TEST(Info, TellsWhichBertIsMissing) {
  const ScratchFolder folder;
  copy_voice(folder.path() / "alone");
  const Result result = run({"info", (folder.path() / "alone").string(), "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json info = json::parse(result.out);
  if (info["bert"].is_null()) {
    EXPECT_NE(info["bert_problem"].get<std::string>().find("BERT"), std::string::npos);
  } else {
    EXPECT_FALSE(info["bert"].get<std::string>().empty());
  }
}

TEST(Info, UnknownVoiceIsAnErrorThatTellsWhereItWasLookedFor) {
  const Result result = run({"info", "nobody"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("nobody"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find(HAYAKOE_TEST_VOICES), std::string::npos) << result.err;
}

}  // namespace
}  // namespace hayakoe::test
