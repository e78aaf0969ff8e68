// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_json.hpp"

namespace hayakoe::cli {
namespace {

Json to_json(const SpeakingCost& c) {
  return {{"bert_seconds", c.bert_seconds},
          {"total_seconds", c.total_seconds},
          {"audio_seconds", c.audio_seconds},
          {"times_real_time", c.audio_seconds / c.total_seconds},
          {"bert_forwards", c.bert_forwards},
          {"peak_bytes", c.peak_bytes},
          {"uploads", c.uploads},
          {"upload_bytes", c.upload_bytes},
          {"downloads", c.downloads},
          {"download_bytes", c.download_bytes},
          {"kernel_launches", c.kernel_launches},
          {"activation_peak_bytes", c.activation_peak_bytes},
          {"device_bytes", c.device_bytes},
          {"device_peak_bytes", c.device_peak_bytes()}};
}

Json to_json(const StageResult& s, double peak_gflops) {
  Json json{{"stage", s.stage}, {"seconds", s.seconds}};
  if (s.gflop > 0) {
    json["gflop"] = s.gflop;
    json["gflops"] = s.gflops();
    json["share_of_peak"] = s.gflops() / peak_gflops;
  }
  return json;
}

}  // namespace

Json to_json(const std::vector<BatchResult>& results) {
  Json all = Json::array();
  for (const BatchResult& r : results) {
    all.push_back({{"engine", r.engine},
                   {"sentences", r.sentences},
                   {"characters", r.characters},
                   {"one_by_one", to_json(r.one_by_one)},
                   {"batched", to_json(r.batched)},
                   {"bert_times_as_fast", r.one_by_one.bert_seconds / r.batched.bert_seconds},
                   {"total_times_as_fast", r.one_by_one.total_seconds / r.batched.total_seconds}});
  }
  return all;
}

Json to_json(const StagesResult& result) {
  Json texts = Json::array();
  for (const StagesOfText& t : result.texts) {
    Json stages = Json::array();
    for (const StageResult& s : t.stages) stages.push_back(to_json(s, result.peak_gflops));
    texts.push_back({{"sentences", t.sentences},
                     {"characters", t.characters},
                     {"audio_seconds", t.audio_seconds},
                     {"stages", std::move(stages)}});
  }
  return {{"peak_gflops", result.peak_gflops},
          {"peak_of_products", result.products},
          {"product_weights", result.product_weights},
          {"texts", std::move(texts)}};
}

Json to_json(const std::vector<LatencyResult>& results) {
  Json all = Json::array();
  for (const LatencyResult& r : results) {
    all.push_back({{"text", r.text},
                   {"sentences", r.sentences},
                   {"characters", r.characters},
                   {"audio_seconds", r.audio_seconds},
                   {"whole_seconds", r.whole_seconds},
                   {"first_chunk_seconds", r.first_chunk_seconds},
                   {"first_chunk_audio_seconds", r.first_chunk_audio},
                   {"first_chunk_share", r.first_chunk_seconds / r.whole_seconds}});
  }
  return all;
}

Json to_json(const std::vector<RequestsResult>& results) {
  Json all = Json::array();
  for (const RequestsResult& r : results) {
    all.push_back({{"requests", r.requests},
                   {"in_turn_seconds", r.in_turn_seconds},
                   {"first_seconds", r.first_seconds},
                   {"last_seconds", r.last_seconds},
                   {"times_as_fast", r.times_as_fast()},
                   {"last_over_first", r.unfairness()}});
  }
  return all;
}

Json to_json(const MemoryResult& result) {
  Json states = Json::array();
  for (const MemoryState& s : result.states) {
    states.push_back({{"state", s.state},
                      {"resident_bytes", s.resident_bytes},
                      {"anonymous_bytes", s.anonymous_bytes},
                      {"file_bytes", s.file_bytes},
                      {"peak_bytes", s.peak_bytes},
                      {"device_bytes", s.device_bytes}});
  }
  return {{"states", std::move(states)},
          {"further_voice_bytes", result.further_voice_bytes},
          {"further_voice_device_bytes", result.further_voice_device_bytes}};
}

MemoryResult memory_from_json(const Json& json) {
  MemoryResult result;
  for (const Json& s : json.at("states")) {
    result.states.push_back({s.at("state"), s.at("resident_bytes"), s.at("anonymous_bytes"), s.at("file_bytes"),
                             s.at("peak_bytes"), s.at("device_bytes")});
  }
  result.further_voice_bytes = json.at("further_voice_bytes");
  result.further_voice_device_bytes = json.at("further_voice_device_bytes");
  return result;
}

Json to_json(const LoadResult& r) {
  return {{"process_seconds", r.process_seconds},
          {"open_seconds", r.open_seconds},
          {"prepare_seconds", r.prepare_seconds},
          {"first_chunk_seconds", r.speak_seconds},
          {"total_seconds", r.total_seconds}};
}

}  // namespace hayakoe::cli
