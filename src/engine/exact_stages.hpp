// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hayakoe::engine {

/// While one lives, requests of its thread wait for the device after every stage, so that Stats::bert_seconds and the
/// like are what the stages take on a GPU too. That costs time: it is for measuring only.
class ExactStages {
 public:
  ExactStages() { ++alive(); }
  ~ExactStages() { --alive(); }
  ExactStages(const ExactStages&) = delete;
  ExactStages& operator=(const ExactStages&) = delete;

  [[nodiscard]] static bool wanted() { return alive() > 0; }

 private:
  static int& alive() {
    thread_local int count = 0;
    return count;
  }
};

}  // namespace hayakoe::engine
