// SPDX-License-Identifier: Apache-2.0
#include "text/njd/dictionary.hpp"

#include <fmt/format.h>
#include <mecab.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <hayakoe/error.hpp>
#include <system_error>

#include "text/njd/user_dictionary.hpp"

namespace fs = std::filesystem;

namespace hayakoe::text::njd {
namespace {

constexpr std::size_t kWindowCharacters = 4096;
// No word is longer than this many bytes: MeCab groups at most 25 unknown characters, and user words are shorter too.
constexpr std::size_t kLongestWord = 1024;

constexpr std::array<const char*, 4> kFiles = {"char.bin", "matrix.bin", "sys.dic", "unk.dic"};

constexpr std::string_view kDicrc =
    "cost-factor = 800\n"
    "bos-feature = BOS/EOS,*,*,*,*,*,*,*,*\n"
    "eval-size = 8\n"
    "unk-eval-size = 4\n"
    "config-charset = UTF-8\n";

// A folder of our own for temporary files, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* base = std::getenv("TMPDIR");
    const fs::path parent = base == nullptr || *base == '\0' ? fs::path("/tmp") : fs::path(base);
    std::string name = (parent / "hayakoe-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw Error(fmt::format("Cannot create a temporary folder in \"{}\"; set TMPDIR to a folder that can be written.",
                              parent.string()));
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void write_file(const fs::path& path, std::string_view data) {
  std::ofstream file(path, std::ios::binary);
  file.write(data.data(), static_cast<std::streamsize>(data.size()));
  file.close();
  if (!file) throw Error(fmt::format("Cannot write \"{}\"; is the disk full?", path.string()));
}

void check_files(const fs::path& folder) {
  for (const char* name : kFiles) {
    std::error_code error;
    if (fs::is_regular_file(folder / name, error)) continue;
    throw Error(
        fmt::format("The dictionary file \"{}\" is missing; install the package open-jtalk-mecab-naist-jdic, or name "
                    "the folder of such a dictionary with --dictionary DIR or HAYAKOE_DICTIONARY.",
                    (folder / name).string()));
  }
}

// MeCab insists on a dicrc, which the dictionary's package lacks and which a foreign one could fill with anything.
void link_dictionary(const fs::path& from, const fs::path& to) {
  for (const char* name : kFiles) {
    std::error_code error;
    fs::create_symlink(fs::absolute(from / name), to / name, error);
    if (error) {
      throw Error(
          fmt::format("Cannot link to \"{}\" in \"{}\": {}.", (from / name).string(), to.string(), error.message()));
    }
  }
  write_file(to / "dicrc", kDicrc);
}

std::unique_ptr<MeCab::Model> create_model(const std::string& folder, const std::string& user_file) {
  std::vector<std::string> arguments = {"hayakoe", "-r", "/dev/null", "-d", folder};
  if (!user_file.empty()) arguments.insert(arguments.end(), {"-u", user_file});
  std::vector<char*> argv;
  argv.reserve(arguments.size());
  for (std::string& argument : arguments) argv.push_back(argument.data());
  return std::unique_ptr<MeCab::Model>(MeCab::createModel(static_cast<int>(argv.size()), argv.data()));
}

bool is_utf8(std::string_view charset) {
  std::string name;
  for (const char c : charset) {
    if (c != '-' && c != '_') name += static_cast<char>(c | 0x20);
  }
  return name == "utf8";
}

std::size_t first_behind(std::span<const std::size_t> positions, std::size_t limit) {
  return static_cast<std::size_t>(std::lower_bound(positions.begin(), positions.end(), limit) - positions.begin());
}

// The number of bytes of the first `characters` characters.
std::size_t prefix_bytes(std::string_view text, std::size_t characters) {
  std::size_t i = 0;
  while (i < text.size()) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins && characters-- == 0) break;
    ++i;
  }
  return i;
}

std::size_t end_of(const MeCab::Node& node, const char* text) {
  return static_cast<std::size_t>(node.surface - text) + node.length;
}

bool is_mark(const MeCab::Node& node) { return std::string_view(node.feature).starts_with("記号"); }

// How many bytes of a window of `size` bytes are cut for good; the rest is seen again with what follows.
std::size_t cut_position(const MeCab::Node* first, const char* text, std::size_t size) {
  std::size_t last_word = 0;
  std::size_t last_mark = 0;
  for (const auto* node = first; node != nullptr && node->stat != MECAB_EOS_NODE; node = node->next) {
    const std::size_t end = end_of(*node, text);
    if (end + kLongestWord > size) break;
    last_word = end;
    if (is_mark(*node)) last_mark = end;
  }
  // Half a window at least, so that no character is seen more than twice.
  if (last_mark >= size / 2) return last_mark;
  return last_word >= size / 2 ? last_word : size;
}

}  // namespace

fs::path find_dictionary(const fs::path& option) {
  if (!option.empty()) return option;
  const char* environment = std::getenv("HAYAKOE_DICTIONARY");
  if (environment != nullptr && *environment != '\0') return environment;
  return HAYAKOE_DICTIONARY_DIR;
}

Dictionary::Dictionary(std::unique_ptr<MeCab::Model> model, std::unique_ptr<MeCab::Tagger> tagger)
    : model_(std::move(model)), tagger_(std::move(tagger)) {}

Dictionary::~Dictionary() = default;

std::shared_ptr<const Dictionary> Dictionary::open(const fs::path& folder, std::span<const UserEntry> user_entries) {
  check_files(folder);
  const TemporaryFolder temporary;
  link_dictionary(folder, temporary.path());
  auto model = create_model(temporary.path().string(), "");
  if (model && !user_entries.empty()) {
    const auto* info = model->dictionary_info();
    const fs::path file = temporary.path() / "user.dic";
    write_file(file, build_user_dictionary(user_entries, {info->version, info->lsize, info->rsize, info->charset}));
    model = create_model(temporary.path().string(), file.string());
  }
  const bool utf8 = model && is_utf8(model->dictionary_info()->charset);
  std::unique_ptr<MeCab::Tagger> tagger(utf8 ? model->createTagger() : nullptr);
  if (!tagger) {
    throw Error(
        fmt::format("The files in \"{}\" are no UTF-8 dictionary of MeCab 0.996; install the package "
                    "open-jtalk-mecab-naist-jdic or name another folder.",
                    folder.string()));
  }
  return std::shared_ptr<const Dictionary>(new Dictionary(std::move(model), std::move(tagger)));
}

std::vector<Node> Dictionary::analyze(std::string_view full_width_text, std::span<const std::size_t> boundaries) const {
  std::vector<Node> nodes;
  const std::unique_ptr<MeCab::Lattice> lattice(model_->createLattice());
  std::size_t done = 0;
  while (!full_width_text.empty()) {
    const std::size_t size = prefix_bytes(full_width_text, kWindowCharacters);
    lattice->set_sentence(full_width_text.data(), size);
    for (const std::size_t boundary : boundaries) {
      if (boundary >= done + size) break;
      lattice->set_boundary_constraint(boundary - done, MECAB_TOKEN_BOUNDARY);
    }
    if (!tagger_->parse(lattice.get())) {
      // MeCab refuses nothing that it was seen to take, but text must never be an error: a word that is unknown.
      nodes.push_back({std::string(full_width_text.substr(0, size)), ""});
      full_width_text.remove_prefix(size);
      done += size;
      boundaries = boundaries.subspan(first_behind(boundaries, done));
      continue;
    }
    const char* text = lattice->sentence();
    const MeCab::Node* first = lattice->bos_node()->next;
    const std::size_t cut = size == full_width_text.size() ? size : cut_position(first, text, size);
    for (const auto* node = first; node != nullptr && node->stat != MECAB_EOS_NODE; node = node->next) {
      if (end_of(*node, text) > cut) break;
      nodes.push_back({std::string(node->surface, node->length), node->feature});
    }
    full_width_text.remove_prefix(cut);
    done += cut;
    boundaries = boundaries.subspan(first_behind(boundaries, done));
  }
  return nodes;
}

UserEntry Dictionary::entry_like(std::string_view full_width_word) const {
  const std::unique_ptr<MeCab::Lattice> lattice(model_->createLattice());
  lattice->set_sentence(full_width_word.data(), full_width_word.size());
  if (!tagger_->parse(lattice.get())) return {};
  const MeCab::Node* node = lattice->bos_node()->next;
  if (node->stat != MECAB_NOR_NODE || node->length != full_width_word.size()) return {};
  return {std::string(full_width_word), node->feature, node->lcAttr, node->wcost};
}

std::vector<long> Dictionary::lone_word_costs(std::span<const UserEntry> entries) const {
  constexpr unsigned short kTextEnd = 0;
  std::vector<long> costs;
  const std::unique_ptr<MeCab::Lattice> lattice(model_->createLattice());
  for (const UserEntry& entry : entries) {
    lattice->set_sentence(entry.surface.data(), entry.surface.size());
    const long best = tagger_->parse(lattice.get()) ? lattice->eos_node()->cost : 0;
    const auto id = static_cast<unsigned short>(entry.context_id);
    costs.push_back(best - model_->transition_cost(kTextEnd, id) - model_->transition_cost(id, kTextEnd));
  }
  return costs;
}

}  // namespace hayakoe::text::njd
