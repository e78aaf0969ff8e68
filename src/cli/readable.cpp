// SPDX-License-Identifier: Apache-2.0
#include "cli/readable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.hpp"
#include "text/kana.hpp"

namespace hayakoe::cli {
namespace {

constexpr std::string_view kIndent = "          ";  // as wide as a row's name

// The accent of the phrase that a word begins.
std::string accent_of(const text::Word& word) {
  if (word.mora_size == 0) return "";
  if (word.chain_flag == 1) return "joined to the word before";
  if (word.acc == 0) return "accent 0 (flat)";
  return fmt::format("accent {}", word.acc);
}

std::string words_table(const std::vector<text::Word>& words) {
  std::size_t surface = 0;
  std::size_t reading = 0;
  std::size_t pos = 0;
  for (const text::Word& w : words) {
    surface = std::max(surface, columns(w.string));
    reading = std::max(reading, columns(w.pron));
    pos = std::max(pos, columns(w.pos));
  }
  std::string table;
  for (const text::Word& w : words) {
    std::string row = fmt::format("{}{}  {}  {}  {}", table.empty() ? "words     " : kIndent, padded(w.string, surface),
                                  padded(w.pron, reading), padded(w.pos, pos), accent_of(w));
    row.erase(row.find_last_not_of(' ') + 1);
    table += row + "\n";
  }
  return table;
}

// Kana, and below them a line that is up for high and down for low.
std::string kana_rows(const text::Analysis& a) {
  std::string kana = "kana      ";
  std::string tones = "pitch     ";
  for (const text::MoraSpan& mora : text::moras_of(a.phones)) {
    if (mora.kana == "_") continue;
    kana += mora.kana;
    const std::size_t width = columns(mora.kana);
    // The tone of a mora is its vowel's. Both signs are as wide as a kana; a mark, half as wide, has no tone.
    const bool high = a.tones[static_cast<std::size_t>(mora.first + mora.count - 1)] == 1;
    if (width % 2 != 0) {
      tones += std::string(width, ' ');
    } else {
      for (std::size_t i = 0; i < width; i += 2) tones += high ? "￣" : "＿";
    }
  }
  return kana + "\n" + tones + "\n";
}

}  // namespace

std::string readable(const text::Analysis& a) {
  std::string out = fmt::format("text      {}\nread as   {}\n", one_line(a.text), a.norm_text);
  out += words_table(a.njd);
  out += kana_rows(a);
  out += fmt::format("phones    {}\ntones     {}\n", fmt::join(a.phones, " "), fmt::join(a.tones, " "));
  return out;
}

}  // namespace hayakoe::cli
