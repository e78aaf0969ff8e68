// SPDX-License-Identifier: Apache-2.0
#include "cli/check_readings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <hayakoe/error.hpp>

#include "cli/console.hpp"
#include "cli/input.hpp"
#include "text/reading_check.hpp"

namespace hayakoe::cli {
namespace {

struct Score {
  std::size_t lines = 0;
  std::size_t natural = 0;
  std::size_t sbv2 = 0;
};

std::vector<text::ReadingCase> read_cases(const std::string& file) {
  try {
    return text::parse_reading_cases(read_text({.text = {}, .file = file}));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", file, error.what()));
  }
}

std::string what_is_wrong(const text::ReadingCase& expected, const text::Heard& heard, const std::string& file) {
  std::string right;
  for (const auto& reading : expected.readings) {
    right += (right.empty() ? "" : " or ") + text::hear_reading(reading).text();
  }
  const bool tones = !expected.tones.empty();
  return fmt::format("{}:{}: {}\n  heard {}{}{}\n  right {}{}{}\n", file, expected.line, expected.input, heard.text(),
                     tones ? " " : "", tones ? heard.tones : "", right, tones ? " " : "", expected.tones);
}

Score check_file(const text::Frontend& frontend, const std::string& file) {
  Score score;
  for (const auto& expected : read_cases(file)) {
    ++score.lines;
    if (is_right(expected, hear(frontend, expected.input, text::Rules::kSbv2))) ++score.sbv2;
    const text::Heard heard = hear(frontend, expected.input, text::Rules::kNatural);
    if (is_right(expected, heard)) {
      ++score.natural;
    } else {
      print(what_is_wrong(expected, heard, file));
    }
  }
  return score;
}

std::string row(std::string_view name, const Score& score) {
  return fmt::format("{:<28} {:>6} {:>8} {:>6}\n", name, score.lines, score.natural, score.sbv2);
}

}  // namespace

int check_readings(const text::Frontend& frontend, const std::vector<std::string>& files) {
  std::string table = fmt::format("{:<28} {:>6} {:>8} {:>6}\n", "kind", "lines", "natural", "sbv2");
  Score all;
  for (const std::string& file : files) {
    const Score score = check_file(frontend, file);
    table += row(std::filesystem::path(file).stem().string(), score);
    all.lines += score.lines;
    all.natural += score.natural;
    all.sbv2 += score.sbv2;
  }
  if (files.size() > 1) table += row("all", all);
  print(table);
  return all.natural == all.lines ? 0 : 1;
}

}  // namespace hayakoe::cli
