// SPDX-License-Identifier: Apache-2.0
// What `hayakoe bench` speaks: always the same, so that figures of different days and machines compare.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hayakoe::cli {

/// Sentences that there are.
inline constexpr int kBenchSentences = 16;

/// The first `count` sentences, each with its full stop: 12 to 45 characters without it, and some of 10 to 20.
std::vector<std::string> bench_sentences(int count);

/// The same as one text.
std::string bench_text(int count);

/// 8 characters, and 30.
std::string short_text();
std::string medium_text();

/// Characters of a text without its full stops.
int64_t characters(std::string_view text);

}  // namespace hayakoe::cli
