// SPDX-License-Identifier: Apache-2.0
#include "text/njd/njd.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <hayakoe/error.hpp>
#include <random>

#include "fixtures.hpp"
#include "g2p_checks.hpp"
#include "text/njd/double_array.hpp"
#include "text/njd/phrases.hpp"
#include "text/njd/text2mecab.hpp"
#include "text/njd/user_dictionary.hpp"
#include "text/njd/words.hpp"

namespace fs = std::filesystem;

namespace hayakoe::text {
namespace {

using njd::Dictionary;
using njd::Morphemes;
using testing::g2p_records;

const Dictionary& dictionary() {
  static const auto instance = Dictionary::open(njd::find_dictionary());
  return *instance;
}

std::string describe(const Morphemes& words) {
  std::string out;
  for (const auto& w : words) {
    out += w.string + "/" + w.pos + "/" + w.read + "/" + w.pron + "/" + std::to_string(w.acc) + "/" +
           std::to_string(w.mora_size) + "/" + std::to_string(w.chain_flag) + " ";
  }
  return out;
}

std::string describe(const nlohmann::json& words) {
  std::string out;
  const auto text = [](const nlohmann::json& w, const char* key) { return w.at(key).get<std::string>(); };
  const auto number = [](const nlohmann::json& w, const char* key) { return std::to_string(w.at(key).get<int>()); };
  for (const auto& w : words) {
    out += text(w, "string") + "/" + text(w, "pos") + "/" + text(w, "read") + "/" + text(w, "pron") + "/" +
           number(w, "acc") + "/" + number(w, "mora_size") + "/" + number(w, "chain_flag") + " ";
  }
  return out;
}

TEST(Njd, WordsOfAllFixturesMatch) {
  int compared = 0;
  for (const auto& record : g2p_records()) {
    if (!record.contains("njd")) continue;
    const auto text = record.at("norm_text").get<std::string>();
    EXPECT_EQ(describe(njd::analyze(dictionary(), text)), describe(record.at("njd"))) << text.substr(0, 200);
    ++compared;
  }
  EXPECT_EQ(compared, 2208);
}

// One phone of a full-context label: phone, A field and F field.
struct LabelPhone {
  std::string phone;
  int a1 = 0;
  int a2 = 0;
  int a3 = 0;
  int f1 = 0;
  int f2 = 0;
  bool operator==(const LabelPhone&) const = default;
};

void PrintTo(const LabelPhone& p, std::ostream* out) {
  *out << p.phone << " A:" << p.a1 << "+" << p.a2 << "+" << p.a3 << " F:" << p.f1 << "_" << p.f2;
}

std::vector<LabelPhone> label_phones(const nlohmann::json& labels) {
  std::vector<LabelPhone> phones;
  for (const auto& entry : labels) {
    const auto label = entry.get<std::string>();
    const auto begin = label.find('-') + 1;
    LabelPhone p{label.substr(begin, label.find('+') - begin)};
    if (p.phone == "sil") continue;
    if (p.phone != "pau") {
      if (p.phone == "cl") p.phone = "q";
      if (std::strchr("AIUEO", p.phone[0]) != nullptr) p.phone[0] = static_cast<char>(p.phone[0] | 0x20);
      EXPECT_EQ(3, std::sscanf(label.c_str() + label.find("/A:"), "/A:%d+%d+%d", &p.a1, &p.a2, &p.a3)) << label;
      EXPECT_EQ(2, std::sscanf(label.c_str() + label.find("/F:"), "/F:%d_%d", &p.f1, &p.f2)) << label;
    }
    phones.push_back(p);
  }
  return phones;
}

std::vector<LabelPhone> our_phones(const Morphemes& words) {
  std::vector<LabelPhone> phones;
  const auto clip = [](int value) { return std::clamp(value, -49, 49); };
  for (const auto& phrase : njd::make_phrases(words)) {
    const auto count = static_cast<int>(phrase.moras.size());
    const int accent = phrase.accent == 0 ? count : phrase.accent;
    for (int i = 1; i <= count; ++i) {
      const auto& mora = phrase.moras[static_cast<std::size_t>(i - 1)];
      if (mora.after_pause && !phones.empty()) phones.push_back({"pau"});
      LabelPhone p{std::string(mora.consonant), clip(i - accent), clip(i),
                   clip(count - i + 1),         clip(count),      clip(accent)};
      if (!mora.consonant.empty()) phones.push_back(p);
      p.phone = mora.vowel;
      phones.push_back(p);
    }
  }
  return phones;
}

TEST(Njd, PhrasesMatchTheFullContextLabels) {
  int compared = 0;
  for (const auto& record : g2p_records()) {
    if (!record.contains("fullcontext_labels")) continue;
    const auto text = record.at("norm_text").get<std::string>();
    EXPECT_EQ(our_phones(njd::analyze(dictionary(), text)), label_phones(record.at("fullcontext_labels"))) << text;
    ++compared;
  }
  EXPECT_EQ(compared, 100);
}

TEST(Njd, AsciiBecomesFullWidth) {
  EXPECT_EQ(njd::text2mecab("aZ.,!?'-あ"), "ａＺ．，！？’−あ");
  EXPECT_EQ(njd::text2mecab("09 ~\"`\\\t\x7F%"), "０９　〜”‘￥％");
}

TEST(Njd, ChainedEntriesBecomeSeveralWords) {
  Morphemes words;
  njd::append_words("言っちゃっ", "動詞,自立,*,*,*,連用,言う:ちゃう,イッ:チャッ,イッ:チャッ,0/2:1/2,F1", words);
  ASSERT_EQ(words.size(), 2U);
  EXPECT_EQ(words.front().string, "言う");
  EXPECT_EQ(words.front().acc, 0);
  EXPECT_EQ(words.front().chain_flag, -1);
  EXPECT_EQ(words.back().pron, "チャッ");
  EXPECT_EQ(words.back().acc, 1);
  EXPECT_EQ(words.back().mora_size, 2);
  EXPECT_EQ(words.back().chain_flag, 0);
}

TEST(Njd, ShortFeaturesAreUnknownWords) {
  Morphemes words;
  njd::append_words("ヌルポ", "", words);
  njd::append_words("ガッ", "名詞,一般,*,*,*,*,*", words);
  njd::run_stages(words);
  ASSERT_EQ(words.size(), 2U);
  EXPECT_EQ(words.front().pron, "ヌルポ");
  EXPECT_EQ(words.back().pron, "ガッ");
}

// The tables in data/njd-tables.tsv drive the numbers, so a few readings that everyone knows.
TEST(Njd, NumbersAndCounters) {
  const auto read = [](std::string_view text) {
    std::string out;
    for (const auto& w : njd::analyze(dictionary(), text)) out += w.pron;
    for (std::size_t mark; (mark = out.find("’")) != std::string::npos;) out.erase(mark, std::strlen("’"));
    return out;
  };
  EXPECT_EQ(read("三本"), "サンボン");
  EXPECT_EQ(read("六百"), "ロッピャク");
  EXPECT_EQ(read("三千"), "サンゼン");
  EXPECT_EQ(read("二十日"), "ハツカ");
  EXPECT_EQ(read("四月一日"), "シガツツイタチ");
  EXPECT_EQ(read("一人"), "ヒトリ");
  EXPECT_EQ(read("一二三"), "ヒャクニジューサン");
}

TEST(DoubleArray, FindsExactlyItsKeys) {
  std::mt19937 random(7);
  std::vector<std::string> words;
  for (int i = 0; i < 3000; ++i) {
    std::string word(1 + random() % 6, ' ');
    for (char& c : word) c = static_cast<char>(random() % 5 == 0 ? random() & 0xFF : 'a' + random() % 3);
    words.push_back(word);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::vector<std::pair<std::string_view, std::int32_t>> keys;
  for (const auto& word : words) keys.emplace_back(word, static_cast<std::int32_t>(keys.size()));
  const auto units = njd::build_double_array(keys);
  const auto find = [&](std::string_view key) {
    auto base = static_cast<std::uint32_t>(units[0].base);
    for (const char c : key) {
      const auto& unit = units.at(base + static_cast<unsigned char>(c) + 1U);
      if (unit.check != base) return -1;
      base = static_cast<std::uint32_t>(unit.base);
    }
    const auto& leaf = units.at(base);
    return leaf.check == base && leaf.base < 0 ? -1 - leaf.base : -1;
  };
  for (const auto& [key, value] : keys) EXPECT_EQ(find(key), value);
  for (const auto& word : words) {
    const std::string longer = word + "z";
    EXPECT_EQ(find(longer), std::binary_search(words.begin(), words.end(), longer) ? find(longer) : -1);
  }
  EXPECT_EQ(njd::build_double_array({}).front().base, 1);
}

TEST(UserDictionary, EveryEntryIsFound) {
  std::mt19937 random(11);
  std::vector<njd::UserEntry> entries;
  for (int i = 0; i < 2000; ++i) {
    std::string surface;
    const int length = 1 + static_cast<int>(random() % 5);
    for (int k = 0; k < length; ++k) append_utf8(surface, static_cast<char32_t>(0x4E00 + random() % 3000));
    // Cheaper the longer, so that no entry is beaten by its parts.
    entries.push_back({surface, "名詞,固有名詞,一般,*,*,*,*,テスト,テスト,1/3,*", 1348, -1200 * length * length});
  }
  entries.push_back({"\xF3\xB0\x80\x80", "名詞,固有名詞,一般,*,*,*,*,テスト,テスト,1/3,*", 1348, -20000});
  entries.push_back({"", "無", 1348, 0});
  const auto with_words = Dictionary::open(njd::find_dictionary(), entries);
  for (const auto& entry : entries) {
    if (entry.surface.empty()) continue;
    const auto nodes = with_words->analyze(entry.surface);
    ASSERT_EQ(nodes.size(), 1U) << entry.surface;
    EXPECT_EQ(nodes[0].surface, entry.surface);
    EXPECT_EQ(nodes[0].feature, entries.front().feature);
  }
}

TEST(UserDictionary, HasTheLayoutOfTheFormat) {
  const std::vector<njd::UserEntry> entries = {{"い", "二", 5, -3}, {"あ", "一", 5, 4}, {"い", "三", 6, 7}};
  const auto bytes = njd::build_user_dictionary(entries, {102, 1377, 1378, "UTF-8"});
  std::uint32_t header[10];
  std::memcpy(header, bytes.data(), sizeof(header));
  EXPECT_EQ(header[0] ^ 0xEF718F77U, bytes.size());
  EXPECT_EQ(header[1], 102U);
  EXPECT_EQ(header[2], 1U);
  EXPECT_EQ(header[3], 3U);
  EXPECT_EQ(header[4], 1377U);
  EXPECT_EQ(header[5], 1378U);
  EXPECT_EQ(header[7], 3U * 16U);
  EXPECT_EQ(bytes.substr(72 + header[6] + header[7]), std::string("一\0二\0三\0", 12));
  EXPECT_EQ(bytes.size(), 72U + header[6] + header[7] + header[8]);
}

TEST(Dictionary, LongTextIsCutWithoutLoss) {
  std::string text;
  for (const auto& record : g2p_records()) {
    if (record.contains("norm_text") && text.size() < 300000) text += record.at("norm_text").get<std::string>() + "\n";
  }
  text = njd::text2mecab(text);
  std::string joined;
  for (const auto& node : dictionary().analyze(text)) joined += node.surface;
  EXPECT_EQ(joined, text);

  // Away from the cuts the words are those of the sentence on its own.
  const std::string sentence = "吾輩は猫である．名前はまだ無い．";
  const auto expected = dictionary().analyze(sentence);
  const auto words = dictionary().analyze(testing::repeated(sentence, 40000));
  ASSERT_EQ(words.size(), expected.size() * 2500);
  for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i].feature, expected[i % expected.size()].feature);
}

TEST(Dictionary, OptionThenEnvironmentThenDefault) {
  unsetenv("HAYAKOE_DICTIONARY");
  const auto fallback = njd::find_dictionary();
  EXPECT_FALSE(fallback.empty());
  setenv("HAYAKOE_DICTIONARY", "/from/environment", 1);
  EXPECT_EQ(njd::find_dictionary(), "/from/environment");
  EXPECT_EQ(njd::find_dictionary("/from/option"), "/from/option");
  setenv("HAYAKOE_DICTIONARY", "", 1);
  EXPECT_EQ(njd::find_dictionary(), fallback);
  unsetenv("HAYAKOE_DICTIONARY");
}

class DictionaryFolder : public ::testing::Test {
 protected:
  DictionaryFolder() : folder_(fs::path(::testing::TempDir()) / ("hayakoe-dic-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~DictionaryFolder() override { fs::remove_all(folder_); }

  std::string error_of_open() const {
    try {
      Dictionary::open(folder_);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(DictionaryFolder, MissingFilesAreNamed) {
  EXPECT_NE(error_of_open().find((folder_ / "char.bin").string()), std::string::npos);
  for (const char* name : {"char.bin", "matrix.bin", "unk.dic"}) {
    fs::create_symlink(njd::find_dictionary() / name, folder_ / name);
  }
  const auto error = error_of_open();
  EXPECT_NE(error.find("sys.dic"), std::string::npos) << error;
  EXPECT_NE(error.find("open-jtalk-mecab-naist-jdic"), std::string::npos) << error;
  EXPECT_NE(error.find("--dictionary DIR"), std::string::npos) << error;
}

TEST_F(DictionaryFolder, GarbageIsAnErrorAndNotTheEnd) {
  for (const std::string content : {"", "nonsense", "0123456789012345678901234567890123456789"}) {
    for (const char* name : {"char.bin", "matrix.bin", "sys.dic", "unk.dic"}) {
      std::ofstream(folder_ / name, std::ios::binary) << content;
    }
    const auto error = error_of_open();
    EXPECT_NE(error.find(folder_.string()), std::string::npos) << error;
  }
}

TEST_F(DictionaryFolder, AnOddDicrcThereDoesNotMatter) {
  for (const auto& entry : fs::directory_iterator(njd::find_dictionary())) {
    fs::create_symlink(entry.path(), folder_ / entry.path().filename());
  }
  std::ofstream(folder_ / "dicrc") << "cost-factor = nonsense\nconfig-charset = EUC-JP\n";
  EXPECT_EQ(Dictionary::open(folder_)->analyze("東京").size(), 1U);
}

TEST_F(DictionaryFolder, LeavesNothingBehind) {
  setenv("TMPDIR", folder_.c_str(), 1);
  const std::vector<njd::UserEntry> entries = {{"試験語", "名詞,一般,*,*,*,*,*,シケンゴ,シケンゴ,0/4,*", 1348, 0}};
  const auto opened = Dictionary::open(njd::find_dictionary(), entries);
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_EQ(opened->analyze("試験語").size(), 1U);
  setenv("TMPDIR", (folder_ / "nowhere").c_str(), 1);
  EXPECT_THROW(Dictionary::open(njd::find_dictionary()), Error);
  unsetenv("TMPDIR");
}

}  // namespace
}  // namespace hayakoe::text
