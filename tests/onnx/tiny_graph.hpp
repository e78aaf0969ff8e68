// SPDX-License-Identifier: Apache-2.0
// Small ONNX files made by hand (protobuf, onnx.proto3), for forms of models that the exported ones do not have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hayakoe::test {

/// One protobuf message, field by field.
class Message {
 public:
  Message& number(int field, uint64_t value) {
    varint(static_cast<uint64_t>(field) << 3U);
    varint(value);
    return *this;
  }
  Message& bytes(int field, std::string_view value) {
    varint((static_cast<uint64_t>(field) << 3U) | 2U);
    varint(value.size());
    data_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return bytes(field, value.data_); }
  [[nodiscard]] const std::string& data() const { return data_; }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) data_ += static_cast<char>((value & 0x7FU) | 0x80U);
    data_ += static_cast<char>(value);
  }

  std::string data_;
};

inline constexpr uint64_t kFloat = 1;
inline constexpr uint64_t kInt64 = 7;

/// A ValueInfoProto: sizes that are open have a name.
inline Message value_info(std::string_view name, uint64_t type, const std::vector<std::string>& sizes) {
  Message shape;
  for (const std::string& size : sizes) shape.message(1, Message().bytes(2, size));
  return Message().bytes(1, name).message(2, Message().message(1, Message().number(1, type).message(2, shape)));
}

inline Message node(std::string_view op, const std::vector<std::string>& inputs, std::string_view output) {
  Message n;
  for (const std::string& input : inputs) n.bytes(1, input);
  return n.bytes(2, output).bytes(4, op);
}

/// An AttributeProto of whole numbers.
inline Message integers(std::string_view name, const std::vector<uint64_t>& values) {
  Message a;
  a.bytes(1, name);
  for (const uint64_t v : values) a.number(8, v);
  return a.number(20, 7);
}
inline Message integer(std::string_view name, uint64_t value) {
  return Message().bytes(1, name).number(3, value).number(20, 2);
}

/// A "BERT" whose only feature of a token is its id. It takes one sequence at a time: the output is [tokens, 1].
inline std::string bert_of_one_sequence() {
  Message graph;
  graph.message(1, node("Cast", {"input_ids"}, "ids").message(5, integer("to", kFloat)));
  graph.message(1, node("Cast", {"attention_mask"}, "mask").message(5, integer("to", kFloat)));
  graph.message(1, node("Mul", {"ids", "mask"}, "masked"));
  graph.message(1, node("Transpose", {"masked"}, "output").message(5, integers("perm", {1, 0})));
  graph.bytes(2, "bert");
  graph.message(11, value_info("input_ids", kInt64, {"batch", "tokens"}));
  graph.message(11, value_info("attention_mask", kInt64, {"batch", "tokens"}));
  graph.message(12, value_info("output", kFloat, {"tokens", "width"}));
  return Message().number(1, 8).message(7, graph).message(8, Message().bytes(1, "").number(2, 13)).data();
}

}  // namespace hayakoe::test
