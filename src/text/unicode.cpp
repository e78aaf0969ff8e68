// SPDX-License-Identifier: Apache-2.0
#include "text/unicode.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <vector>

namespace hayakoe::text {
namespace {

constexpr char32_t kMaxCodePoint = 0x10FFFF;

bool is_scalar(char32_t c) { return c <= kMaxCodePoint && (c < 0xD800 || c > 0xDFFF); }

struct Decoded {
  char32_t c;
  std::size_t bytes;
};

// One step of the decoder; `s` is not empty. The first continuation byte has a narrower range after E0, ED, F0, F4.
Decoded decode_one(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return {kReplacement, 1};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  char32_t c = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= s.size() || byte(i) < low || byte(i) > high) return {kReplacement, i};
    c = (c << 6) | (byte(i) & 0x3FU);
    low = 0x80;
    high = 0xBF;
  }
  return {c, length};
}

int combining_class(utf8proc_int32_t c) { return utf8proc_get_property(c)->combining_class; }

// The canonical ordering algorithm. utf8proc's own is an insertion sort, quadratic in the length of a run of marks.
void order_marks(std::vector<utf8proc_int32_t>& buffer) {
  for (std::size_t i = 0; i < buffer.size();) {
    if (combining_class(buffer[i]) == 0) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < buffer.size() && combining_class(buffer[end]) != 0) ++end;
    std::stable_sort(buffer.begin() + static_cast<std::ptrdiff_t>(i), buffer.begin() + static_cast<std::ptrdiff_t>(end),
                     [](auto a, auto b) { return combining_class(a) < combining_class(b); });
    i = end;
  }
}

std::u32string normal_form(std::u32string_view text, int options) {
  const auto flags = static_cast<utf8proc_option_t>(options);
  constexpr std::size_t kLongestDecomposition = 32;  // 18 in Unicode (U+FDFA)
  std::vector<utf8proc_int32_t> buffer;
  buffer.reserve(text.size() + text.size() / 8);
  for (char32_t c : text) {
    if (!is_scalar(c)) c = kReplacement;
    utf8proc_int32_t parts[kLongestDecomposition];
    int last_class = 0;
    const auto count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts, kLongestDecomposition, flags, &last_class);
    if (count < 0 || static_cast<std::size_t>(count) > kLongestDecomposition) {
      buffer.push_back(static_cast<utf8proc_int32_t>(c));
    } else {
      buffer.insert(buffer.end(), parts, parts + count);
    }
  }
  order_marks(buffer);
  const auto length = utf8proc_normalize_utf32(buffer.data(), static_cast<utf8proc_ssize_t>(buffer.size()), flags);
  if (length >= 0) buffer.resize(static_cast<std::size_t>(length));
  return {buffer.begin(), buffer.end()};
}

}  // namespace

std::u32string to_u32(std::string_view utf8) {
  std::u32string out;
  out.reserve(utf8.size() / 2);
  while (!utf8.empty()) {
    const Decoded d = decode_one(utf8);
    out += d.c;
    utf8.remove_prefix(d.bytes);
  }
  return out;
}

void append_utf8(std::string& out, char32_t c) {
  if (!is_scalar(c)) c = kReplacement;
  const auto put = [&](char32_t value) { out += static_cast<char>(static_cast<unsigned char>(value)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

std::string to_utf8(std::u32string_view text) {
  std::string out;
  out.reserve(text.size() * 3);
  for (const char32_t c : text) append_utf8(out, c);
  return out;
}

std::string to_utf8(char32_t c) {
  std::string out;
  append_utf8(out, c);
  return out;
}

std::size_t utf8_length_at(std::string_view utf8) { return utf8.empty() ? 0 : decode_one(utf8).bytes; }

std::u32string nfkc(std::u32string_view text) {
  return normal_form(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
}

std::u32string nfc(std::u32string_view text) { return normal_form(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE); }

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_assigned(char32_t c) {
  return c <= kMaxCodePoint && utf8proc_category(static_cast<utf8proc_int32_t>(c)) != UTF8PROC_CATEGORY_CN;
}

bool is_other_category(char32_t c) {
  if (c > kMaxCodePoint) return true;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
      return true;
    default:
      return false;
  }
}

bool is_letter_or_number(char32_t c) {
  if (c > kMaxCodePoint) return false;
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
         (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO);
}

std::u32string_view strip(std::u32string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view strip(std::string_view utf8) {
  while (!utf8.empty()) {
    const Decoded d = decode_one(utf8);
    if (!is_space(d.c)) break;
    utf8.remove_prefix(d.bytes);
  }
  while (!utf8.empty()) {
    // Step back over at most three continuation bytes to the start of the last character.
    std::size_t start = utf8.size() - 1;
    while (start > 0 && utf8.size() - start < 4 && (static_cast<unsigned char>(utf8[start]) & 0xC0U) == 0x80U) --start;
    const Decoded d = decode_one(utf8.substr(start));
    if (start + d.bytes != utf8.size() || !is_space(d.c)) break;
    utf8.remove_suffix(d.bytes);
  }
  return utf8;
}

}  // namespace hayakoe::text
