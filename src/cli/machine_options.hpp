// SPDX-License-Identifier: Apache-2.0
// The options that say what computes, and with which BERT.
#pragma once

#include <hayakoe/hayakoe.hpp>
#include <string>

namespace CLI {
class App;
}

namespace hayakoe::cli {

struct MachineOptions {
  std::string bert;  ///< folder; empty: the first that fits the voice
  std::string engine = "auto";
  std::string device = "auto";
  std::string precision = "auto";
  int threads = 0;

  [[nodiscard]] EngineOptions engine_options() const;
};

/// Adds --bert, --engine, --device, --precision and --threads.
void add_machine_options(CLI::App& app, MachineOptions& options);

}  // namespace hayakoe::cli
