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
  static_cast<void>(precision_of(o.precision));
  if (o.engine != "auto" && o.engine != "native" && o.engine != "onnx")
    throw Error(fmt::format("engine: there is no '{}'; use native, onnx or auto", o.engine));
}

model::Precision precision_of(const std::string& name) {
  using device::WeightType;
  if (name == "f32") return {WeightType::kF32, WeightType::kF32};
  if (name == "f16") return {WeightType::kF16, WeightType::kF16};
  if (name == "bf16") return {WeightType::kBF16, WeightType::kBF16};
  if (name == "int8" || name == "auto") return {WeightType::kInt8, WeightType::kF16};
  throw Error(fmt::format("precision: there is no '{}'; use f32, f16, bf16, int8 or auto", name));
}

}  // namespace hayakoe::engine
