// SPDX-License-Identifier: Apache-2.0
// Which inputs and outputs of a file are the ones that a kind of model must have: by name, type and rank.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onnx/session.hpp"

namespace hayakoe::onnx {

/// An input or output that a kind of model has.
struct Expected {
  std::vector<const char*> names;  ///< that exporters give it; errors use the first
  ElementType type;
  std::vector<size_t> ranks;  ///< any of these
  bool required = true;
};

/// For each expected input, its index in the file; nothing for one that is not required and not there.
/// `kind` ("a BERT") names the kind of model in errors.
/// @throws Error that lists what was expected and what the file has: for an input that is missing, has another type or
/// rank, or is none of the expected ones, so that nobody would fill it
[[nodiscard]] std::vector<std::optional<size_t>> match_inputs(const Session& session,
                                                              std::span<const Expected> expected, const char* kind);

/// The index of the one output with the expected type and rank; its name only decides between several. @throws Error
[[nodiscard]] size_t match_output(const Session& session, const Expected& expected, const char* kind);

}  // namespace hayakoe::onnx
