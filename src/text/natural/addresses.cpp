// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "text/english.hpp"
#include "text/natural/latin_words.hpp"
#include "text/natural/letters.hpp"
#include "text/natural/number_words.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"
#include "text/unicode.hpp"

namespace hayakoe::text::natural {
namespace {

struct Sign {
  char32_t character;
  std::string_view kana;
  int accent;
};

constexpr Sign kSigns[] = {
    {U'.', "ドット", 1},       {U'/', "スラッシュ", 2},     {U'-', "ハイフン", 0},
    {U'_', "アンダーバー", 5}, {U'@', "アットマーク", 4},   {U'?', "ハテナ", 0},
    {U'=', "イコール", 2},     {U'&', "アンド", 1},         {U'%', "パーセント", 3},
    {U'~', "チルダ", 1},       {U'+', "プラス", 1},         {U'#', "シャープ", 1},
    {U':', "コロン", 1},       {U'*', "アスタリスク", 4},   {U',', "カンマ", 1},
    {U';', "セミコロン", 3},   {U'$', "ドルマーク", 3},     {U'\\', "バックスラッシュ", 5},
    {U'¥', "エンマーク", 3},   {U'!', "ビックリマーク", 5},
};

bool is_one_of(std::u32string_view word, std::u32string_view list) {
  const std::u32string key = U" " + std::u32string(word) + U" ";
  return list.find(key) != std::u32string_view::npos;
}

// Endings of file names, small letters, with a blank on either side.
constexpr std::u32string_view kExtensions =
    U" txt text md rst pdf doc docx xls xlsx ppt pptx csv tsv json jsonl xml yaml yml toml ini cfg conf log html htm "
    U"css "
    U"js ts jsx tsx vue php py rb rs go c h cc cpp cxx hpp cs java kt swift sh bash bat cmd ps exe dll so app dmg msi "
    U"apk iso bin dat db sql sqlite zip tar gz bz xz rar lzh jpg jpeg png gif bmp webp svg ico tif tiff psd ai heic mp "
    U"wav mp3 mp4 m4a ogg flac aac mid avi mov mkv wmv webm epub tex bib tmp bak old lock env key pem onnx gguf "
    U"safetensors ipynb ttf otf woff ";

// Top-level domains that a host without http:// may end in.
constexpr std::u32string_view kDomains =
    U" com net org info biz edu gov mil int jp us uk de fr cn kr tw hk sg au ca eu ru br io ai co dev app tv me xyz "
    U"site "
    U"shop online tech cloud blog wiki moe tokyo club store page news ";

bool is_trailing(char32_t c) { return std::u32string_view(U".,:;!?'*&=+-").find(c) != std::u32string_view::npos; }

// The value of a hexadecimal digit; 16 for other characters.
unsigned hex_value(char32_t c) {
  if (is_digit(c)) return c - U'0';
  if (c >= U'A' && c <= U'F') return c - U'A' + 10;
  if (c >= U'a' && c <= U'f') return c - U'a' + 10;
  return 16;
}

// Reads addresses character by character.
class AddressReader {
 public:
  AddressReader(Draft& draft, const English& english) : draft_(draft), words_(draft, english) {}

  std::u32string read(std::u32string_view address) {
    std::u32string out(1, kBoundary);
    for (std::size_t i = 0; i < address.size();) i += read_piece(address, i, out);
    out += kBoundary;
    return out;
  }

  // A host: its short labels are spelt, as the co and jp of example.co.jp.
  std::u32string read_host(std::u32string_view host) {
    std::u32string out(1, kBoundary);
    const bool country = host.size() > 3 && host[host.size() - 3] == U'.';
    for (std::size_t begin = 0; begin <= host.size();) {
      const std::size_t end = std::min(host.find(U'.', begin), host.size());
      const auto label = host.substr(begin, end - begin);
      const bool spelt_label = label == U"www" || (label.size() == 2 && (begin == 0 || country));
      out += spelt_label ? words_.spell(label) : read(label);
      if (end < host.size()) out += sign(U'.');
      begin = end + 1;
    }
    out += kBoundary;
    return out;
  }

  // The dotted or slashed rest behind a host: a port and a path.
  std::u32string read_rest(std::u32string_view rest) {
    if (rest.size() < 2 || rest[0] != U':') return read(rest);
    std::size_t end = 1;
    while (end < rest.size() && is_digit(rest[end])) ++end;
    return sign(U':') + one_by_one(rest.substr(1, end - 1)) + read(rest.substr(end));
  }

  std::u32string sign(char32_t c) {
    for (const Sign& row : kSigns) {
      if (row.character == c) {
        return draft_.give({to_u32(row.kana), std::string(row.kana), row.accent, Given::Phrase::kBegins});
      }
    }
    return std::u32string(1, kBoundary);
  }

 private:
  std::size_t read_piece(std::u32string_view text, std::size_t i, std::u32string& out) {
    if (text[i] == U'%') {
      if (const std::size_t n = read_percent(text, i, out); n > 0) return n;
    }
    std::size_t end = i;
    if (is_latin(text[i])) {
      while (end < text.size() && is_latin(text[end])) ++end;
      read_word(text, i, end, out);
      return end - i;
    }
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end > i) {
      out += number(text.substr(i, end - i));
      return end - i;
    }
    out += sign(text[i]);
    return 1;
  }

  // mp3 and mp4 are not numbers but names.
  void read_word(std::u32string_view text, std::size_t i, std::size_t& end, std::u32string& out) {
    const auto word = text.substr(i, end - i);
    if (word == U"mp" && end < text.size() && is_digit(text[end])) {
      out += words_.spell(text.substr(i, 3));
      ++end;
    } else {
      out += words_.read(word);
    }
  }

  // %E6%97%A5 is what browsers make of 日.
  std::size_t read_percent(std::u32string_view text, std::size_t i, std::u32string& out) {
    std::string bytes;
    std::size_t end = i;
    while (end + 2 < text.size() && text[end] == U'%' && hex_value(text[end + 1]) < 16 &&
           hex_value(text[end + 2]) < 16) {
      bytes += static_cast<char>(hex_value(text[end + 1]) * 16 + hex_value(text[end + 2]));
      end += 3;
    }
    for (const char32_t c : nfkc(to_u32(bytes))) {
      if (is_japanese(c)) out += c;
    }
    return end - i;
  }

  std::u32string one_by_one(std::u32string_view digits) {
    std::u32string out;
    for (const char32_t c : digits) out += apart(digit_name(c));
    return out;
  }

  std::u32string number(std::u32string_view digits) {
    constexpr std::size_t kLongestNumber = 4;
    const bool zeros = digits.size() > 1 && digits.front() == U'0';
    return zeros || digits.size() > kLongestNumber ? one_by_one(digits) : number_words(digits);
  }

  Draft& draft_;
  LatinWords words_;
};

// The length of `text` without marks that belong to the sentence around it.
std::size_t trimmed(std::u32string_view text) {
  std::size_t n = text.size();
  while (n > 0 && is_trailing(text[n - 1])) --n;
  return n;
}

// U.S.A., J.K.
void read_initials(Draft& draft, LatinWords& words) {
  static const Regex initials(U"(?<![A-Za-z.])(?:[A-Z]\\.){2,8}+(?![A-Za-z])");
  static const Regex joined(U"(?<![A-Za-z0-9.])[A-Z](?:\\.[A-Z]){1,8}+(?![A-Za-z0-9.])");
  const auto spell = [&](const Match& m) -> std::optional<std::u32string> {
    std::u32string letters(m[0]);
    std::erase(letters, U'.');
    return words.spell(letters);
  };
  replace_all(draft.text, initials, spell);
  replace_all(draft.text, joined, spell);
}

void read_urls(Draft& draft, AddressReader& reader) {
  static const Regex url(
      U"(?<![A-Za-z0-9])(?:(?:https?|ftp)://|(?=www\\.[A-Za-z0-9]))([A-Za-z0-9.-]{1,253}+)([A-Za-z0-9._~:/"
      U"?#@!$&'*+,;=%-]{0,2000}+)");
  replace_all(draft.text, url, [&](const Match& m) -> std::optional<std::u32string> {
    if (m[2].empty()) {
      const std::size_t n = trimmed(m[1]);
      return reader.read_host(m[1].substr(0, n)) + std::u32string(m[1].substr(n));
    }
    const std::size_t n = trimmed(m[2]);
    return reader.read_host(m[1]) + reader.read_rest(m[2].substr(0, n)) + std::u32string(m[2].substr(n));
  });
}

void read_mails(Draft& draft, AddressReader& reader) {
  static const Regex mail(
      U"(?<![A-Za-z0-9._%+-])(?:mailto:)?([A-Za-z0-9._%+-]{1,64}+)@((?:[A-Za-z0-9-]{1,63}+\\.){1,8}[A-Za-z]{2,24}+)");
  replace_all(draft.text, mail, [&](const Match& m) -> std::optional<std::u32string> {
    return reader.read(m[1]) + reader.sign(U'@') + reader.read_host(m[2]);
  });
}

void read_hosts(Draft& draft, AddressReader& reader) {
  static const Regex host(
      U"(?<![A-Za-z0-9@._/-])((?:[A-Za-z0-9][A-Za-z0-9-]{0,62}+\\.){1,6}([a-z]{2,6}+))(?![A-Za-z0-9_-])"
      U"((?::[0-9]{2,5}+)?(?:/[A-Za-z0-9._~:/?#@!$&'*+,;=%-]{0,2000}+)?)");
  replace_all(draft.text, host, [&](const Match& m) -> std::optional<std::u32string> {
    if (!is_one_of(m[2], kDomains) || (is_one_of(m[2], kExtensions) && m[3].empty())) return std::nullopt;
    const std::size_t n = trimmed(m[3]);
    return reader.read_host(m[1]) + reader.read_rest(m[3].substr(0, n)) + std::u32string(m[3].substr(n));
  });
}

bool ends_in_file_name(std::u32string_view path) {
  const std::size_t dot = path.rfind(U'.');
  return dot != std::u32string_view::npos && is_one_of(path.substr(dot + 1), kExtensions);
}

// True for what begins as a path does and has a name in it: /home/user, ../data, ~/.bashrc. A lone /name counts only
// where no word stands before it.
bool begins_as_path(std::u32string_view path, std::u32string_view before) {
  if (std::none_of(path.begin(), path.end(), is_latin)) return false;
  if (path.starts_with(U"./") || path.starts_with(U"../") || path.starts_with(U"~/")) return true;
  if (!path.starts_with(U'/') || path.size() < 3 || !is_latin(path[1])) return false;
  const bool behind_word = !before.empty() && is_letter_or_number(before.back());
  return !behind_word || path.find(U'/', 1) != std::u32string_view::npos;
}

bool is_dot_file(std::u32string_view path) {
  return path.size() > 2 && path[0] == U'.' && std::all_of(path.begin() + 1, path.end(), is_small);
}

void read_files(Draft& draft, AddressReader& reader) {
  static const Regex path(U"(?<![A-Za-z0-9_./~-])[A-Za-z0-9_./~-]{2,4000}+");
  static const Regex drive(U"(?<![A-Za-z0-9])[A-Za-z]:[\\\\¥][A-Za-z0-9_.\\\\¥-]{0,1000}+");
  const auto read = [&](std::u32string_view whole) {
    const std::size_t n = trimmed(whole);
    return reader.read(whole.substr(0, n)) + std::u32string(whole.substr(n));
  };
  replace_all(draft.text, drive, [&](const Match& m) -> std::optional<std::u32string> { return read(m[0]); });
  replace_all(draft.text, path, [&](const Match& m) -> std::optional<std::u32string> {
    const auto whole = m[0].substr(0, trimmed(m[0]));
    if (!ends_in_file_name(whole) && !begins_as_path(whole, m.before()) && !is_dot_file(whole)) return std::nullopt;
    return read(m[0]);
  });
}

// @name
void read_handles(Draft& draft, AddressReader& reader) {
  static const Regex handle(U"(?<![A-Za-z0-9._@])@([A-Za-z0-9_]{2,30}+)");
  replace_all(draft.text, handle, [&](const Match& m) -> std::optional<std::u32string> {
    return draft.give({U"アット", "アット", 1}) + reader.read(m[1]);
  });
}

}  // namespace

void read_addresses(Draft& draft, const English& english) {
  AddressReader reader(draft, english);
  LatinWords words(draft, english);
  read_urls(draft, reader);
  read_mails(draft, reader);
  read_initials(draft, words);
  read_hosts(draft, reader);
  read_files(draft, reader);
  read_handles(draft, reader);
}

}  // namespace hayakoe::text::natural
