// SPDX-License-Identifier: Apache-2.0
#include "text/njd/text2mecab.hpp"

#include "text/unicode.hpp"

namespace hayakoe::text::njd {
namespace {

constexpr char32_t kFullWidthShift = 0xFEE0;

char32_t full_width(char ascii) {
  switch (ascii) {
    case ' ':
      return U'\u3000';
    case '"':
      return U'”';
    case '\'':
      return U'’';
    case '-':
      return U'−';
    case '\\':
      return U'￥';
    case '`':
      return U'‘';
    case '~':
      return U'〜';
    default:
      return static_cast<char32_t>(ascii) + kFullWidthShift;
  }
}

}  // namespace

std::string text2mecab(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      out += c;
    } else if (byte >= 0x20 && byte != 0x7F) {
      append_utf8(out, full_width(c));
    }
  }
  return out;
}

}  // namespace hayakoe::text::njd
