// SPDX-License-Identifier: Apache-2.0
// What `bench` prints about the voice in the box: every figure there, possible, and consistent with the others.
#include <gtest/gtest.h>

#include <set>

#include "process.hpp"

namespace hayakoe::test {
namespace {

using nlohmann::json;

// As short as it goes: one run of each kind.
Result bench(const std::string& what, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"bench", what, "--voice", "demo", "--repeats", "1", "--warmups", "0"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(arguments);
}

json bench_json(const std::string& what, const std::string& sentences) {
  const Result result = bench(what, {"--json", "--sentences", sentences});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("bench: "), std::string::npos) << result.err;  // how far it is
  return json::parse(result.out);
}

// The keys of `object`, all of whose values must be numbers above 0.
std::set<std::string> positive(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) {
    EXPECT_TRUE(value.is_number() && value.get<double>() > 0) << key << ": " << value;
    keys.insert(key);
  }
  return keys;
}

TEST(Bench, BatchComparesTheTwoWays) {
  const json all = bench_json("batch", "2");
  EXPECT_EQ(all["repeats"], 1);
  EXPECT_EQ(all["warmups"], 0);
  EXPECT_TRUE(all["device"].get<std::string>().starts_with("cpu")) << all["device"];
  EXPECT_EQ(all["precision"], "auto");
  EXPECT_EQ(all["bert_weights"], "int8");
  EXPECT_EQ(all["voice_weights"], "f16");
  const std::vector<int> lengths{25, 18, 33, 12, 28, 45, 22, 15, 38, 25, 10, 30, 20, 41, 24, 14};
  ASSERT_EQ(all["sentences"].size(), lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    EXPECT_EQ(all["sentences"][i]["characters"], lengths[i]) << all["sentences"][i];
  }

  ASSERT_EQ(all["batch"].size(), 1U);
  for (const json& row : all["batch"]) {
    for (const char* way : {"one_by_one", "batched"}) {
      json cost = row[way];
      for (const char* of_a_gpu : {"kernel_launches", "device_bytes", "device_peak_bytes"}) {
        EXPECT_EQ(cost[of_a_gpu], 0);
        cost.erase(of_a_gpu);
      }
      EXPECT_EQ(positive(cost),
                (std::set<std::string>{"bert_seconds", "total_seconds", "audio_seconds", "times_real_time",
                                       "bert_forwards", "peak_bytes", "uploads", "upload_bytes", "downloads",
                                       "download_bytes", "activation_peak_bytes"}));
    }
    EXPECT_EQ(row["one_by_one"]["uploads"], row["sentences"]);
    EXPECT_EQ(row["batched"]["uploads"], 1);
    EXPECT_EQ(row["one_by_one"]["bert_forwards"], row["sentences"]);
    EXPECT_EQ(row["batched"]["bert_forwards"], 1);
    // The pauses come on top.
    EXPECT_GE(row["batched"]["audio_seconds"], row["one_by_one"]["audio_seconds"]);
    EXPECT_GT(row["bert_times_as_fast"], 0.0);
    EXPECT_GT(row["total_times_as_fast"], 0.0);
  }
  EXPECT_EQ(all["batch"][0]["sentences"], 2);
  EXPECT_EQ(all["batch"][0]["characters"], 25 + 18);
}

TEST(Bench, StagesAddUp) {
  const json stages = bench_json("stages", "2")["stages"];
  EXPECT_GT(stages["peak_gflops"], 0.0);
  EXPECT_GT(stages["peak_of_products"], 1);
  EXPECT_EQ(stages["product_weights"], "f32");
  ASSERT_EQ(stages["texts"].size(), 2U);
  EXPECT_EQ(stages["texts"][0]["sentences"], 1);
  EXPECT_EQ(stages["texts"][0]["characters"], 30);
  EXPECT_EQ(stages["texts"][1]["sentences"], 2);
  for (const json& text : stages["texts"]) {
    std::vector<std::string> names;
    double seconds = 0;
    double gflop = 0;
    for (const json& stage : text["stages"]) {
      const std::string name = stage["stage"];
      names.push_back(name);
      json figures = stage;
      figures.erase("stage");
      const std::set<std::string> expected = name == "text"
                                                 ? std::set<std::string>{"seconds"}
                                                 : std::set<std::string>{"seconds", "gflop", "gflops", "share_of_peak"};
      EXPECT_EQ(positive(figures), expected) << name;
      if (name == "total") {
        EXPECT_LE(seconds, stage["seconds"]);
        EXPECT_NEAR(gflop, stage["gflop"], 1e-6 * gflop);
      } else {
        seconds += stage["seconds"].get<double>();
        gflop += figures.value("gflop", 0.0);
      }
    }
    EXPECT_EQ(names, (std::vector<std::string>{"text", "bert", "encoder", "flow", "decoder", "total"}));
  }
}

TEST(Bench, LatencyOfTheFirstChunk) {
  const json latency = bench_json("latency", "2,1,2")["latency"];
  ASSERT_EQ(latency.size(), 3U);
  const std::vector<std::pair<std::string, int>> texts{{"short", 8}, {"medium", 30}, {"long", 25 + 18}};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    json row = latency[i];
    EXPECT_EQ(row["text"], texts[i].first);
    EXPECT_EQ(row["characters"], texts[i].second);
    EXPECT_LE(row["first_chunk_audio_seconds"], row["audio_seconds"]);
    row.erase("text");
    EXPECT_EQ(positive(row),
              (std::set<std::string>{"sentences", "characters", "audio_seconds", "whole_seconds", "first_chunk_seconds",
                                     "first_chunk_audio_seconds", "first_chunk_share"}));
  }
  // A sentence at the most.
  EXPECT_LT(latency[2]["first_chunk_audio_seconds"], 0.8 * latency[2]["audio_seconds"].get<double>());
}

TEST(Bench, RequestsAtOnce) {
  const json requests = bench_json("requests", "1")["requests"];
  ASSERT_EQ(requests.size(), 3U);
  int expected = 1;
  for (const json& row : requests) {
    EXPECT_EQ(row["requests"], expected);
    expected *= 2;
    EXPECT_EQ(positive(row), (std::set<std::string>{"requests", "in_turn_seconds", "first_seconds", "last_seconds",
                                                    "times_as_fast", "last_over_first"}));
    EXPECT_LE(row["first_seconds"], row["last_seconds"]);
    EXPECT_NEAR(row["times_as_fast"], row["in_turn_seconds"].get<double>() / row["last_seconds"].get<double>(), 1e-9);
  }
}

TEST(Bench, MemoryGrowsWithWhatIsLoaded) {
  const json memory = bench_json("memory", "1")["memory"];
  EXPECT_GT(memory["further_voice_bytes"], 0);
  std::vector<std::string> names;
  for (const json& state : memory["states"]) {
    names.push_back(state["state"]);
    json figures = state;
    EXPECT_EQ(state["device_bytes"], 0);  // there is no GPU
    figures.erase("state");
    figures.erase("device_bytes");
    EXPECT_EQ(positive(figures),
              (std::set<std::string>{"resident_bytes", "anonymous_bytes", "file_bytes", "peak_bytes"}));
    EXPECT_GE(state["resident_bytes"], state["anonymous_bytes"]);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"start", "BERT", "1 voice", "it speaks", "4 voices", "the new ones speak",
                                             "all speak at once"}));
  const json& states = memory["states"];
  EXPECT_LT(states[0]["resident_bytes"], states[1]["resident_bytes"]);
  EXPECT_LT(states[1]["resident_bytes"], states[2]["resident_bytes"]);
  EXPECT_LT(states[2]["resident_bytes"], states[4]["resident_bytes"]);
}

TEST(Bench, LoadIsTheSumOfItsSteps) {
  const json load = bench_json("load", "1")["load"];
  EXPECT_EQ(positive(load), (std::set<std::string>{"process_seconds", "open_seconds", "prepare_seconds",
                                                   "first_chunk_seconds", "total_seconds"}));
  // One run, so the medians are its own.
  EXPECT_NEAR(load["total_seconds"],
              load["process_seconds"].get<double>() + load["open_seconds"].get<double>() +
                  load["prepare_seconds"].get<double>() + load["first_chunk_seconds"].get<double>(),
              1e-6);
}

TEST(Bench, WithoutJsonPrintsTables) {
  const Result result = bench("load");
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part : {"25, 18, 33", "\nload: ", "weights of BERT and the voice"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  }
  EXPECT_EQ(result.out.find('{'), std::string::npos);
}

TEST(Bench, MistakesAreNamed) {
  const auto expect_failure = [](int status, const std::string& mention, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"bench"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = run(arguments);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_NE(result.err.find(mention), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  };
  expect_failure(2, "speed", {"speed"});
  for (const char* sizes : {"two", "2,", "", "2 4"}) expect_failure(2, "--sentences", {"--sentences", sizes});
  expect_failure(1, "sentences: 17", {"--sentences", "2,17"});
  expect_failure(1, "repeats: 0", {"--repeats", "0"});
  expect_failure(1, "warmups: -1", {"--warmups", "-1"});
  expect_failure(1, "threads", {"--threads", "-1"});
  expect_failure(1, "/nowhere", {"--voices", "/nowhere"});
  // Said by the process that measures in a fresh start, and not lost.
  expect_failure(1, "/nowhere", {"load", "--json", "--bert", "/nowhere"});
}

}  // namespace
}  // namespace hayakoe::test
