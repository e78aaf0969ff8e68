// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <optional>
#include <unordered_map>

#include "text/natural/letters.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"
#include "text/table_lines.hpp"
#include "text/unicode.hpp"
#include "text/user_words.hpp"

extern "C" const char hayakoe_symbols_read_begin[], hayakoe_symbols_read_end[];

namespace hayakoe::text::natural {
namespace {

using Symbols = std::unordered_map<char32_t, Given>;

Symbols parse_symbols(std::string_view lines) {
  Symbols symbols;
  for_each_row(lines, [&](const auto& fields, std::size_t) {
    Given given{to_u32(fields.at(1)), std::string(fields.at(1)), 0};
    std::from_chars(fields.at(2).data(), fields.at(2).data() + fields.at(2).size(), given.accent);
    check_user_word({std::string(fields[0]), given.reading, given.accent});
    symbols.emplace(to_u32(fields[0]).at(0), std::move(given));
  });
  return symbols;
}

const Symbols& symbols() {
  static const Symbols table = parse_symbols(
      {hayakoe_symbols_read_begin, static_cast<std::size_t>(hayakoe_symbols_read_end - hayakoe_symbols_read_begin)});
  return table;
}

using Result = std::optional<std::u32string>;

std::u32string silence() { return std::u32string(1, kBoundary); }

// #春 ハッシュタグ春
void read_hashtags(Draft& draft) {
  static const Regex hashtag(U"#(?=[\\p{L}\\p{Co}])");
  replace_all(draft.text, hashtag, [&](const Match&) -> Result {
    return draft.give({U"ハッシュタグ", "ハッシュタグ", 4});
  });
}

// The underscore of user_name; a row of them is a line to write on.
void read_underscores(Draft& draft) {
  static const Regex underscore(U"(?<=[\\p{L}\\p{N}\\p{Co}])_(?=[\\p{L}\\p{N}\\p{Co}])");
  replace_all(draft.text, underscore, [&](const Match&) -> Result {
    return draft.give({U"アンダーバー", "アンダーバー", 5});
  });
}

// ○× マルバツ, ×がつく バツ, A×B カケル.
void read_crosses(Draft& draft) {
  static const Regex crosses(U"[×✕]{2,3}+");
  static const Regex cross(U"([○◯]?)[×✕✖❌](?=([をがはにとのもで」。、!?]|$)?)");
  replace_all(draft.text, crosses, [&](const Match&) -> Result { return draft.give({U"バツバツ", "バツバツ", 3}); });
  replace_all(draft.text, cross, [&](const Match& m) -> Result {
    if (!m[1].empty()) return draft.give({U"マルバツ", "マルバツ", 1});
    if (m.has(2)) return draft.give({U"バツ", "バツ", 1});
    return draft.give({U"かける", "カケル", 2});
  });
}

// 〆切 締切
void read_shime(Draft& draft) {
  static const Regex shime(U"〆(め?)(切?)");
  replace_all(draft.text, shime, [](const Match& m) -> Result {
    return m[2].empty() ? std::u32string(U"締め") : std::u32string(U"締") + std::u32string(m[1]) + U"切";
  });
}

// 〇〇 for a name that is not told, 〇 for a ring; between numerals it is a zero.
void read_rings(Draft& draft) {
  static const Regex ring(
      U"(?<![一二三四五六七八九十百千〇\\x{10FFFD}])(〇{2,3}+|〇(?=[をがはにとのも印×月日]))(?!["
      U"一二三四五六七八九十〇円])([月日](?!曜))?");
  replace_all(draft.text, ring, [&](const Match& m) -> Result {
    std::u32string out;
    for (std::size_t i = 0; i < m[1].size(); ++i) out += U"マル";
    // Without a numeral the analyser takes 月 for つき.
    if (m.has(2)) return apart(out) + apart(m[2] == U"月" ? U"ガツ" : U"ニチ");
    return apart(out);
  });
}

// ジャン=ポール holds a name together; A=B is a statement.
void read_equals_signs(Draft& draft) {
  static const Regex equals(U"(?<=([ァ-ヺー])|)=++(?=([ァ-ヺ])?)");
  replace_all(draft.text, equals, [&](const Match& m) -> Result {
    if (m[0].size() > 1 || (m.has(1) && m.has(2))) return silence();
    return draft.give({U"イコール", "イコール", 2});
  });
}

// A slash or an arrow between Japanese words is a pause; between Latin ones a slash is nothing.
void read_slashes_and_arrows(Draft& draft) {
  static const Regex slash(
      U"(?<=[ぁ-ゖァ-ヺ\\x{3400}-\\x{9FFF}々〇ー])\\s*+/\\s*+(?=[ぁ-ゖァ-ヺ\\x{3400}-\\x{9FFF}々〇])");
  static const Regex arrow(U"\\s*+[→⇒➡➔⇨←⇐↔⇔]++\\x{FE0F}?\\s*+");
  const auto pause = [](const Match&) -> Result { return U"、"; };
  replace_all(draft.text, slash, pause);
  replace_all(draft.text, arrow, pause);
}

// One or two Greek letters are symbols; more are a foreign word.
void read_single_symbols(Draft& draft) {
  static const Regex symbol(U"(?<!\\p{Greek})\\p{Greek}{1,2}+(?!\\p{Greek})|[^\\p{L}\\p{N}\\p{Z}\\p{C}]|[仝]");
  replace_all(draft.text, symbol, [&](const Match& m) -> Result {
    std::u32string out;
    for (const char32_t c : m[0]) {
      const auto row = symbols().find(c);
      if (row == symbols().end()) return std::nullopt;
      out += draft.give(row->second);
      // A note, but not the number of one.
      if (c == U'※' && !m.after().starts_with(kBoundary)) out += U'、';
    }
    return out;
  });
}

// What stands between words, heard or not, keeps them apart.
void drop_silent_symbols(Draft& draft) {
  static const Regex silent(U"(?:(?![\\x{2500}\\x{2501}])[\\p{So}\\p{Sk}\\x{200D}\\x{FE0F}\\\\/*#_=+|])++");
  replace_all(draft.text, silent, [](const Match&) -> Result { return silence(); });
}

}  // namespace

void read_symbols(Draft& draft) {
  read_hashtags(draft);
  read_underscores(draft);
  read_crosses(draft);
  read_rings(draft);
  read_shime(draft);
  read_equals_signs(draft);
  read_slashes_and_arrows(draft);
  read_single_symbols(draft);
  drop_silent_symbols(draft);
}

}  // namespace hayakoe::text::natural
