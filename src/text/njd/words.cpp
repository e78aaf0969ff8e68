// SPDX-License-Identifier: Apache-2.0
#include "text/njd/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace hayakoe::text::njd {
namespace {

enum Field { kPos, kG1, kG2, kG3, kCtype, kCform, kOrig, kRead, kPron, kAcc, kRule, kFlag, kFields };

std::array<std::string_view, kFields> split_feature(std::string_view feature) {
  std::array<std::string_view, kFields> fields;
  fields.fill("*");
  for (auto& field : fields) {
    const auto end = std::min(feature.find(','), feature.size());
    if (end > 0) field = feature.substr(0, end);
    if (end == feature.size()) break;
    feature.remove_prefix(end + 1);
  }
  return fields;
}

// Takes the part of a `:`-separated list up to the next colon.
std::string_view take_part(std::string_view& list) {
  const auto end = std::min(list.find(':'), list.size());
  const auto part = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return part;
}

int to_int(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void set_accent(Morpheme& word, std::string_view accent) {
  const auto slash = accent.find('/');
  if (accent.find('*') != std::string_view::npos || slash == std::string_view::npos) return;
  word.acc = to_int(accent.substr(0, slash));
  word.mora_size = to_int(accent.substr(slash + 1));
}

}  // namespace

void append_words(std::string_view surface, std::string_view feature, Morphemes& words) {
  auto fields = split_feature(feature);
  Morpheme common;
  common.pos = fields[kPos];
  common.g1 = fields[kG1];
  common.g2 = fields[kG2];
  common.g3 = fields[kG3];
  common.ctype = fields[kCtype];
  common.cform = fields[kCform];
  common.rule = fields[kRule];
  if (fields[kFlag] == "0" || fields[kFlag] == "1") common.chain_flag = to_int(fields[kFlag]);

  const auto count = std::max<std::ptrdiff_t>(1, std::count(fields[kAcc].begin(), fields[kAcc].end(), '/'));
  if (count == 1) {
    common.string = surface;
    common.orig = fields[kOrig];
    common.read = fields[kRead];
    common.pron = fields[kPron];
    set_accent(common, fields[kAcc]);
    words.push_back(std::move(common));
    return;
  }
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    Morpheme word = common;
    word.orig = take_part(fields[kOrig]);
    word.read = take_part(fields[kRead]);
    word.pron = take_part(fields[kPron]);
    set_accent(word, take_part(fields[kAcc]));
    // The pieces are dictionary forms; only the last one can be inflected, so it takes what is left of the surface.
    word.string = i + 1 < count ? std::string_view(word.orig) : surface;
    surface.remove_prefix(std::min(word.orig.size(), surface.size()));
    if (i > 0) word.chain_flag = 0;
    words.push_back(std::move(word));
  }
}

}  // namespace hayakoe::text::njd
