// SPDX-License-Identifier: Apache-2.0
#include "text/symbols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <hayakoe/error.hpp>
#include <unordered_map>

extern "C" const char hayakoe_symbols_begin[], hayakoe_symbols_end[];

namespace hayakoe::text {
namespace {

constexpr int kFirstJapaneseTone = 6;  // after the six of Chinese
constexpr int kJapanese = 1;
constexpr int kBlank = 0;

struct Symbols {
  std::vector<std::string_view> names;  // the position is the id
  std::unordered_map<std::string_view, int> ids;

  Symbols() {
    std::string_view data(hayakoe_symbols_begin, static_cast<std::size_t>(hayakoe_symbols_end - hayakoe_symbols_begin));
    while (!data.empty()) {
      const auto line = data.substr(0, data.find('\n'));
      data.remove_prefix(std::min(line.size() + 1, data.size()));
      const auto first = line.find('\t');
      const auto second = line.find('\t', first + 1);
      if (line.empty() || line.front() == '#' || second == std::string_view::npos) continue;
      const auto name = line.substr(first + 1, second - first - 1);
      ids.emplace(name, static_cast<int>(names.size()));
      names.push_back(name);
    }
  }
};

const Symbols& symbols() {
  static const Symbols instance;
  return instance;
}

std::vector<int> with_blanks(const std::vector<int>& ids) {
  std::vector<int> out(ids.size() * 2 + 1, kBlank);
  for (std::size_t i = 0; i < ids.size(); ++i) out[2 * i + 1] = ids[i];
  return out;
}

}  // namespace

int symbol_count() { return static_cast<int>(symbols().names.size()); }

int symbol_id(std::string_view phone) {
  const auto found = symbols().ids.find(phone);
  return found == symbols().ids.end() ? -1 : found->second;
}

std::string_view symbol(int id) {
  return id >= 0 && id < symbol_count() ? symbols().names[static_cast<std::size_t>(id)] : std::string_view();
}

int symbol_id_or_substitute(std::string_view phone) {
  if (const int id = symbol_id(phone); id >= 0) return id;
  if (phone == "kw") return symbol_id("k");
  if (phone == "gw") return symbol_id("g");
  return symbol_id(phone == "ー" ? "-" : "'");
}

Sequence to_sequence(const std::vector<std::string>& phones, const std::vector<int>& tones,
                     const std::vector<int>& word2ph, bool add_blank) {
  if (phones.size() != tones.size()) {
    throw Error(
        fmt::format("There are {} phones but {} tones; every phone needs one tone.", phones.size(), tones.size()));
  }
  Sequence s;
  s.phone_ids.reserve(phones.size());
  for (const auto& phone : phones) s.phone_ids.push_back(symbol_id_or_substitute(phone));
  s.tone_ids.reserve(tones.size());
  for (const int tone : tones) s.tone_ids.push_back(tone + kFirstJapaneseTone);
  s.language_ids.assign(phones.size(), kJapanese);
  s.word2ph = word2ph;
  if (!add_blank) return s;
  s.phone_ids = with_blanks(s.phone_ids);
  s.tone_ids = with_blanks(s.tone_ids);
  s.language_ids = with_blanks(s.language_ids);
  for (int& count : s.word2ph) count *= 2;
  if (!s.word2ph.empty()) ++s.word2ph.front();
  return s;
}

}  // namespace hayakoe::text
