// SPDX-License-Identifier: Apache-2.0
// Small ONNX files for forms of models that the exported ones do not have.
#pragma once

#include <string>

#include "onnx/graph.hpp"

namespace hayakoe::test {

/// A "BERT" whose only feature of a token is its id. It takes one sequence at a time: the output is [tokens, 1].
inline std::string bert_of_one_sequence() {
  using namespace onnx::graph;
  return Graph("bert")
      .input("input_ids", kInt64, {"batch", "tokens"})
      .input("attention_mask", kInt64, {"batch", "tokens"})
      .node("Cast", {"input_ids"}, "ids", {integer("to", kFloat)})
      .node("Cast", {"attention_mask"}, "mask", {integer("to", kFloat)})
      .node("Mul", {"ids", "mask"}, "masked")
      .node("Transpose", {"masked"}, "output", {onnx::graph::integers("perm", {1, 0})})
      .output("output", kFloat, {"tokens", "width"})
      .model();
}

}  // namespace hayakoe::test
