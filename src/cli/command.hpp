// SPDX-License-Identifier: Apache-2.0
// The program `hayakoe`: a client of the library, one file a subcommand.
#pragma once

#include <functional>
#include <stdexcept>

namespace CLI {
class App;
}

namespace hayakoe::cli {

/// The command line makes no sense: exit status 2. Other errors are hayakoe::Error: exit status 1.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A subcommand. `run` is called after parsing and returns the exit status.
struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;
};

/// Each adds a subcommand with its options to the program.
Command add_say(CLI::App& program);
Command add_g2p(CLI::App& program);
Command add_voices(CLI::App& program);
Command add_info(CLI::App& program);
Command add_bench(CLI::App& program);
Command add_make_model(CLI::App& program);
Command add_convert(CLI::App& program);

}  // namespace hayakoe::cli
