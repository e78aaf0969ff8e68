// SPDX-License-Identifier: Apache-2.0
// Lists the tensors of a module under the names that checkpoints use: the writing counterpart of model::Weights.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/made/random_values.hpp"

namespace hayakoe::model {

/// A module inside a list of tensors; names are relative to its prefix. `gain` is the standard deviation of a layer's
/// output for independent inputs of unit mean square.
class MadeModule {
 public:
  explicit MadeModule(std::vector<MadeTensor>& list, std::string prefix = "")
      : list_(list), prefix_(std::move(prefix)) {}

  /// The module `name` inside this one.
  [[nodiscard]] MadeModule at(std::string_view name) const;
  [[nodiscard]] MadeModule at(std::string_view name, int64_t index) const;

  /// A tensor with this standard deviation and mean.
  void values(std::string_view name, std::vector<int64_t> shape, double std, double mean = 0.0,
              Pattern pattern = Pattern::kPlain) const;

  /// `weight` `[out, in]` and `bias` `[out]`.
  void linear(std::string_view name, int64_t in, int64_t out, double gain, Pattern pattern = Pattern::kPlain) const;
  /// `weight` `[out, in, kernel]` and `bias` `[out]`.
  void conv1d(std::string_view name, int64_t in, int64_t out, int64_t kernel, double gain,
              Pattern pattern = Pattern::kPlain) const;
  /// The same with weight norm: `weight_g` `[out, 1, 1]` and `weight_v` `[out, in, kernel]`; the rows are centred.
  void normed_conv1d(std::string_view name, int64_t in, int64_t out, int64_t kernel, double gain) const;
  /// `weight_g` `[in, 1, 1]`, `weight_v` `[in, out, kernel]` and `bias` `[out]`.
  void normed_conv_transpose1d(std::string_view name, int64_t in, int64_t out, int64_t kernel, int64_t stride,
                               double gain) const;
  /// A gain a channel around 1 and an offset around 0, under the names `scale` and `offset`.
  void layer_norm(std::string_view name, int64_t channels, std::string_view scale, std::string_view offset) const;

 private:
  void normed(std::string_view name, std::vector<int64_t> shape, double weight_std, Pattern pattern) const;
  void bias(std::string_view name, int64_t channels) const;

  std::vector<MadeTensor>& list_;
  std::string prefix_;
};

}  // namespace hayakoe::model
