// SPDX-License-Identifier: Apache-2.0
// Converted folders speak as the originals do at the same precision, and are refused where something is wrong.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <hayakoe/hayakoe.hpp>

#include "support/files.hpp"
#include "support/golden.hpp"

namespace hayakoe {
namespace {
namespace fs = std::filesystem;

const char* const kText = "変換した声です。同じに聞こえますか？";

std::vector<float> speak(const fs::path& voice, const fs::path& bert, const std::string& precision) {
  EngineOptions o;
  o.device = "cpu";
  o.precision = precision;
  o.bert = bert;
  Engine engine(o);
  return engine.load("voice", voice).generate(kText).samples;
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Convert, SpeaksAsTheOriginalAtThatPrecision) {
  for (const char* precision : {"f32", "f16", "bf16", "int8"}) {
    const test::TempFolder folder;
    const fs::path voice = folder.path() / "voice";
    const fs::path bert = folder.path() / "bert";
    convert(test::voices("demo"), voice, precision);
    convert(test::voices("demo-bert"), bert, precision);
    const auto original = speak(test::voices("demo"), test::voices("demo-bert"), precision);
    // Whatever precision is asked for then.
    EXPECT_EQ(speak(voice, bert, "auto"), original) << precision;
    EXPECT_EQ(speak(voice, bert, "f32"), original) << precision;
    EXPECT_TRUE(fs::exists(voice / "MODEL-CARD.md"));
    EXPECT_TRUE(fs::exists(voice / "LICENSE-ATTRIBUTION.txt"));

    const VoiceInfo before = describe_voice(test::voices("demo"));
    const VoiceInfo after = describe_voice(voice);
    EXPECT_EQ(after.parameters, before.parameters);
    EXPECT_EQ(after.styles, before.styles);
    EXPECT_EQ(after.speakers, before.speakers);
    EXPECT_EQ(after.bert_width, before.bert_width);
  }
}

TEST(Convert, RefusesWhatMakesNoSense) {
  const test::TempFolder folder;
  const fs::path voice = folder.path() / "voice";
  convert(test::voices("demo"), voice, "bf16");
  const auto error = [&](const fs::path& from, const fs::path& to, const char* precision) {
    return message_of([&] { convert(from, to, precision); });
  };
  EXPECT_NE(error(voice, folder.path() / "twice", "bf16").find("converted already"), std::string::npos);
  EXPECT_NE(error(test::voices("demo"), voice, "bf16").find("is there already"), std::string::npos);
  EXPECT_NE(error(test::voices("demo"), test::voices("demo"), "bf16").find("give another one"), std::string::npos);
  EXPECT_NE(error(folder.path() / "nothing", folder.path() / "x", "f32").find("no such voice"), std::string::npos);
  EXPECT_NE(error(test::voices("demo"), folder.path() / "x", "f64").find("f32, f16, bf16, int8"), std::string::npos);
}

// Changes bytes of the converted voice's weight file and returns what loading it says.
std::string after_change(const std::function<void(std::string&)>& change) {
  const test::TempFolder folder;
  const fs::path voice = folder.path() / "voice";
  convert(test::voices("demo"), voice, "int8");
  for (const auto& entry : fs::directory_iterator(voice)) {
    if (entry.path().extension() != ".safetensors") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    in.close();
    change(bytes);
    std::ofstream(entry.path(), std::ios::binary | std::ios::trunc) << bytes;
  }
  return message_of([&] { speak(voice, test::voices("demo-bert"), "auto"); });
}

void replace_once(std::string& bytes, const std::string& from, const std::string& to) {
  ASSERT_EQ(from.size(), to.size());  // the file's header keeps its length
  const size_t at = bytes.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  bytes.replace(at, from.size(), to);
}

TEST(Convert, BrokenFilesAreErrorsThatNameThem) {
  EXPECT_EQ(after_change([](std::string&) {}), "no error");
  EXPECT_NE(after_change([](std::string& b) { b.resize(b.size() - 100); }).find(".safetensors"), std::string::npos);
  EXPECT_NE(after_change([](std::string& b) {
              replace_once(b, "\"hayakoe.packed\":\"1\"", "\"hayakoe.packed\":\"9\"");
            }).find("another version"),
            std::string::npos);
  EXPECT_NE(after_change([](std::string& b) {
              replace_once(b, "dec.conv_pre.bias", "dec.conv_pre.bios");
            }).find("dec.conv_pre"),
            std::string::npos);
  EXPECT_NE(after_change([](std::string& b) {
              replace_once(b, "dec.conv_pre.panels", "dec.conv_pre.planes");
            }).find("dec.conv_pre"),
            std::string::npos);
}

}  // namespace
}  // namespace hayakoe
