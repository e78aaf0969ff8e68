// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hayakoe/hayakoe.hpp>

#include "text/types.hpp"

namespace hayakoe::engine {

/// Refuses what is out of range, naming the option, its value and the range. @throws Error
void check(const SpeakOptions& options);
void check(const EngineOptions& options);

inline text::Rules rules_of(TextRules rules) {
  return rules == TextRules::kSbv2 ? text::Rules::kSbv2 : text::Rules::kNatural;
}

}  // namespace hayakoe::engine
