// SPDX-License-Identifier: Apache-2.0
// `hayakoe bench`: how fast this machine speaks, and with how much memory.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <hayakoe/hayakoe.hpp>
#include <memory>
#include <set>
#include <system_error>

#include "cli/bench_fresh.hpp"
#include "cli/bench_json.hpp"
#include "cli/bench_speech.hpp"
#include "cli/bench_tables.hpp"
#include "cli/bench_texts.hpp"
#include "cli/command.hpp"
#include "cli/console.hpp"
#include "cli/machine_options.hpp"
#include "cli/options.hpp"
#include "engine/options.hpp"

namespace hayakoe::cli {
namespace {

struct BenchOptions {
  std::string what = "all";
  VoiceChoice voice;
  MachineOptions machine;
  int repeats = 5;
  int warmups = 1;
  std::string sizes = "2,4,8,16";
  bool json = false;
  bool here = false;  // measure in this process, which `bench` has started for it
};

void in_range(const char* name, int value, int least, int most) {
  if (value >= least && value <= most) return;
  throw Error(fmt::format("{}: {} is out of range; use {} to {}", name, value, least, most));
}

// "2,4,8": ascending, each once.
std::vector<int> parse_sizes(const std::string& list) {
  std::set<int> sizes;
  const char* const end = list.data() + list.size();
  for (const char* at = list.data();; ++at) {
    int size = 0;
    const auto [stop, fault] = std::from_chars(at, end, size);
    if (fault != std::errc() || (stop != end && *stop != ',')) {
      throw UsageError(fmt::format("--sentences: '{}' is not a list of whole numbers like 2,4,8", list));
    }
    in_range("sentences", size, 1, kBenchSentences);
    sizes.insert(size);
    at = stop;
    if (at == end) return {sizes.begin(), sizes.end()};
  }
}

// "native,onnx": the engines of `batch`; the first is that of all other measurements.
std::vector<std::string> parse_engines(const std::string& list) {
  std::vector<std::string> engines(1);
  for (const char c : list) {
    if (c == ',') {
      engines.emplace_back();
    } else {
      engines.back() += c;
    }
  }
  return engines;
}

BenchSetup setup_of(const BenchOptions& o) {
  constexpr int kMostRuns = 1000;
  in_range("repeats", o.repeats, 1, kMostRuns);
  in_range("warmups", o.warmups, 0, kMostRuns);
  BenchSetup setup;
  setup.engine = o.machine.engine_options();
  setup.engine.engine = parse_engines(o.machine.engine).front();
  setup.voice = find_chosen_voice(o.voice);
  setup.repeats = o.repeats;
  setup.warmups = o.warmups;
  setup.sizes = parse_sizes(o.sizes);
  return setup;
}

// What a name like "auto" stands for on the device.
device::Precision precision_of(const BenchSetup& setup) {
  return engine::open_device(setup.engine)->precision(setup.engine.precision);
}

// Prints each result as it comes, as a table, or all of them in the end, as one JSON object.
class Report {
 public:
  explicit Report(bool json) : as_json_(json) {}

  void begin(const BenchSetup& s, const std::string& device) {
    std::vector<int64_t> lengths;
    const device::Precision weights = precision_of(s);
    json_ = {{"version", version()},
             {"device", device},
             {"precision", s.engine.precision},
             {"bert_weights", name_of(weights.bert)},
             {"voice_weights", name_of(weights.voice)},
             {"voice", s.voice.string()},
             {"repeats", s.repeats},
             {"warmups", s.warmups},
             {"sentences", Json::array()}};
    for (const std::string& text : bench_sentences(kBenchSentences)) {
      lengths.push_back(characters(text));
      json_["sentences"].push_back({{"text", text}, {"characters", lengths.back()}});
    }
    if (as_json_) return;
    print(
        fmt::format("hayakoe {}, {}, precision {} (BERT {}, voice {}), voice {}\nMedians of {} after {} to warm up. "
                    "The sentences have {} "
                    "characters.\n",
                    version(), device, s.engine.precision, name_of(weights.bert), name_of(weights.voice),
                    s.voice.string(), s.repeats, s.warmups, fmt::join(lengths, ", ")));
  }

  template <typename Result>
  void add(const char* name, const Result& result) {
    if (as_json_) {
      json_[name] = to_json(result);
    } else {
      print("\n" + to_table(result));
    }
  }

  void end() const {
    if (as_json_) print(to_line(json_) + "\n");
  }

 private:
  bool as_json_;
  Json json_;
};

// The voice with each of the engines; `first` is the one of the first.
std::vector<BenchVoice> load_engines(const BenchOptions& o, const BenchSetup& setup, const Voice& first) {
  const std::vector<std::string> engines = parse_engines(o.machine.engine);
  std::vector<BenchVoice> voices{{engines.front(), first}};
  for (size_t i = 1; i < engines.size(); ++i) {
    EngineOptions options = setup.engine;
    options.engine = engines[i];
    Engine engine(options);
    voices.push_back({engines[i], engine.load("voice", setup.voice)});
    engine.prepare();
  }
  return voices;
}

// With a voice that is gone again before the fresh processes want the memory.
void measure_speech(const BenchOptions& o, const BenchSetup& setup, Report& report) {
  const auto wants = [&](const char* what) { return o.what == "all" || o.what == what; };
  Engine engine(setup.engine);
  report.begin(setup, engine.device());
  if (!wants("batch") && !wants("stages") && !wants("latency") && !wants("requests")) return;
  tell("reading BERT and the voice");
  const Voice voice = engine.load("voice", setup.voice);
  engine.prepare();
  if (wants("batch")) report.add("batch", measure_batch(load_engines(o, setup, voice), setup));
  if (wants("stages")) report.add("stages", measure_stages(voice, setup));
  if (wants("latency")) report.add("latency", measure_latency(voice, setup));
  if (wants("requests")) report.add("requests", measure_requests(voice, setup));
}

int bench(const BenchOptions& o) {
  const BenchSetup setup = setup_of(o);
  if (o.here) {
    print((o.what == "memory" ? memory_here(setup) : load_here(setup)) + "\n");
    return 0;
  }
  Report report(o.json);
  measure_speech(o, setup, report);
  if (o.what == "all" || o.what == "memory") report.add("memory", measure_memory(setup));
  if (o.what == "all" || o.what == "load") report.add("load", measure_load(setup));
  report.end();
  return 0;
}

}  // namespace

Command add_bench(CLI::App& program) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App& app = *program.add_subcommand("bench", "Measure speed, latency and memory on this machine");
  app.add_option("WHAT", options->what,
                 "batch: one by one and batched; stages: seconds and GFLOP/s of each part; latency: until the first "
                 "sound; requests: several at once; memory: 1 and 4 voices; load: from start to the first sound; all "
                 "[default all]")
      ->type_name("")
      ->check(CLI::IsMember({"batch", "stages", "latency", "requests", "memory", "load", "all"}).description(""));
  app.add_option("--voice", options->voice.voice,
                 "A voice by name (see 'hayakoe voices'), folder or .aivm file [default demo]")
      ->type_name("VOICE");
  add_voices_folder(app, options->voice);
  add_whole(app, "--repeats", options->repeats, "Runs of which the median is shown [1 to 1000, default 5]");
  add_whole(app, "--warmups", options->warmups, "Runs before them that do not count [0 to 1000, default 1]");
  app.add_option("--sentences", options->sizes,
                 "Sizes of the texts of batch; the long text of the rest has 8 sentences, or the most of these if that "
                 "is less [1 to 16, default 2,4,8,16]")
      ->type_name("LIST");
  app.add_flag("--json", options->json, "Print one JSON object");
  app.add_flag("--here", options->here)->group("");
  add_machine_options(app, options->machine);
  app.footer(
      "The texts are part of the program. Close what else keeps the cores busy. --engine native,onnx compares the two "
      "in "
      "batch, where a folder has both forms.");
  return {&app, [options] { return bench(*options); }};
}

}  // namespace hayakoe::cli
