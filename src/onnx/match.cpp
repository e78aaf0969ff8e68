// SPDX-License-Identifier: Apache-2.0
#include "onnx/match.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <hayakoe/error.hpp>

namespace hayakoe::onnx {
namespace {

std::string list(const std::vector<ValueInfo>& values) {
  std::vector<std::string> texts;
  for (const ValueInfo& value : values) {
    std::vector<std::string> sizes;
    for (const int64_t n : value.shape) sizes.push_back(n < 0 ? "?" : std::to_string(n));
    texts.push_back(fmt::format("{} {} [{}]", value.name, to_string(value.type), fmt::join(sizes, ", ")));
  }
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string text_of(const Expected& expected) {
  return fmt::format("{} {} of rank {}{}", fmt::join(expected.names, "|"), to_string(expected.type),
                     fmt::join(expected.ranks, "|"), expected.required ? "" : " (may be absent)");
}

[[noreturn]] void fail(const Session& session, const char* kind, const std::string& fault, const char* what,
                       std::span<const Expected> expected) {
  std::vector<std::string> texts;
  for (const Expected& e : expected) texts.push_back(text_of(e));
  throw Error(fmt::format("{}: is not {} that can be used: {}. Expected {}: {}. The file has inputs: {}; outputs: {}",
                          session.path().string(), kind, fault, what, fmt::join(texts, ", "), list(session.inputs()),
                          list(session.outputs())));
}

bool has_name(const Expected& expected, const std::string& name) {
  return std::find(expected.names.begin(), expected.names.end(), name) != expected.names.end();
}

bool fits(const Expected& expected, const ValueInfo& value) {
  const auto& ranks = expected.ranks;
  return value.type == expected.type && std::find(ranks.begin(), ranks.end(), value.shape.size()) != ranks.end();
}

}  // namespace

const char* to_string(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return "float32";
    case ElementType::kFloat16:
      return "float16";
    case ElementType::kInt64:
      return "int64";
    case ElementType::kInt32:
      return "int32";
    case ElementType::kOther:
      break;
  }
  return "of another type";
}

std::vector<std::optional<size_t>> match_inputs(const Session& session, std::span<const Expected> expected,
                                                const char* kind) {
  std::vector<std::optional<size_t>> found(expected.size());
  const auto& inputs = session.inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto slot =
        std::find_if(expected.begin(), expected.end(), [&](const Expected& e) { return has_name(e, inputs[i].name); });
    if (slot == expected.end())
      fail(session, kind, fmt::format("nothing is known for its input '{}'", inputs[i].name), "inputs", expected);
    if (!fits(*slot, inputs[i])) {
      fail(session, kind,
           fmt::format("its input '{}' is {} of rank {}", inputs[i].name, to_string(inputs[i].type),
                       inputs[i].shape.size()),
           "inputs", expected);
    }
    auto& index = found[static_cast<size_t>(slot - expected.begin())];
    if (index) {
      fail(session, kind, fmt::format("its inputs '{}' and '{}' are the same", inputs[*index].name, inputs[i].name),
           "inputs", expected);
    }
    index = i;
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i].required && !found[i])
      fail(session, kind, fmt::format("it has no input '{}'", expected[i].names.front()), "inputs", expected);
  }
  return found;
}

size_t match_output(const Session& session, const Expected& expected, const char* kind) {
  const auto& outputs = session.outputs();
  std::vector<size_t> fitting;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!fits(expected, outputs[i])) continue;
    if (has_name(expected, outputs[i].name)) return i;
    fitting.push_back(i);
  }
  if (fitting.size() == 1) return fitting.front();
  fail(session, kind,
       fitting.empty() ? "it has no such output" : "it has several outputs of that type and rank, all of other names",
       "output", {&expected, 1});
}

}  // namespace hayakoe::onnx
