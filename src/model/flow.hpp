// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "model/config.hpp"
#include "model/transformer.hpp"

namespace hayakoe::model {

/// The flow of VITS (Kim, Kong, Son 2021) with transformer couplings, in the generating direction: prior sample →
/// latent.
class Flow {
 public:
  Flow(const Weights& w, const VoiceConfig& c);
  /// z_p `[frames, I]`, g `[1, G]` → z `[frames, I]`.
  [[nodiscard]] device::Tensor reverse(device::Stream& s, const device::Tensor& z_p, const device::Segments& segments,
                                       const device::Tensor& g) const;

 private:
  struct Coupling {
    device::Linear pre;  // I/2 → C
    Transformer encoder;
    device::Linear post;  // C → I/2
  };
  std::array<Coupling, 4> couplings_;  // in the order of use: checkpoint indices 6, 4, 2, 0
  int64_t half_ = 0;                   // I/2
};

}  // namespace hayakoe::model
