// SPDX-License-Identifier: Apache-2.0
// One BERT in the process for each folder, kind of device and precision, shared by every voice.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "device/device.hpp"
#include "model/bert.hpp"
#include "text/tokenizer.hpp"

namespace hayakoe::engine {

/// A BERT with the vocabulary that belongs to it.
struct LoadedBert {
  LoadedBert(const std::filesystem::path& folder, const std::shared_ptr<device::Device>& device,
             device::WeightType type);
  std::filesystem::path folder;
  model::Bert model;
  text::CharTokenizer tokenizer;
};

/// Hands out BERTs. The only state that the process shares.
class BertPool {
 public:
  /// The BERT of a folder: read once, however many ask at once; it goes when its last user goes. @throws Error
  static std::shared_ptr<const LoadedBert> get(const std::filesystem::path& folder,
                                               const std::shared_ptr<device::Device>& device, device::WeightType type);
  /// How many are held now.
  static int64_t count();
};

}  // namespace hayakoe::engine
