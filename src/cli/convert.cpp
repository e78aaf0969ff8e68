// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <hayakoe/hayakoe.hpp>
#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/console.hpp"

namespace hayakoe::cli {
namespace {

struct ConvertOptions {
  std::string from, out;
  std::string precision = "auto";
};

// Of the files directly in a folder.
double megabytes(const std::filesystem::path& folder) {
  double sum = 0.0;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ec)) {
    if (entry.is_regular_file(ec)) sum += static_cast<double>(entry.file_size(ec)) / 1e6;
  }
  return sum;
}

int convert_folder(const ConvertOptions& o) {
  if (o.out.empty()) throw UsageError("--out: the name of the folder is empty");
  convert(o.from, o.out, o.precision);
  fmt::print(stderr, "{}: {:.1f} MB, as --precision {} keeps it\n", one_line(o.out), megabytes(o.out), o.precision);
  return 0;
}

}  // namespace

Command add_convert(CLI::App& program) {
  const auto options = std::make_shared<ConvertOptions>();
  CLI::App& app = *program.add_subcommand("convert", "Write a voice or a BERT in the form that loads at once on a CPU");
  app.add_option("FROM", options->from, "A voice folder, an .aivm file, or a BERT folder")->required();
  app.add_option("--out", options->out, "The folder to write, without a model in it")->type_name("DIR")->required();
  app.add_option("--precision", options->precision,
                 "f32, f16, bf16, int8, or auto for what --precision auto speaks with")
      ->type_name("TYPE")
      ->capture_default_str();
  app.footer(
      "The new folder is used like the old one, whatever --precision says then; a GPU takes the old one only. Its\n"
      "weights are used where the file is mapped, so replace it only as a whole (by renaming), not while a program\n"
      "speaks with it.");
  return {&app, [options] { return convert_folder(*options); }};
}

}  // namespace hayakoe::cli
