// SPDX-License-Identifier: Apache-2.0
#include "engine/options.hpp"

#include <fmt/format.h>

namespace hayakoe::engine {
namespace {

void in_range(const char* name, double value, double low, double high) {
  // Written so that a NaN is out of range.
  if (!(value >= low && value <= high)) {
    throw Error(fmt::format("{}: {} is out of range; use {} to {}", name, value, low, high));
  }
}

}  // namespace

void check(const SpeakOptions& o) {
  in_range("style_weight", o.style_weight, -100, 100);
  in_range("speed", o.speed, 0.1, 10);
  in_range("sdp_ratio", o.sdp_ratio, 0, 1);
  in_range("noise", o.noise, 0, 10);
  in_range("noise_w", o.noise_w, 0, 10);
  in_range("assist_weight", o.assist_weight, 0, 1);
  in_range("pause.seconds", o.pause.seconds, 0, 60);
  in_range("pause.minimum", o.pause.minimum, 0, 60);
  if (o.ssml && (o.phones || o.tones)) throw Error("ssml: phones and tones belong to a plain text; give one of them");
  if (o.phones && !o.tones) throw Error("phones: tones are missing; give a tone (0 or 1) for each phone");
}

void check(const EngineOptions& o) {
  if (o.engine != "auto" && o.engine != "native" && o.engine != "onnx")
    throw Error(fmt::format("engine: there is no '{}'; use native, onnx or auto", o.engine));
}

std::shared_ptr<device::Device> open_device(const EngineOptions& o) {
  auto device = device::open_device(o.device, o.threads);
  const bool automatic = o.device.empty() || o.device == "auto";
  if (!automatic || device->name() == "cpu") return device;
  try {
    (void)device->precision(o.precision);
    return device;
  } catch (const Error&) {
    return device::open_device("cpu", o.threads);
  }
}

}  // namespace hayakoe::engine
