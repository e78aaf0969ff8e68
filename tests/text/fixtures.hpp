// SPDX-License-Identifier: Apache-2.0
// Reading the g2p fixtures, and hostile inputs.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hayakoe::text::testing {

inline std::filesystem::path data_path(std::string_view name) {
  return std::filesystem::path(HAYAKOE_TEST_DATA) / name;
}

/// The lines of a file, cut at LF only: JSON strings may hold U+0085 and U+2028.
inline std::vector<std::string> read_lines(std::string_view name) {
  std::ifstream file(data_path(name), std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + data_path(name).string());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// One JSON value per line.
inline std::vector<nlohmann::json> read_jsonl(std::string_view name) {
  std::vector<nlohmann::json> records;
  for (const auto& line : read_lines(name)) {
    if (!line.empty()) records.push_back(nlohmann::json::parse(line));
  }
  return records;
}

/// Both g2p corpora, 2,210 records.
inline const std::vector<nlohmann::json>& g2p_records() {
  static const std::vector<nlohmann::json> records = [] {
    auto all = read_jsonl("g2p/corpus.jsonl");
    for (auto& record : read_jsonl("g2p/tricky.jsonl")) all.push_back(std::move(record));
    return all;
  }();
  return records;
}

/// Inputs that no writer would type: random bytes, bytes that look like UTF-8, NULs, a megabyte of one character, long
/// runs of combining marks. The seeds are fixed.
inline const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> out{"",         std::string(1, '\0'), std::string(1000, '\0'), "\xFF\xFE",
                                 "\xE3\x81", "\xF4\x90\x80\x80",   "\xED\xA0\x80",          "あ\xE3\x81い",
                                 "\xC0\x80"};
    std::mt19937 random(20240917);
    for (int i = 0; i < 200; ++i) {
      std::string bytes(random() % 400, '\0');
      for (char& c : bytes) c = static_cast<char>(random() & 0xFFU);
      out.push_back(bytes);
    }
    // Mostly valid: characters of the texts that this room knows, cut and mixed at random places.
    const std::string seed =
        "漢字かなカナーッ!?。、「」\"'・・・…ABCxyz123,456.78$¥~〜\n\t\r か\xE3\x82\x99　〇〆𠮷👍Ω１２ＡＢ[MASK]";
    for (int i = 0; i < 200; ++i) {
      std::string mixed;
      for (int k = 0; k < 40; ++k) mixed += seed.substr(random() % seed.size(), random() % 12);
      out.push_back(mixed);
    }
    for (const std::string_view unit : {"ア", "ー", "a", "9", ",", "$", "9.", "。", "」", "・", "か\xE3\x82\x99",
                                        "\xEF\xB7\xBA", "\xFF", "\"", "[", " ", "9,999"}) {
      std::string big;
      while (big.size() < 1000000) big += unit;
      out.push_back(big);
    }
    std::string marks = "a";  // two halves of marks in the wrong order: quadratic for a naive canonical ordering
    for (int i = 0; i < 250000; ++i) marks += "\xCC\x81";
    for (int i = 0; i < 250000; ++i) marks += "\xCC\xA3";
    out.push_back(marks);
    return out;
  }();
  return texts;
}

}  // namespace hayakoe::text::testing
