// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <hayakoe/error.hpp>
#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "model/made/made_model.hpp"

namespace hayakoe::cli {
namespace {

struct MakeOptions {
  std::string kind;
  uint64_t seed = 0;
  std::string out;
};

// On one line of stderr, which is taken away in the end.
class BytesProgress {
 public:
  ~BytesProgress() { show(""); }

  void show(int64_t done, int64_t total) {
    const int64_t percent = total > 0 ? 100 * done / total : 100;
    if (percent != shown_) show(fmt::format("{} % of {:.1f} MB", percent, static_cast<double>(total) / 1e6));
    shown_ = percent;
  }

 private:
  void show(const std::string& text) const {
    if (terminal_) fmt::print(stderr, "\r{}\x1b[K", text);
  }

  bool terminal_ = isatty(STDERR_FILENO) == 1;
  int64_t shown_ = -1;
};

int make(const MakeOptions& o) {
  if (o.out.empty()) throw UsageError("--out: the name of the folder is empty");
  note_interrupts();
  const auto made = [&] {
    BytesProgress progress;
    return model::make_model(o.kind, o.seed, o.out, [&](int64_t done, int64_t total) {
      progress.show(done, total);
      return interrupted() == 0;
    });
  }();
  if (made.parameters == 0) {
    constexpr int kSignalBase = 128;
    complain("interrupted; nothing was written");
    return kSignalBase + interrupted();
  }
  fmt::print(stderr, "{}: {}, seed {}, {:.1f} million parameters, {:.1f} MB\n", o.out, o.kind, o.seed,
             static_cast<double>(made.parameters) / 1e6, static_cast<double>(made.bytes) / 1e6);
  return 0;
}

}  // namespace

Command add_make_model(CLI::App& program) {
  const auto options = std::make_shared<MakeOptions>();
  CLI::App& app = *program.add_subcommand("make-model", "Write a model with random weights, to measure speed with");
  std::vector<std::string> names;
  std::string kinds;
  for (const model::MadeKind& kind : model::made_kinds()) {
    names.emplace_back(kind.name);
    kinds += fmt::format("  {:<12}{}\n", kind.name, kind.description);
  }
  app.add_option("--kind", options->kind, "What to make")->type_name("KIND")->required()->check(CLI::IsMember(names));
  add_whole(app, "--seed", options->seed, "The same number makes the same files on every machine [default: 0]");
  app.add_option("--out", options->out, "The folder to write, without a model in it")->type_name("DIR")->required();
  app.footer(
      "Kinds:\n" + kinds +
      "The voice speaks noise in the rhythm of speech; put a BERT beside it, in a folder with 'bert' in its name.");
  return {&app, [options] { return make(*options); }};
}

}  // namespace hayakoe::cli
