// SPDX-License-Identifier: Apache-2.0
// Damaged text must be read into something consistent, and damaged text files (configurations, word lists,
// vocabularies) into something or hayakoe::Error. Anything else is a failure. The seeds are fixed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <hayakoe/error.hpp>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "model/config.hpp"
#include "mutate.hpp"
#include "text/emoji.hpp"
#include "text/english.hpp"
#include "text/frontend.hpp"
#include "text/kana.hpp"
#include "text/markup.hpp"
#include "text/split.hpp"
#include "text/symbols.hpp"
#include "text/tokenizer.hpp"
#include "text/unicode.hpp"

namespace hayakoe::fuzz {
namespace {

std::string data(const std::string& name) { return std::string(HAYAKOE_TEST_DATA) + "/" + name; }

// What the lines of tests/data/reading are about: numbers, dates, addresses, chat, ruby and the like.
void add_reading_lines(std::vector<std::string>& texts) {
  for (const auto& file : std::filesystem::directory_iterator(data("reading"))) {
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with('#')) texts.push_back(line.substr(0, line.find('\t')));
    }
  }
}

// Those, and some of the sentences that the goldens are made of, ordinary and tricky ones.
std::vector<std::string> corpus() {
  std::vector<std::string> texts;
  add_reading_lines(texts);
  for (const char* file : {"g2p/tricky.jsonl", "g2p/corpus.jsonl"}) {
    std::ifstream in(data(file));
    std::string line;
    for (int n = 0; std::getline(in, line); ++n) {
      if (n % 4 == 0 && line.size() < 20'000) texts.push_back(nlohmann::json::parse(line)["text"].get<std::string>());
    }
  }
  return texts;
}

void expect_consistent(const text::Analysis& a, const std::string& text) {
  ASSERT_EQ(a.phones.size(), a.tones.size()) << text;
  ASSERT_EQ(std::accumulate(a.word2ph.begin(), a.word2ph.end(), size_t{0}), a.phones.size()) << text;
  ASSERT_EQ(a.word2ph.size(), text::to_u32(a.bert_text).size() + 2) << text;
  const text::Sequence ids = text::to_sequence(a.phones, a.tones, a.word2ph);
  for (const int id : ids.phone_ids) {
    ASSERT_GE(id, 0);
    ASSERT_LT(id, text::symbol_count());
  }
  int covered = 0;
  for (const text::MoraSpan& m : text::moras_of(a.phones)) covered += m.count;
  ASSERT_EQ(static_cast<size_t>(covered), a.phones.size());
}

TEST(FuzzText, DamagedTextIsReadConsistently) {
  const std::vector<std::string> texts = corpus();
  ASSERT_GT(texts.size(), 400U);
  const text::Frontend frontend;
  const text::CharTokenizer tokenizer(data("bert-tiny/vocab.txt"));
  Mutator mutator(20261129);
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string text = mutator.mutate(texts[i], texts[mutator.below(texts.size())]);
    for (const text::Rules rules : {text::Rules::kSbv2, text::Rules::kNatural}) {
      std::string together;
      for (const std::string& sentence : text::split_sentences(text, rules)) {
        const text::Analysis a = frontend.analyze(sentence, rules);
        expect_consistent(a, sentence);
        ASSERT_EQ(tokenizer.encode(a.bert_text).size(), a.word2ph.size()) << sentence;
      }
      expect_consistent(frontend.analyze(text, rules), text);
    }
  }
}

// Pieces of several texts behind one another, cut anywhere.
TEST(FuzzText, PatchworkIsReadConsistently) {
  const std::vector<std::string> texts = corpus();
  const text::Frontend frontend;
  Mutator mutator(20261130);
  for (int i = 0; i < 1500; ++i) {
    std::u32string patchwork;
    for (int k = 0; k < 6; ++k) {
      const std::u32string source = text::to_u32(texts[mutator.below(texts.size())]);
      const size_t begin = mutator.below(source.size() + 1);
      patchwork += source.substr(begin, mutator.below(12));
    }
    const std::string text = text::to_utf8(patchwork);
    expect_consistent(frontend.analyze(text, text::Rules::kNatural), text);
  }
}

// Any characters of any planes, the private ones that the reader uses for itself among them.
TEST(FuzzText, RandomCharactersAreReadConsistently) {
  const text::Frontend frontend;
  Mutator mutator(20261201);
  constexpr std::array<size_t, 5> kLimits = {0x80, 0x3100, 0xA000, 0x20000, 0x110000};
  for (int i = 0; i < 2000; ++i) {
    std::u32string characters;
    for (size_t k = mutator.below(60); k > 0; --k)
      characters += static_cast<char32_t>(mutator.below(kLimits[mutator.below(kLimits.size())]));
    const std::string text = text::to_utf8(characters);
    expect_consistent(frontend.analyze(text, text::Rules::kNatural), text);
    expect_consistent(frontend.analyze(text::name_emoji(text), text::Rules::kNatural), text);
  }
}

TEST(FuzzText, DamagedSsmlIsReadOrRefused) {
  const std::string whole =
      "<?xml version='1.0'?><speak version='1.1' xml:lang='ja'><p><s>東京<break time='500ms'/>と大阪。</s></p>"
      "<prosody rate='120%' pitch='+2st'>速く<sub alias='世界'>W</sub></prosody>"
      "<say-as interpret-as='telephone'>03-1234</say-as><phoneme ph=\"ハ'シ\">箸</phoneme>&amp;[[pause 200]]</speak>";
  Mutator mutator(20261202);
  int taken = 0;
  for (int i = 0; i < 5000; ++i) {
    try {
      for (const text::Span& span : text::parse_ssml(mutator.mutate(whole, whole), text::Rules::kNatural)) {
        EXPECT_TRUE(span.rate > 0 && span.pitch > 0 && span.pause_before.value_or(0) <= text::kLongestPause);
      }
      ++taken;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(taken, 10);
}

class FuzzFiles : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  // Calls read(damaged) many times; it may throw Error only.
  template <typename F>
  void damage(const std::string& seed, int rounds, uint64_t number, const F& read) {
    Mutator mutator(number);
    for (int i = 0; i < rounds; ++i) {
      const std::string damaged = mutator.mutate(seed, seed);
      try {
        read(damaged);
      } catch (const Error& e) {
        ASSERT_GT(std::string(e.what()).size(), 10U);
      }
    }
  }

  std::filesystem::path write(const std::string& text, const std::string& extension) {
    path_ = std::filesystem::temp_directory_path() / ("hayakoe-fuzz-" + std::to_string(getpid()) + extension);
    std::ofstream(path_, std::ios::binary) << text;
    return path_;
  }

  std::filesystem::path path_;
};

TEST_F(FuzzFiles, Configurations) {
  const std::string voice = model::read_text_file(data("voice-tiny/config.json"));
  damage(voice, 5000, 1, [](const std::string& text) { (void)model::VoiceConfig::parse(text, "config.json"); });
  const std::string bert = model::read_text_file(data("bert-tiny/config.json"));
  damage(bert, 5000, 2, [](const std::string& text) { (void)model::BertConfig::parse(text, "config.json"); });
}

TEST_F(FuzzFiles, WordLists) {
  const std::string json =
      R"([{"surface": "東京", "reading": "トーキョー", "accent": 0}, {"surface": "C++", "reading": "シー", "accent": 1}])";
  const std::string csv = "surface,reading,accent\r\n東京,トーキョー,0\r\n\"C,+\",シー,1\r\n";
  text::Frontend frontend;
  const auto read = [&](const char* extension) {
    return [&, extension](const std::string& text) {
      frontend.load_words(write(text, extension));
      (void)frontend.analyze("東京とC++。", text::Rules::kNatural);
    };
  };
  damage(json, 400, 3, read(".json"));
  damage(csv, 400, 4, read(".csv"));
}

TEST_F(FuzzFiles, TablesOfWordsAndCharacters) {
  damage("hello\tハロー\nworld\tワールド\n# comment\n", 1000, 5,
         [&](const std::string& text) { (void)text::English::from_file(write(text, ".tsv")).lookup("hello"); });
  damage("[PAD]\n[CLS]\n[SEP]\n[UNK]\n[MASK]\nあ\nい\n", 1000, 6,
         [&](const std::string& text) { (void)text::CharTokenizer(write(text, ".txt")).encode("あい[MASK]う"); });
}

}  // namespace
}  // namespace hayakoe::fuzz
