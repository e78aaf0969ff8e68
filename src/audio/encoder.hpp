// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "audio/format.hpp"
#include "audio/output.hpp"

namespace hayakoe::audio {

/// Turns samples into the bytes of a file. Destroying it without finish() writes nothing more.
class Encoder {
 public:
  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  virtual void write(std::span<const float> samples) = 0;

  /// Writes what is left, and the lengths in the header if `output` can rewrite. Called once, last.
  virtual void finish() = 0;
};

/// An encoder for one channel that writes into `output`, which must outlive it. Throws Error as check_can_write() does.
[[nodiscard]] std::unique_ptr<Encoder> make_encoder(Output& output, Container container, SampleFormat format,
                                                    int sample_rate);

}  // namespace hayakoe::audio
