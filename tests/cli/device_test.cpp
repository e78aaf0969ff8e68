// SPDX-License-Identifier: Apache-2.0
// --device: what is there speaks, and what is missing is said in one line.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "audio_file.hpp"
#include "process.hpp"

namespace hayakoe::test {
namespace {

using nlohmann::json;

const std::string kData = HAYAKOE_TEST_DATA;

std::string plugin(const std::string& file) { return "HAYAKOE_CUDA_PLUGIN=" + file; }

// "say" with these options and this plug-in fails, with one line in which all of `mentions` stand.
void expect_failure(const std::vector<std::string>& options, const std::string& file,
                    const std::vector<std::string>& mentions) {
  const ScratchFolder folder;
  std::vector<std::string> arguments{"say", "はい。", "-o", folder.file("a.wav")};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Result result = run(arguments, "", {plugin(file)});
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("hayakoe: ")) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const std::string& mention : mentions) EXPECT_NE(result.err.find(mention), std::string::npos) << result.err;
  EXPECT_TRUE(folder.names().empty());
}

// What a small voice has cost with these options and this plug-in.
json stats_of(const std::vector<std::string>& options, const std::string& file) {
  const ScratchFolder folder;
  const std::string audio = folder.file("a.wav");
  const std::string voice = kData + "/voice-tiny";
  const std::string bert = kData + "/bert-tiny";
  std::vector<std::string> arguments{"say", "はい。", "-q", "-o", audio, "--voice", voice, "--bert", bert};
  arguments.insert(arguments.end(), {"--speed", "5", "--stats", "json"});
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Result result = run(arguments, "", {plugin(file)});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_GT(read_audio(audio).peak(), 0.01F);
  return json_line(result.err);
}

void expect_cpu_by_default(const std::string& file) {
  const json stats = stats_of({}, file);
  EXPECT_TRUE(stats["device"].get<std::string>().starts_with("cpu (")) << stats;
  EXPECT_EQ(stats["kernel_launches"], 0);
  EXPECT_EQ(stats["device_bytes"], 0);
  EXPECT_GT(stats["peak_bytes"], 0);
}

TEST(Device, NamesThatAreNoneAreRefused) {
  expect_failure({"--device", "gpu"}, "", {"'gpu'", "cpu, cuda, cuda:N or auto"});
  for (const std::string name : {"cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:99999999999"})
    expect_failure({"--device", name}, "", {"'" + name + "'", "cuda:0"});
}

TEST(Device, APluginThatIsNotThereIsNamed) {
  const ScratchFolder folder;
  const std::string missing = folder.file("libmissing.so");
  expect_failure({"--device", "cuda"}, missing, {"device cuda: ", "is not found", missing});
  expect_cpu_by_default(missing);
}

TEST(Device, AFileThatIsNoPluginIsNamed) {
  const ScratchFolder folder;
  const std::string text = folder.file("text.so");
  write_file(text, "This is no library.");
  expect_failure({"--device", "cuda"}, text, {"device cuda: ", "cannot be loaded", text});
  expect_failure({"--device", "cuda"}, folder.path().string(), {"device cuda: ", folder.path().string()});
  expect_failure({"--device", "cuda:1"}, NO_PLUGIN_FILE, {"device cuda: ", NO_PLUGIN_FILE, "is not a plug-in"});
  expect_failure({"--device", "cuda"}, OTHER_VERSION_PLUGIN_FILE,
                 {"device cuda: ", OTHER_VERSION_PLUGIN_FILE, "0.0.1"});
  expect_cpu_by_default(text);
  expect_cpu_by_default(OTHER_VERSION_PLUGIN_FILE);
}

TEST(Device, WithoutADriverThePluginSaysSo) {
  const std::string real = HAYAKOE_CUDA_FILE;
  if (real.empty()) GTEST_SKIP() << "the CUDA plug-in is not built here";
  if (dlopen("libcuda.so.1", RTLD_LAZY) != nullptr) GTEST_SKIP() << "there is a driver";
  expect_failure({"--device", "cuda"}, real, {"device cuda: ", "driver"});
  expect_failure({"--device", "cuda:1"}, real, {"device cuda: ", "driver"});
  expect_cpu_by_default(real);
}

class EmulatedDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (file_.empty()) GTEST_SKIP() << "the emulated GPU is not built here";
  }
  const std::string file_ = HAYAKOE_CUDA_EMULATED_FILE;
};

TEST_F(EmulatedDevice, SpeaksAndSaysWhatItCost) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, {"--device", "cuda"}, {"--device", "cuda:0", "--precision", "f32"}}) {
    const json stats = stats_of(options, file_);
    EXPECT_TRUE(stats["device"].get<std::string>().starts_with("cuda:0 (")) << stats;
    EXPECT_EQ(stats["uploads"], 1);
    EXPECT_EQ(stats["downloads"], 2);
    for (const char* figure : {"kernel_launches", "device_bytes", "peak_bytes", "arena_bytes"})
      EXPECT_GT(stats[figure], 0) << figure;
  }
}

TEST_F(EmulatedDevice, IsNotTakenForAPrecisionOfTheCpu) {
  const json stats = stats_of({"--precision", "int8"}, file_);
  EXPECT_TRUE(stats["device"].get<std::string>().starts_with("cpu (")) << stats;
}

TEST_F(EmulatedDevice, RefusesWhatItDoesNotHave) {
  expect_failure({"--device", "cuda:9"}, file_, {"device cuda:9", "no such GPU", "cuda:0"});
  expect_failure({"--device", "cuda", "--precision", "int8"}, file_, {"precision", "'int8'", "f16"});
  expect_failure({"--device", "cpu", "--precision", "tf32"}, file_, {"precision", "'tf32'", "int8"});
}

TEST_F(EmulatedDevice, IsMeasuredWithItsLaunchesCopiesAndMemory) {
  // f32 is what it computes fastest.
  const Result result =
      run({"bench", "batch", "--device", "cuda", "--precision", "f32", "--repeats", "1", "--warmups", "0",
           "--sentences", "1", "--voice", kData + "/voice-tiny", "--bert", kData + "/bert-tiny", "--json"},
          "", {plugin(file_)});
  ASSERT_EQ(result.status, 0) << result.err;
  const json all = json::parse(result.out);
  EXPECT_TRUE(all["device"].get<std::string>().starts_with("cuda:0 (")) << all["device"];
  EXPECT_EQ(all["bert_weights"], "f32");
  const json& row = all["batch"][0];
  for (const char* way : {"one_by_one", "batched"}) {
    const json& cost = row[way];
    EXPECT_EQ(cost["uploads"], 1);
    EXPECT_EQ(cost["downloads"], 2);
    EXPECT_GT(cost["kernel_launches"], 100);
    EXPECT_GT(cost["device_bytes"], 1'000'000);
    // Not only the time until BERT's work was asked for.
    EXPECT_GT(cost["bert_seconds"], 0.001);
    EXPECT_EQ(cost["device_peak_bytes"],
              cost["device_bytes"].get<int64_t>() + cost["activation_peak_bytes"].get<int64_t>());
  }
}

}  // namespace
}  // namespace hayakoe::test
