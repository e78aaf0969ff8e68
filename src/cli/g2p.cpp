// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <hayakoe/error.hpp>
#include <memory>

#include "cli/check_readings.hpp"
#include "cli/command.hpp"
#include "cli/console.hpp"
#include "cli/input.hpp"
#include "cli/json.hpp"
#include "cli/options.hpp"
#include "cli/ordered_pool.hpp"
#include "cli/readable.hpp"
#include "device/cpu/threads.hpp"
#include "engine/folders.hpp"
#include "engine/options.hpp"
#include "text/emoji.hpp"
#include "text/frontend.hpp"
#include "text/tokenizer.hpp"

namespace hayakoe::cli {
namespace fs = std::filesystem;
namespace {

struct G2pOptions {
  TextSource text;
  ReadingOptions reading;
  std::string bert;
  std::string jsonl;
  std::vector<std::string> check;
  bool json = false;
};

std::unique_ptr<const text::Frontend> open_frontend(const ReadingOptions& reading) {
  auto frontend = std::make_unique<text::Frontend>(
      text::FrontendOptions{.dictionary = reading.dictionary, .english = reading.english});
  if (!reading.words.empty()) frontend->load_words(reading.words);
  return frontend;
}

// Text to phones and BERT's numbers, for any number of threads.
class Analyzer {
 public:
  Analyzer(const ReadingOptions& reading, std::unique_ptr<const text::CharTokenizer> tokenizer)
      : frontend_(open_frontend(reading)),
        rules_(engine::rules_of(reading.text_rules())),
        name_emoji_(reading.name_emoji),
        tokenizer_(std::move(tokenizer)) {}

  [[nodiscard]] text::Analysis analyze(std::string_view text) const {
    text::Analysis analysis = frontend_->analyze(name_emoji_ ? text::name_emoji(text) : std::string(text), rules_);
    if (tokenizer_) analysis.bert_ids = tokenizer_->encode(analysis.bert_text);
    return analysis;
  }

 private:
  std::unique_ptr<const text::Frontend> frontend_;
  text::Rules rules_;
  bool name_emoji_;
  std::unique_ptr<const text::CharTokenizer> tokenizer_;
};

// The vocabulary of the BERT that is given, or of the one in the box; null without either.
std::unique_ptr<const text::CharTokenizer> open_tokenizer(const std::string& bert) {
  if (!bert.empty()) return std::make_unique<text::CharTokenizer>(fs::path(bert) / "vocab.txt");
  const fs::path box = engine::box_folder();
  const fs::path vocab = box / "demo-bert" / "vocab.txt";
  std::error_code ec;
  if (!box.empty() && fs::exists(vocab, ec)) return std::make_unique<text::CharTokenizer>(vocab);
  warn("there is no BERT vocabulary, so bert_ids is left out; give a BERT folder with --bert DIR");
  return nullptr;
}

// The text of one line: a JSON string, or an object with "text".
std::string text_of_line(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded()) throw Error("the line is not JSON; write a string or an object with \"text\"");
  if (json.is_string()) return json.get<std::string>();
  if (const auto text = json.is_object() ? json.find("text") : json.end(); text != json.end() && text->is_string()) {
    return text->get<std::string>();
  }
  throw Error("the line is neither a string nor an object whose \"text\" is a string");
}

// The answer to one line of JSONL; never fails for what stands in it.
std::string answer(const Analyzer& analyzer, const std::string& line) {
  std::string text = line;  // what an error names until the text is known
  try {
    text = text_of_line(line);
    return to_line(analysis_json(analyzer.analyze(text))) + "\n";
  } catch (const Error& error) {
    return to_line({{"text", text}, {"error", error.what()}}) + "\n";
  }
}

void answer_lines(const Analyzer& analyzer, const std::string& path) {
  OrderedPool pool(
      device::available_threads(), [&](const std::string& line) { return answer(analyzer, line); },
      [](const std::string& result, bool last) { print(result, last); });
  for_each_line(path, [&](std::string line) { return pool.add(std::move(line)); });
  pool.finish();
}

int g2p(const G2pOptions& o) {
  if (!o.check.empty()) {
    if (o.text.text || o.text.file) throw UsageError("--check takes its texts from its files; give no other text");
    return check_readings(*open_frontend(o.reading), o.check);
  }
  const bool lines = !o.jsonl.empty();
  if (lines && (o.text.text || o.text.file))
    throw UsageError("--jsonl takes its texts from its file; give no other text");
  const std::string text = lines ? "" : read_text(o.text);
  const Analyzer analyzer(o.reading, lines || o.json ? open_tokenizer(o.bert) : nullptr);
  if (lines) {
    answer_lines(analyzer, o.jsonl);
    return 0;
  }
  const text::Analysis analysis = analyzer.analyze(text);
  if (o.json) {
    print(to_line(analysis_json(analysis)) + "\n");
    return 0;
  }
  for (const std::string& warning : analysis.warnings) warn(warning);
  print(readable(analysis));
  return 0;
}

}  // namespace

Command add_g2p(CLI::App& program) {
  const auto options = std::make_shared<G2pOptions>();
  CLI::App& app = *program.add_subcommand("g2p", "Show how a text is read");
  add_text_source(app, options->text);
  app.add_flag("--json", options->json, "Print one JSON object with everything that the models take");
  app.add_option(
         "--jsonl", options->jsonl,
         "Read texts from a file (-: standard input), one JSON string or object with \"text\" a line; print one "
         "JSON object a line")
      ->type_name("FILE");
  app.add_option(
         "--check", options->check,
         "Hold files of text<TAB>reading[|reading...][<TAB>tones] lines against how they are read: prints what is "
         "read wrong and, for each file, how many lines are right under natural and under sbv2")
      ->type_name("FILE...");
  app.add_option("--bert", options->bert,
                 "Take the vocabulary for bert_ids from this BERT folder [default: the one in the box]")
      ->type_name("DIR");
  add_reading_options(app, options->reading);
  app.footer(
      "The text is taken as one sentence. In --jsonl a line that cannot be used gives {\"text\":..., \"error\":...}.");
  return {&app, [options] { return g2p(*options); }};
}

}  // namespace hayakoe::cli
