// SPDX-License-Identifier: Apache-2.0
#include "cli/json.hpp"

#include <cmath>

#include "text/symbols.hpp"

namespace hayakoe::cli {
namespace {

// More digits than anybody can hear only make the file larger.
double rounded(double seconds) {
  constexpr double kMicroseconds = 1e6;
  return std::round(seconds * kMicroseconds) / kMicroseconds;
}

Json sounds_json(const std::vector<SoundTiming>& sounds, const char* key) {
  Json all = Json::array();
  for (const SoundTiming& s : sounds) {
    all.push_back({{key, s.symbol}, {"tone", s.tone}, {"begin", rounded(s.begin)}, {"end", rounded(s.end)}});
  }
  return all;
}

Json words_json(const std::vector<text::Word>& words) {
  Json all = Json::array();
  for (const text::Word& w : words) {
    all.push_back({{"string", w.string},
                   {"pos", w.pos},
                   {"read", w.read},
                   {"pron", w.pron},
                   {"acc", w.acc},
                   {"mora_size", w.mora_size},
                   {"chain_flag", w.chain_flag}});
  }
  return all;
}

}  // namespace

std::string to_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json timing_json(int sample_rate, double duration, const std::vector<SentenceTiming>& sentences) {
  Json all = Json::array();
  for (const SentenceTiming& s : sentences) {
    all.push_back({{"text", s.text},
                   {"begin", rounded(s.begin)},
                   {"end", rounded(s.end)},
                   {"moras", sounds_json(s.moras, "kana")},
                   {"phones", sounds_json(s.phones, "phone")}});
  }
  return {{"sample_rate", sample_rate}, {"duration", rounded(duration)}, {"sentences", std::move(all)}};
}

Json stats_json(const Stats& s, const std::string& device) {
  return {{"device", device},
          {"sentences", s.sentences},
          {"bert_forwards", s.bert_forwards},
          {"bert_rows", s.bert_rows},
          {"uploads", s.uploads},
          {"upload_bytes", s.upload_bytes},
          {"downloads", s.downloads},
          {"download_bytes", s.download_bytes},
          {"kernel_launches", s.kernel_launches},
          {"arena_bytes", s.arena_bytes},
          {"peak_bytes", s.peak_bytes},
          {"device_bytes", s.device_bytes},
          {"text_seconds", rounded(s.text_seconds)},
          {"bert_seconds", rounded(s.bert_seconds)},
          {"encoder_seconds", rounded(s.encoder_seconds)},
          {"flow_seconds", rounded(s.flow_seconds)},
          {"decoder_seconds", rounded(s.decoder_seconds)},
          {"total_seconds", rounded(s.total_seconds)},
          {"audio_seconds", rounded(s.audio_seconds)},
          {"bert_flops", s.bert_flops},
          {"encoder_flops", s.encoder_flops},
          {"flow_flops", s.flow_flops},
          {"decoder_flops", s.decoder_flops},
          {"times_real_time", s.total_seconds > 0 ? rounded(s.audio_seconds / s.total_seconds) : 0.0}};
}

Json analysis_json(const text::Analysis& a) {
  const text::Sequence ids = text::to_sequence(a.phones, a.tones, a.word2ph);
  Json json{{"text", a.text},         {"norm_text", a.norm_text}, {"njd", words_json(a.njd)},
            {"sep_text", a.sep_text}, {"sep_kata", a.sep_kata},   {"bert_text", a.bert_text}};
  if (!a.bert_ids.empty()) json["bert_ids"] = a.bert_ids;
  json.update(Json{{"phones", a.phones},
                   {"tones", a.tones},
                   {"word2ph", a.word2ph},
                   {"phone_ids", ids.phone_ids},
                   {"tone_ids", ids.tone_ids},
                   {"language_ids", ids.language_ids},
                   {"word2ph_blank", ids.word2ph},
                   {"unreadable", a.unreadable},
                   {"warnings", a.warnings}});
  return json;
}

Json voice_json(const VoiceInfo& info, const std::string& name) {
  return {{"name", name},
          {"path", info.path.string()},
          {"title", info.name},
          {"version", info.version},
          {"sample_rate", info.sample_rate},
          {"styles", info.styles},
          {"speakers", info.speakers},
          {"engine", info.engine},
          {"parameters", info.parameters},
          {"bytes", info.bytes},
          {"bert_width", info.bert_width}};
}

}  // namespace hayakoe::cli
