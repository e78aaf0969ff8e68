// SPDX-License-Identifier: Apache-2.0
// The objects that the program prints. Keys keep the order in which they are written here.
#pragma once

#include <hayakoe/hayakoe.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "text/types.hpp"

namespace hayakoe::cli {

using Json = nlohmann::ordered_json;

/// On one line; what is no UTF-8 becomes U+FFFD.
std::string to_line(const Json& json);

/// When everything is heard, in seconds, rounded to microseconds.
Json timing_json(int sample_rate, double duration, const std::vector<SentenceTiming>& sentences);

/// All of Stats, `times_real_time`, and the device.
Json stats_json(const Stats& stats, const std::string& device);

/// An analysis with the numbers that the models take. `bert_ids` only if there are some.
Json analysis_json(const text::Analysis& analysis);

/// All of VoiceInfo; `name` is what the program calls it.
Json voice_json(const VoiceInfo& info, const std::string& name);

}  // namespace hayakoe::cli
