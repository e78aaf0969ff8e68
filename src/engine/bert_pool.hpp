// SPDX-License-Identifier: Apache-2.0
// One BERT in the process for each folder, kind of device and precision, shared by every voice.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "device/device.hpp"
#include "model/bert.hpp"
#include "onnx/bert.hpp"
#include "onnx/bert_package.hpp"
#include "text/tokenizer.hpp"

namespace hayakoe::engine {

/// A BERT with the vocabulary that belongs to it.
struct LoadedBert {
  LoadedBert(const std::filesystem::path& folder, const std::shared_ptr<device::Device>& device,
             device::WeightType type);
  /// An ONNX one.
  LoadedBert(const onnx::BertPackage& package, const onnx::SessionOptions& options);

  /// The features of sequences of token ids, without padding, behind one another: [tokens, width()]. `ids` has the same
  /// as `sequences` on the device.
  [[nodiscard]] device::Tensor features(device::Stream& stream, const device::Tensor& ids,
                                        const device::Segments& tokens,
                                        const std::vector<std::vector<int>>& sequences) const;
  /// The same of an ONNX BERT, left where ONNX Runtime has them.
  [[nodiscard]] onnx::Features onnx_features(const std::vector<std::vector<int>>& sequences) const;
  [[nodiscard]] bool is_onnx() const { return std::holds_alternative<onnx::Bert>(model); }
  /// Channels of the features.
  [[nodiscard]] int64_t width() const;
  /// Floating-point operations of a forward pass; 0 where they are not known.
  [[nodiscard]] int64_t flops(const device::Segments& tokens) const;

  std::filesystem::path folder;
  std::variant<model::Bert, onnx::Bert> model;
  text::CharTokenizer tokenizer;
};

/// Hands out BERTs. The only state that the process shares.
class BertPool {
 public:
  /// The BERT of a folder: read once, however many ask at once; it goes when its last user goes. `engine` decides
  /// between the forms of a folder that has several (EngineOptions::engine). @throws Error
  static std::shared_ptr<const LoadedBert> get(const std::filesystem::path& folder,
                                               const std::shared_ptr<device::Device>& device, device::WeightType type,
                                               const std::string& engine, int threads);
  /// How many are held now.
  static int64_t count();
};

}  // namespace hayakoe::engine
