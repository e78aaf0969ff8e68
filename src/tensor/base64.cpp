// SPDX-License-Identifier: Apache-2.0
#include "tensor/base64.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <hayakoe/error.hpp>
#include <string>

namespace hayakoe::tensor {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kOther = 64;
constexpr std::uint8_t kSpace = 65;
constexpr std::uint8_t kPadding = 66;

constexpr std::array<std::uint8_t, 256> make_table() {
  std::array<std::uint8_t, 256> table{};
  table.fill(kOther);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  for (const char c : {' ', '\t', '\r', '\n'}) {
    table[static_cast<unsigned char>(c)] = kSpace;
  }
  table['='] = kPadding;
  return table;
}

constexpr std::array<std::uint8_t, 256> kTable = make_table();

[[noreturn]] void fail(std::string_view name, const std::string& what) {
  throw Error(fmt::format("{} is not valid base64: {}", name, what));
}

}  // namespace

std::vector<std::byte> decode_base64(std::string_view text, std::string_view name) {
  std::vector<std::byte> out;
  out.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t group = 0;  // up to four characters of six bits
  int filled = 0;
  int padding = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint8_t code = kTable[static_cast<unsigned char>(text[i])];
    if (code == kSpace) {
      continue;
    }
    if (code == kOther) {
      fail(name, fmt::format("the character with code {} at byte {} does not belong to it",
                             static_cast<unsigned char>(text[i]), i));
    }
    if (code == kPadding) {
      if (filled < 2 || ++padding + filled > 4) {
        fail(name, fmt::format("the \"=\" at byte {} is misplaced", i));
      }
      continue;
    }
    if (padding != 0) {
      fail(name, fmt::format("there is data after \"=\" at byte {}", i));
    }
    group = group << 6 | code;
    if (++filled == 4) {
      out.push_back(static_cast<std::byte>(group >> 16 & 0xffU));
      out.push_back(static_cast<std::byte>(group >> 8 & 0xffU));
      out.push_back(static_cast<std::byte>(group & 0xffU));
      group = 0;
      filled = 0;
    }
  }
  if (filled == 0) {
    return out;
  }
  if (filled + padding != 4) {
    fail(name, "the end is missing (the number of characters is not a multiple of four)");
  }
  group <<= 6 * padding;
  const std::uint32_t stray = padding == 2 ? 0xffffU : 0xffU;
  if ((group & stray) != 0) {
    fail(name, "the last character has bits set beyond the last byte");
  }
  out.push_back(static_cast<std::byte>(group >> 16 & 0xffU));
  if (padding == 1) {
    out.push_back(static_cast<std::byte>(group >> 8 & 0xffU));
  }
  return out;
}

}  // namespace hayakoe::tensor
