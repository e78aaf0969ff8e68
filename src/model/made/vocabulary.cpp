// SPDX-License-Identifier: Apache-2.0
#include "model/made/vocabulary.hpp"

#include <array>
#include <hayakoe/error.hpp>

namespace hayakoe::model {
namespace {

struct Block {
  char32_t first, last;
};

// Unicode blocks, the most needed first: a small vocabulary has kana and marks, a large one every kanji.
constexpr std::array kBlocks{
    Block{U'ぁ', U'ゖ'},      // hiragana
    Block{U'ァ', U'ー'},      // katakana
    Block{U'、', U'〟'},      // CJK symbols and punctuation
    Block{U'!', U'~'},        // ASCII
    Block{0x4E00, 0x9FFF},    // CJK unified ideographs
    Block{0x3400, 0x4DBF},    // extension A
    Block{0x20000, 0x2A6DF},  // extension B
};

// All of these blocks need one or three or four bytes.
void append_utf8(std::string& out, char32_t c) {
  const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80U | (c >> shift & 0x3FU)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  if (c < 0x10000) {
    out += static_cast<char>(0xE0U | c >> 12U);
  } else {
    out += static_cast<char>(0xF0U | c >> 18U);
    tail(12);
  }
  tail(6);
  tail(0);
}

}  // namespace

std::string made_vocabulary(int64_t tokens) {
  std::string text = "[PAD]\n[CLS]\n[SEP]\n[UNK]\n[MASK]\n";
  int64_t left = tokens - 5;
  for (const Block& block : kBlocks) {
    for (char32_t c = block.first; c <= block.last && left > 0; ++c, --left) {
      append_utf8(text, c);
      text += '\n';
    }
  }
  if (left > 0) throw Error("made vocabulary: there are not enough characters for " + std::to_string(tokens));
  return text;
}

}  // namespace hayakoe::model
