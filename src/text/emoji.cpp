// SPDX-License-Identifier: Apache-2.0
#include "text/emoji.hpp"

#include <algorithm>
#include <unordered_map>

#include "text/table_lines.hpp"
#include "text/unicode.hpp"

extern "C" const char hayakoe_emoji_begin[], hayakoe_emoji_end[];

namespace hayakoe::text {
namespace {

constexpr char32_t kFirstEmoji = 0x2190;  // what is smaller is text

// Variation selectors and skin tones, which the names do not tell apart.
bool is_modifier(char32_t c) { return c == 0xFE0F || c == 0xFE0E || (c >= 0x1F3FB && c <= 0x1F3FF); }

struct Names {
  std::unordered_map<std::u32string, std::u32string> of;
  std::size_t longest = 0;  // characters of an emoji

  Names() {
    const std::string_view table(hayakoe_emoji_begin,
                                 static_cast<std::size_t>(hayakoe_emoji_end - hayakoe_emoji_begin));
    for_each_row(table, [&](const auto& fields, std::size_t) {
      std::u32string emoji = to_u32(fields.at(0));
      std::erase_if(emoji, is_modifier);
      longest = std::max(longest, emoji.size());
      of.emplace(std::move(emoji), to_u32(fields.at(1)));
    });
  }
};

struct Found {
  const std::u32string* name = nullptr;
  std::size_t end = 0;  // in the text
};

// The longest emoji that begins at `i`.
Found find(const Names& names, std::u32string_view text, std::size_t i) {
  Found found;
  std::u32string emoji;
  for (std::size_t end = i; end < text.size() && emoji.size() < names.longest;) {
    if (!is_modifier(text[end])) emoji += text[end];
    ++end;
    while (end < text.size() && is_modifier(text[end])) ++end;
    if (const auto name = names.of.find(emoji); name != names.of.end()) found = {&name->second, end};
  }
  return found;
}

}  // namespace

std::string name_emoji(std::string_view utf8) {
  static const Names names;
  const std::u32string text = to_u32(utf8);
  std::u32string out;
  for (std::size_t i = 0; i < text.size();) {
    const Found found = text[i] < kFirstEmoji ? Found{} : find(names, text, i);
    if (found.name == nullptr) {
      out += text[i++];
      continue;
    }
    out += U"、" + *found.name + U"、";
    i = found.end;
  }
  return to_utf8(out);
}

}  // namespace hayakoe::text
