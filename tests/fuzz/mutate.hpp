// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace hayakoe::fuzz {

/// Random, but the same on every machine and in every run with the same seed: the standard fixes what mt19937_64
/// returns, though not what the distributions make of it, so none is used.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : engine_(seed) {}

  /// 0 .. limit-1; 0 for a limit of 0.
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : static_cast<std::size_t>(engine_() % limit); }

  /// A damaged copy of `input`: one to four random changes. `other` is where spliced pieces come from.
  std::string mutate(std::string_view input, std::string_view other) {
    std::string out(input);
    for (std::size_t rounds = 1 + below(4); rounds > 0; --rounds) {
      change(out, other);
    }
    return out;
  }

 private:
  void change(std::string& text, std::string_view other) {
    switch (below(9)) {
      case 0:
        text.resize(below(text.size() + 1));
        break;
      case 1:
        flip_bit(text);
        break;
      case 2:
        if (!text.empty()) {
          text[below(text.size())] = static_cast<char>(below(256));
        }
        break;
      case 3:
        text.erase(below(text.size() + 1), below(20));
        break;
      case 4:
        insert(text, std::string_view(text).substr(below(text.size() + 1), below(40)));
        break;
      case 5:
        insert(text, other.substr(below(other.size() + 1), below(60)));
        break;
      case 6:
        insert(text, kTokens[below(kTokens.size())]);
        break;
      case 7:
        replace_number(text);
        break;
      default:
        change_length(text);
        break;
    }
  }

  void flip_bit(std::string& text) {
    if (!text.empty()) {
      char& c = text[below(text.size())];
      c = static_cast<char>(static_cast<unsigned char>(c) ^ (1U << below(8)));
    }
  }

  void insert(std::string& text, std::string_view piece) { text.insert(below(text.size() + 1), std::string(piece)); }

  // One of the decimal numbers in it becomes another, which is often just off or at an edge of an integer type.
  void replace_number(std::string& text) {
    constexpr std::string_view kDigits = "0123456789";
    const std::size_t begin = text.find_first_of(kDigits, below(text.size() + 1));
    if (begin == std::string::npos) {
      return;
    }
    const std::size_t end = std::min(text.find_first_not_of(kDigits, begin), text.size());
    text.replace(begin, end - begin, kNumbers[below(kNumbers.size())]);
  }

  // The lengths at the start of these files are binary.
  void change_length(std::string& text) {
    const std::size_t at = below(16);
    if (at < text.size()) {
      constexpr std::array kEdges = {0, 1, 2, 127, 128, 254, 255};
      text[at] = static_cast<char>(kEdges[below(kEdges.size())]);
    }
  }

  static constexpr std::array<std::string_view, 16> kNumbers = {"0",
                                                                "1",
                                                                "2",
                                                                "3",
                                                                "4",
                                                                "8",
                                                                "12",
                                                                "-1",
                                                                "255",
                                                                "65536",
                                                                "2147483648",
                                                                "4294967296",
                                                                "4611686018427387904",
                                                                "9223372036854775807",
                                                                "18446744073709551615",
                                                                "1e308"};
  static constexpr std::array<std::string_view, 22> kTokens = {"{",
                                                               "}",
                                                               "[",
                                                               "]",
                                                               "\"",
                                                               ",",
                                                               ":",
                                                               "null",
                                                               "true",
                                                               "[[[[[[",
                                                               "{\"a\":",
                                                               "\\u0000",
                                                               "\\ud800",
                                                               "\xff",
                                                               "\xe3\x81",
                                                               "\"F16\"",
                                                               "\"BOOL\"",
                                                               "(",
                                                               "\"shape\":[],",
                                                               "=",
                                                               ">f4",
                                                               "\"__metadata__\":{},"};

  std::mt19937_64 engine_;
};

}  // namespace hayakoe::fuzz
