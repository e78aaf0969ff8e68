// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "text/natural/number_words.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"

namespace hayakoe::text::natural {
namespace {

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

// Groups of digits with a pause wherever something else stands between them.
std::u32string group_words(Draft& draft, std::u32string_view groups) {
  std::u32string out;
  std::u32string digits;
  const auto end_group = [&] {
    if (digits.empty()) return;
    if (!out.empty()) out += U'、';
    out += kBoundary + digit_words(draft, digits);
    digits.clear();
  };
  for (const char32_t c : groups) {
    if (is_digit(c)) {
      digits += c;
    } else {
      end_group();
    }
  }
  end_group();
  return out;
}

// Telephone numbers: 03-1234-5678, (03)1234-5678, 0467(22)3344, +81-3-1234-5678. 〒100-0001.
void read_telephones(Draft& draft) {
  static const Regex telephone(
      U"(?<![0-9A-Za-z-])(\\+[0-9]{1,3}[ -](?=[0-9]))?"
      U"((?:\\(0[0-9]{1,4}\\) ?|0[0-9]{1,4}(?:[ -]|\\()|(?<= |-)[0-9]{1,4}[ -])[0-9]{1,4}[ )-][0-9]{3,4})(?![0-9-])");
  replace_all(draft.text, telephone, [&](const Match& m) -> std::optional<std::u32string> {
    if (!m.has(1) && !(m[2].front() == U'0' || m[2].front() == U'(')) return std::nullopt;
    std::u32string out;
    if (!m.before().empty() && m[0].front() == U'(') out += U'、';
    if (m.has(1)) out += U"プラス";
    return out + group_words(draft, m[0]);
  });
  static const Regex postal(U"〒 ?([0-9]{3}) ?-? ?([0-9]{4})(?![0-9])( ?)");
  replace_all(draft.text, postal, [&](const Match& m) -> std::optional<std::u32string> {
    return U"郵便番号" + group_words(draft, std::u32string(m[1]) + U"-" + std::u32string(m[2])) +
           (m[3].empty() || m.after().empty() ? U"" : U"、");
  });
}

// Where the word before says that digits are a name rather than a number.
void read_identifiers(Draft& draft) {
  static const Regex after_word(
      U"(番号|コード|パスワード|シリアル|内線|ボーイング|バーコードの数字|電話|TEL|Tel|ISBN|ID|PIN|No)((?:は|が|を|の|"
      U"に|:|=|\\.|「)? ?)"
      U"([0-9]{3,40}(?:-[0-9]{1,20}){0,9})(?![0-9]|[-.,:/][0-9]|[個件本人名円つ番月日年ヶ%]|か月)");
  replace_all(draft.text, after_word, [&](const Match& m) -> std::optional<std::u32string> {
    return std::u32string(m[1]).append(m[2]) + group_words(draft, m[3]);
  });
  // Cards, ISBNs and other groups: three and more, of which one is too long for a date or a score.
  static const Regex groups(
      U"(?<![0-9A-Za-z-])(?=[0-9-]{0,12}[0-9]{3})([0-9]{1,10}(?:-[0-9]{1,10}){2,6}+)(?![0-9A-Za-z-])");
  replace_all(draft.text, groups,
              [&](const Match& m) -> std::optional<std::u32string> { return group_words(draft, m[0]); });
  static const Regex postal_like(
      U"(?<![0-9A-Za-z-])([0-9]{3}-0[0-9]{3}|0[0-9]{2}-[0-9]{4}|[0-9]{4}-0[0-9]{3})(?![0-9A-Za-z-])");
  replace_all(draft.text, postal_like,
              [&](const Match& m) -> std::optional<std::u32string> { return group_words(draft, m[0]); });
}

// 007, 0012番; but 05月 and 09:05 have said all they have to. Eleven digits and more without a separator.
void read_leading_zeros(Draft& draft) {
  static const Regex calendar(U"(?<![0-9.,])0([1-9])(?=[年月日時分秒])");
  replace_all(draft.text, calendar, [](const Match& m) -> std::optional<std::u32string> { return number_words(m[1]); });
  static const Regex zeros(
      U"(?<![0-9.,/])(0[0-9]++|[0-9]{11}[0-9]*+)(?!\\.[0-9]|,[0-9]{3})(?![個件本人名円つ月日年ヶ%万億兆京]|か月)");
  replace_all(draft.text, zeros, [&](const Match& m) -> std::optional<std::u32string> {
    constexpr std::size_t kMost = 1000;  // what is longer is no one's number; leave it to the names of numbers
    if (m[0].size() > kMost) return std::nullopt;
    return kBoundary + digit_words(draft, m[0]);
  });
}

// 305号室: サンマルゴ. Without an inner zero it is a number.
void read_rooms(Draft& draft) {
  static const Regex room(U"(?<![0-9,.])([1-9][0-9]?0[1-9])(?=号室)");
  replace_all(draft.text, room, [&](const Match& m) -> std::optional<std::u32string> {
    return kBoundary + digit_words(draft, m[1], "マル");
  });
}

void read_services(Draft& draft) {
  static const Regex police(U"(?<![0-9,.])110(?=番(?!目|線|地|台|街))");
  replace_all(draft.text, police, [&](const Match&) -> std::optional<std::u32string> {
    return kBoundary + draft.give({U"百十", "ヒャクトー", 3, Given::Phrase::kBegins}) + kBoundary;
  });
  static const Regex service(U"((?:時報|天気予報|伝言ダイヤル|ダイヤル)(?:は|の)?)(1[0-9]{2})(?![0-9,.])");
  replace_all(draft.text, service, [&](const Match& m) -> std::optional<std::u32string> {
    return std::u32string(m[1]) + kBoundary + digit_words(draft, m[2]);
  });
}

}  // namespace

void read_digit_runs(Draft& draft) {
  read_telephones(draft);
  read_identifiers(draft);
  read_leading_zeros(draft);
  read_rooms(draft);
  read_services(draft);
}

}  // namespace hayakoe::text::natural
