// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "audio_file.hpp"
#include "process.hpp"

namespace hayakoe::test {
namespace {

TEST(MakeModel, WhatItMakesSpeaks) {
  const ScratchFolder folder;
  const std::string voice = folder.file("voice-tiny");
  for (const std::string kind : {"bert-tiny", "voice-tiny"}) {
    const Result made = run({"make-model", "--kind", kind, "--seed", "5", "--out", folder.file(kind)});
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(made.out, "");
    EXPECT_NE(made.err.find(kind), std::string::npos) << made.err;
    EXPECT_NE(made.err.find("seed 5"), std::string::npos) << made.err;
    EXPECT_EQ(made.err.find('\x1b'), std::string::npos) << made.err;  // no progress but on a terminal
  }
  const auto info = nlohmann::json::parse(run({"info", voice, "--json"}).out);
  EXPECT_EQ(info["sample_rate"], 44100);
  EXPECT_EQ(info["bert"], folder.file("bert-tiny"));

  const Result said = run({"say", "こんにちは。", "--voice", voice, "-o", folder.file("a.wav")});
  ASSERT_EQ(said.status, 0) << said.err;
  EXPECT_GT(read_audio(folder.file("a.wav")).seconds(), 0.3);
}

TEST(MakeModel, OverwritesNothing) {
  const ScratchFolder folder;
  write_file(folder.path() / "model.safetensors", "mine");
  const Result result = run({"make-model", "--kind", "voice-tiny", "--out", folder.path().string()});
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(result.err.starts_with("hayakoe: ")) << result.err;
  EXPECT_NE(result.err.find(folder.file("model.safetensors")), std::string::npos) << result.err;
  EXPECT_EQ(folder.names(), std::vector<std::string>{"model.safetensors"});
  EXPECT_EQ(read_file(folder.path() / "model.safetensors"), "mine");
}

TEST(MakeModel, RefusesACommandLineThatMakesNoSense) {
  const ScratchFolder folder;
  const std::string out = folder.file("model");
  const auto refused = [&](const std::vector<std::string>& options, const std::string& mention) {
    std::vector<std::string> arguments{"make-model"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_NE(result.err.find(mention), std::string::npos) << result.err;
    EXPECT_TRUE(folder.names().empty());
  };
  refused({"--out", out}, "--kind");
  refused({"--kind", "voice-tiny"}, "--out");
  refused({"--kind", "voice-tiny", "--out", ""}, "--out");
  refused({"--kind", "voice-huge", "--out", out}, "voice-huge");
  refused({"--kind", "voice-tiny", "--out", out, "--seed", "-1"}, "--seed");
  refused({"--kind", "voice-tiny", "--out", out, "--seed", "x"}, "--seed");
  refused({"--kind", "voice-tiny", "--out", out, "more"}, "more");
}

}  // namespace
}  // namespace hayakoe::test
