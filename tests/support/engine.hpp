// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hayakoe/hayakoe.hpp>
#include <string>

#include "support/device.hpp"

namespace hayakoe::test {

/// An engine's options for the device that the tests run on.
inline EngineOptions engine_options(const std::string& precision = "auto") {
  EngineOptions o;
  o.device = device_name();
  o.precision = precision;
  return o;
}

/// Without randomness: the graphs of ONNX voices draw their own noise.
inline SpeakOptions still() {
  SpeakOptions o;
  o.noise = 0;
  o.noise_w = 0;
  o.sdp_ratio = 0;
  return o;
}

}  // namespace hayakoe::test
