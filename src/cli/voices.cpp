// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <hayakoe/hayakoe.hpp>
#include <memory>
#include <vector>

#include "cli/command.hpp"
#include "cli/console.hpp"
#include "cli/json.hpp"
#include "cli/options.hpp"
#include "engine/folders.hpp"

namespace hayakoe::cli {
namespace fs = std::filesystem;
namespace {

struct ListOptions {
  VoiceChoice choice;
  bool json = false;
};

// What --voice takes for it.
std::string name_of(const fs::path& path) {
  const fs::path whole = path.has_filename() ? path : path.parent_path();
  return (whole.extension() == ".aivm" ? whole.stem() : whole.filename()).string();
}

std::string megabytes(int64_t bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6); }

// "Neutral, Happy, #2": unnamed ones have only their number.
std::string names(const std::vector<std::string>& all, bool numbers) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].empty()) {
      shown.push_back(fmt::format("#{}", i));
    } else {
      shown.push_back(numbers ? fmt::format("{} (#{})", all[i], i) : all[i]);
    }
  }
  return one_line(fmt::format("{}", fmt::join(shown, ", ")));
}

// One voice of a list; a broken one says so instead of stopping the list.
Json entry_json(const fs::path& path) {
  const std::string name = name_of(path);
  try {
    return voice_json(describe_voice(path), name);
  } catch (const Error& error) {
    return {{"name", name}, {"path", path.string()}, {"error", error.what()}};
  }
}

std::string entry_text(const fs::path& path, std::size_t width) {
  const std::string name = padded(one_line(name_of(path)), width);
  const std::string indent(width + 2, ' ');
  try {
    const VoiceInfo info = describe_voice(path);
    return fmt::format("{}  {} Hz, {}, {}\n{}styles: {}\n{}speakers: {}\n", name, info.sample_rate,
                       megabytes(info.bytes), path.string(), indent, names(info.styles, false), indent,
                       names(info.speakers, false));
  } catch (const Error& error) {
    return fmt::format("{}  broken: {}\n", name, one_line(error.what()));
  }
}

int list(const ListOptions& o) {
  const fs::path first = checked_voices_folder(o.choice);
  const std::vector<fs::path> found = engine::list_voices(first);
  if (o.json) {
    Json all = Json::array();
    for (const fs::path& path : found) all.push_back(entry_json(path));
    print(to_line(all) + "\n");
    return 0;
  }
  std::size_t width = 0;
  for (const fs::path& path : found) width = std::max(width, columns(name_of(path)));
  for (const fs::path& path : found) print(entry_text(path, width));
  if (found.empty()) {
    std::vector<std::string> folders;
    for (const fs::path& folder : engine::voice_folders(first)) folders.push_back(folder.string());
    complain(fmt::format("there are no voices in {}", fmt::join(folders, ", ")));
  }
  return 0;
}

// The BERT folder that a voice would use, or why there is none.
struct BertChoice {
  std::string folder;
  std::string problem;
};

BertChoice bert_of(const fs::path& path, int64_t width) {
  try {
    return {engine::find_bert(path, width).string(), ""};
  } catch (const Error& error) {
    return {"", error.what()};
  }
}

std::string size_of(const VoiceInfo& info) {
  if (info.parameters == 0) return megabytes(info.bytes);
  return fmt::format("{:.2f} million, {}", static_cast<double>(info.parameters) / 1e6, megabytes(info.bytes));
}

int describe(const ListOptions& o) {
  const fs::path path = find_chosen_voice(o.choice);
  const VoiceInfo info = describe_voice(path);
  const BertChoice bert = bert_of(path, info.bert_width);
  if (o.json) {
    Json json = voice_json(info, name_of(path));
    json["bert"] = bert.folder.empty() ? Json(nullptr) : Json(bert.folder);
    if (bert.folder.empty()) json["bert_problem"] = bert.problem;
    print(to_line(json) + "\n");
    return 0;
  }
  print(
      fmt::format("name        {}\ntitle       {}\npath        {}\nversion     {}\nrate        {} Hz\nstyles      {}\n"
                  "speakers    {}\nengine      {}\nparameters  {}\nBERT        {} channels; {}\n",
                  one_line(name_of(path)), one_line(info.name), path.string(), one_line(info.version), info.sample_rate,
                  names(info.styles, true), names(info.speakers, true), info.engine, size_of(info), info.bert_width,
                  bert.folder.empty() ? one_line(bert.problem) : bert.folder));
  return 0;
}

}  // namespace

Command add_voices(CLI::App& program) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App& app = *program.add_subcommand("voices", "List the voices that there are");
  add_voices_folder(app, options->choice);
  app.add_flag("--json", options->json, "Print a JSON array");
  return {&app, [options] { return list(*options); }};
}

Command add_info(CLI::App& program) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App& app = *program.add_subcommand("info", "Describe a voice: rate, styles, speakers, size, BERT");
  app.add_option("VOICE", options->choice.voice, "Its folder, .aivm file or name")->type_name("")->required();
  add_voices_folder(app, options->choice);
  app.add_flag("--json", options->json, "Print a JSON object");
  return {&app, [options] { return describe(*options); }};
}

}  // namespace hayakoe::cli
