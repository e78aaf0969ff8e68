// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hayakoe/hayakoe.hpp>
#include <memory>

#include "device/device.hpp"
#include "text/types.hpp"

namespace hayakoe::engine {

/// Refuses what is out of range, naming the option, its value and the range. @throws Error
void check(const SpeakOptions& options);
void check(const EngineOptions& options);

inline text::Rules rules_of(TextRules rules) {
  return rules == TextRules::kSbv2 ? text::Rules::kSbv2 : text::Rules::kNatural;
}

/// The device to compute on. "auto" is the first GPU, unless the precision is one that only the CPU has.
/// @throws Error as device::open_device()
std::shared_ptr<device::Device> open_device(const EngineOptions& options);

}  // namespace hayakoe::engine
