// SPDX-License-Identifier: Apache-2.0
#include "cli/machine_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/options.hpp"

namespace hayakoe::cli {

EngineOptions MachineOptions::engine_options() const {
  EngineOptions options;
  options.engine = engine;
  options.device = device;
  options.precision = precision;
  options.threads = threads;
  options.bert = bert;
  return options;
}

void add_machine_options(CLI::App& app, MachineOptions& o) {
  const auto text = [&app](const std::string& name, const char* type, std::string& value,
                           const std::string& description) {
    app.add_option(name, value, description)->type_name(type)->group("Machine");
  };
  text("--bert", "DIR", o.bert,
       "BERT folder [default: the first that fits: in or beside the voice, $HAYAKOE_BERT, the box]");
  text("--engine", "ENGINE", o.engine,
       "native, onnx (ONNX Runtime), or auto: native unless there are only ONNX files [default auto]");
  text("--device", "DEVICE", o.device, "cpu, cuda, cuda:N, or auto for the fastest there is [default auto]");
  text(
      "--precision", "TYPE", o.precision,
      "f32, f16, bf16, int8 (CPU), tf32 (GPU), or auto for what is small or fast and keeps the quality [default auto]");
  add_whole(app, "--threads", o.threads,
            "For the arithmetic; 0: as many as this process may use [0 to 1024, default 0]")
      ->group("Machine");
}

}  // namespace hayakoe::cli
