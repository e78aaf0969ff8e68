// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <exception>
#include <hayakoe/hayakoe.hpp>
#include <new>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/console.hpp"

namespace hayakoe::cli {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;

// What is wrong with a command line that does not get as far as a command, or else what the parser says.
std::string usage_message(const CLI::App& program, const CLI::ParseError& error) {
  if (!program.get_subcommands().empty()) return error.what();
  constexpr const char* kCommands = "the commands are say, g2p, voices, info, bench and make-model";
  const std::vector<std::string> unknown = program.remaining();
  if (unknown.empty()) return fmt::format("give a command; {}", kCommands);
  return fmt::format("there is no command or option '{}'; {}", unknown.front(), kCommands);
}

int run(int argc, char** argv) {
  CLI::App program("hayakoe: Japanese text to speech with Style-Bert-VITS2 JP-Extra voices", "hayakoe");
  program.set_version_flag("--version", "hayakoe " + std::string(version()));
  constexpr std::size_t kOptionColumn = 30;
  program.get_formatter()->column_width(kOptionColumn);
  program.require_subcommand(1);
  program.footer("See 'hayakoe COMMAND --help' for the options of a command.");
  const std::array commands{add_say(program),   add_g2p(program),        add_voices(program), add_info(program),
                            add_bench(program), add_make_model(program), add_convert(program)};

  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    return program.exit(request);
  } catch (const CLI::ParseError& error) {
    throw UsageError(usage_message(program, error));
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  return kFailure;
}

}  // namespace
}  // namespace hayakoe::cli

int main(int argc, char** argv) {
  using namespace hayakoe::cli;
  try {
    return run(argc, argv);
  } catch (const UsageError& error) {
    complain(error.what());
    complain("see 'hayakoe --help' and 'hayakoe COMMAND --help'");
    return kUsage;
  } catch (const std::bad_alloc&) {
    complain("there is not enough memory");
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return kFailure;
}
