// SPDX-License-Identifier: Apache-2.0
#include "model/config.hpp"

#include <gtest/gtest.h>

#include <hayakoe/error.hpp>
#include <nlohmann/json.hpp>

#include "support/golden.hpp"

namespace hayakoe::model {
namespace {

using nlohmann::json;

json demo() { return json::parse(read_text_file(test::voices("demo/config.json"))); }

std::string complaint(const std::string& text) {
  try {
    (void)VoiceConfig::parse(text, "config.json");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(VoiceConfig, ReadsTheVoiceInTheBox) {
  const VoiceConfig c = VoiceConfig::parse(demo().dump(), "config.json");
  EXPECT_EQ(c.sampling_rate, 22050);
  EXPECT_EQ(c.hop_length, 256);
  EXPECT_EQ(c.hidden_channels, 96);
  EXPECT_EQ(c.upsample_rates, (std::vector<int64_t>{8, 8, 4}));
  EXPECT_EQ(c.style2id.at("Calm"), 2);
}

TEST(VoiceConfig, MissingKeysHaveTheFormatsDefaults) {
  const VoiceConfig c = VoiceConfig::parse("{}", "config.json");
  EXPECT_EQ(c.sampling_rate, 44100);
  EXPECT_EQ(c.upsample_rates, (std::vector<int64_t>{8, 8, 2, 2, 2}));
  EXPECT_TRUE(c.add_blank);
}

TEST(VoiceConfig, FaultsAreNamed) {
  const auto with = [](const char* section, const char* key, const json& value) {
    json j = demo();
    j[section][key] = value;
    return complaint(j.dump());
  };
  const auto names = [](const std::string& what, const char* key) { return what.find(key) != std::string::npos; };
  EXPECT_TRUE(names(with("data", "sampling_rate", "44100"), "sampling_rate"));
  EXPECT_TRUE(names(with("data", "sampling_rate", -1), "sampling_rate"));
  EXPECT_TRUE(names(with("data", "sampling_rate", 1e300), "sampling_rate"));
  EXPECT_TRUE(names(with("data", "sampling_rate", 22050.5), "sampling_rate"));
  EXPECT_TRUE(names(with("data", "style2id", json::array({1})), "style2id"));
  EXPECT_TRUE(names(with("data", "style2id", json{{"Neutral", 7}}), "Neutral"));
  EXPECT_TRUE(names(with("data", "hop_length", 512), "hop_length"));
  EXPECT_TRUE(names(with("model", "upsample_rates", json::array()), "upsample_rates"));
  EXPECT_TRUE(names(with("model", "upsample_rates", json::array({8, 0, 4})), "upsample_rates"));
  EXPECT_TRUE(names(with("model", "upsample_kernel_sizes", json::array({16, 16})), "upsample_kernel_sizes"));
  EXPECT_TRUE(names(with("model", "n_heads", 5), "hidden_channels"));
  EXPECT_TRUE(names(with("model", "n_layers", 2), "n_layers"));
  EXPECT_TRUE(
      names(with("model", "resblock_dilation_sizes", json::array({json::array({1})})), "resblock_dilation_sizes"));
  EXPECT_TRUE(names(with("model", "resblock_kernel_sizes", json::array({3, 4, 7})), "resblock_kernel_sizes"));
  EXPECT_TRUE(names(with("model", "use_spk_conditioned_encoder", false), "use_spk_conditioned_encoder"));
  json old = demo();
  old["version"] = "2.3";
  EXPECT_TRUE(names(complaint(old.dump()), "not a JP-Extra voice"));
  EXPECT_TRUE(names(complaint("{\"data\": 3}"), "data"));
  EXPECT_TRUE(names(complaint("[]"), "must be a JSON object"));
  EXPECT_TRUE(names(complaint("{\"data\": "), "not valid JSON"));
  EXPECT_TRUE(names(complaint(std::string(1'000'000, '[')), "config.json"));
}

TEST(BertConfig, OtherFlavoursAreRefused) {
  const auto complaint = [](const char* key, const json& value) {
    json j = json::parse(read_text_file(test::data("bert-tiny/config.json")));
    j[key] = value;
    try {
      (void)BertConfig::parse(j.dump(), "config.json");
    } catch (const Error& e) {
      return std::string(e.what()).find(key) != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(complaint("model_type", "bert"));
  EXPECT_TRUE(complaint("share_att_key", false));
  EXPECT_TRUE(complaint("position_biased_input", true));
  EXPECT_TRUE(complaint("hidden_act", "relu"));
  EXPECT_TRUE(complaint("hidden_size", 63));
  EXPECT_TRUE(complaint("num_hidden_layers", 2));
}

}  // namespace
}  // namespace hayakoe::model
