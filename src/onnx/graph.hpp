// SPDX-License-Identifier: Apache-2.0
// Small ONNX graphs made in memory: the few messages of onnx.proto that they need, in protobuf's encoding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hayakoe::onnx::graph {

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

/// TensorProto.DataType
inline constexpr uint64_t kFloat = 1;
inline constexpr uint64_t kInt64 = 7;

/// An AttributeProto of one whole number, and of several.
inline Message integer(std::string_view name, int64_t value) {
  return Message().bytes(1, name).number(3, static_cast<uint64_t>(value)).number(20, 2);
}
inline Message integers(std::string_view name, const std::vector<int64_t>& values) {
  Message a;
  a.bytes(1, name);
  for (const int64_t v : values) a.number(8, static_cast<uint64_t>(v));
  return a.number(20, 7);
}

/// A GraphProto. Values are known by their names.
class Graph {
 public:
  explicit Graph(std::string_view name) { graph_.bytes(2, name); }
  /// `sizes` has a name for each; none at all: of any rank.
  Graph& input(std::string_view name, uint64_t type, const std::vector<std::string>& sizes) {
    graph_.message(11, value_info(name, type, sizes));
    return *this;
  }
  Graph& output(std::string_view name, uint64_t type, const std::vector<std::string>& sizes) {
    graph_.message(12, value_info(name, type, sizes));
    return *this;
  }
  /// The nodes must be in an order in which they can run.
  Graph& node(std::string_view op, const std::vector<std::string>& inputs, std::string_view output,
              const std::vector<Message>& attributes = {}) {
    Message n;
    for (const std::string& in : inputs) n.bytes(1, in);
    n.bytes(2, output).bytes(4, op);
    for (const Message& attribute : attributes) n.message(5, attribute);
    graph_.message(1, n);
    return *this;
  }
  /// The bytes of a file that has this graph: a ModelProto of operator set 13.
  [[nodiscard]] std::string model() const {
    constexpr uint64_t kIrVersion = 8;
    constexpr uint64_t kOperators = 13;
    const Message operators = Message().bytes(1, "").number(2, kOperators);
    return Message().number(1, kIrVersion).message(7, graph_).message(8, operators).data();
  }

 private:
  static Message value_info(std::string_view name, uint64_t type, const std::vector<std::string>& sizes) {
    Message tensor;
    tensor.number(1, type);
    Message shape;
    for (const std::string& size : sizes) shape.message(1, Message().bytes(2, size));
    if (!sizes.empty()) tensor.message(2, shape);
    return Message().bytes(1, name).message(2, Message().message(1, tensor));
  }

  Message graph_;
};

}  // namespace hayakoe::onnx::graph
