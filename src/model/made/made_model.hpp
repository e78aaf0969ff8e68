// SPDX-License-Identifier: Apache-2.0
// Models with random weights in the users' formats: they speak noise in the rhythm of speech, so that speed and memory
// can be measured where there is no real voice.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace hayakoe::model {

/// A kind of model that can be made.
struct MadeKind {
  std::string_view name;
  std::string_view description;  ///< for people
};

/// `bert-large` and `voice-full` have the sizes of what people use; `bert-tiny` and `voice-tiny` are for tests. A voice
/// reads the BERT of the same size.
std::span<const MadeKind> made_kinds();

/// What was made.
struct MadeModel {
  int64_t parameters = 0;
  int64_t bytes = 0;  ///< of the weight file
};

/// Called with the bytes of the weight file written so far and in all; return false to stop.
using MadeProgress = std::function<bool(int64_t done, int64_t total)>;

/// Writes a model into `folder`, which is made if it is missing. The same kind and seed give the same bytes on every
/// machine. After an error, and if `progress` stops it, nothing of the model is left.
/// @returns nothing made (0 parameters) if it was stopped
/// @throws Error for an unknown kind, if the folder holds one of the files already, or if the disk is full
MadeModel make_model(std::string_view kind, uint64_t seed, const std::filesystem::path& folder,
                     const MadeProgress& progress);

}  // namespace hayakoe::model
