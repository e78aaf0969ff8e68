// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "text/natural/letters.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"
#include "text/unicode.hpp"

namespace hayakoe::text::natural {
namespace {

struct Reaction {
  std::u32string_view written;
  std::string_view kana;
  int accent;
};

// What stands in parentheses behind a clause.
constexpr Reaction kReactions[] = {
    {U"笑", "ワライ", 0},   {U"笑い", "ワライ", 0}, {U"爆笑", "バクショー", 0}, {U"苦笑", "クショー", 0},
    {U"泣", "ナキ", 0},     {U"涙", "ナミダ", 1},   {U"汗", "アセ", 1},         {U"怒", "イカリ", 3},
    {U"爆", "バク", 1},     {U"謎", "ナゾ", 0},     {U"棒", "ボー", 0},         {U"照", "テレ", 0},
    {U"略", "リャク", 1},   {U"ry", "リャク", 1},   {U"藁", "ワラ", 1},         {U"悲", "カナシイ", 3},
    {U"嬉", "ウレシイ", 3},
};

const Reaction* reaction_of(std::u32string_view written) {
  for (const Reaction& reaction : kReactions) {
    if (reaction.written == written) return &reaction;
  }
  return nullptr;
}

// (笑): the parentheses stay and become pauses.
void read_reactions(Draft& draft) {
  static const Regex reaction(U"\\(([\\x{3400}-\\x{9FFF}々〇い]{1,2}|ry)\\)");
  static const Regex bare(U"(?<=[ぁ-ゖー])笑(?=$|[\\s。、!?…])");
  const auto say = [&](std::u32string_view written) {
    const Reaction& row = *reaction_of(written);
    return draft.give({to_u32(row.kana), std::string(row.kana), row.accent});
  };
  replace_all(draft.text, reaction, [&](const Match& m) -> std::optional<std::u32string> {
    if (reaction_of(m[1]) == nullptr) return std::nullopt;
    return U"(" + say(m[1]) + U")";
  });
  replace_all(draft.text, bare, [&](const Match& m) -> std::optional<std::u32string> { return say(m[0]); });
}

std::u32string repeated(std::u32string_view word, std::size_t times) {
  std::u32string out;
  for (std::size_t i = 0; i < times; ++i) out += word;
  return out;
}

// w at the end of a Japanese clause, ww anywhere between Japanese.
void read_laughter(Draft& draft) {
  static const Regex laughter(
      U"(?<=[ぁ-ゖァ-ヺ\\x{3400}-\\x{9FFF}々〇ー!?。、…)」])(?:w{2,}+(?![A-Za-z0-9])|w(?=$|[\\s。、!?…)」』]|(?!["
      U"をがはのにとでもへやA-Za-z0-9])"
      U"[ぁ-ゖ]))");
  static constexpr std::size_t kMost = 3;
  replace_all(draft.text, laughter, [](const Match& m) -> std::optional<std::u32string> {
    return apart(repeated(U"ワラ", std::min(m[0].size(), kMost)));
  });
}

// 888: applause where nothing is counted. Alone it takes four of them, for 888 is a number.
void read_applause(Draft& draft) {
  static const Regex applause(U"(?:^8|(?<=[!?。、…~〜ー♪]))8{3,40}+(?=$|[。!?…])");
  static constexpr std::size_t kMost = 5;
  replace_all(draft.text, applause, [](const Match& m) -> std::optional<std::u32string> {
    return apart(repeated(U"パチ", std::min(m[0].size(), kMost)));
  });
}

// What faces are made of, and what none is without.
const std::u32string kFaceParts =
    U"\\^`'\"・\\x{0300}-\\x{036F}\\x{3099}\\x{309A}˘ˇ◕●○◯ω□▽△∀дДσεзΘθ_~ー=≧≦∇<>*+;:.⌒°!/\\\\|@TtOoQqXxUuVv"
    U"彡皿益ノヽ∩⊂⊃⌓◡◇◎☆★♡♥ つっシゝ一-";
constexpr std::u32string_view kTelling = U"^`≧≦▽∇∀ωдДσε_;<>⌒◕˘*\u0301\u0304\u309A\u3099";

// T_T and ^o^, but no words: letters are eyes (a pair) or a mouth (one, in the middle).
bool has_face_letters(std::u32string_view face) {
  std::u32string letters;
  for (const char32_t c : face) {
    if (is_latin(c)) letters += c;
  }
  if (letters.empty()) return true;
  if (letters.size() == 1) return !is_latin(face.front()) && !is_latin(face.back());
  return letters.size() <= 3 && letters.front() == letters.back();
}

bool is_face(std::u32string_view face) {
  return face.find_first_of(kTelling) != std::u32string_view::npos && has_face_letters(face);
}

// True if a parenthesis not long before is still open, so that `)` may close it.
bool inside_parentheses(std::u32string_view before) {
  constexpr std::size_t kFarthest = 100;
  for (std::size_t i = before.size(); i > 0 && before.size() - i < kFarthest; --i) {
    if (before[i - 1] == U')') return false;
    if (before[i - 1] == U'(') return true;
  }
  return false;
}

void drop_faces(Draft& draft) {
  static const Regex face(std::u32string(U"(?:(?<![A-Za-z])[mo]|[ヽヾ\\\\┐┌└щΣσ]){0,2}\\(([") + kFaceParts +
                          U"]{2,14}+)\\)(?:[ゞ/┌┐┘b]|ノシ?(?![ァ-ヺー])|[mov](?![A-Za-z])){0,2}[~;]{0,6}+");
  static const Regex eyes(
      U"(?<![A-Za-z0-9^])(?:\\^[_o.]?\\^|>_<|T_T|-_-|;_;|[oO]_[oO])[;:]{0,2}(?![A-Za-z0-9])|(?<![A-Za-z])orz(?![A-Za-z]"
      U")");
  static const Regex smiley(U"(?<![A-Za-z0-9:;])[:;]-?[)DP](?![A-Za-z0-9])");
  const std::u32string silence(1, kBoundary);
  replace_all(draft.text, face, [&](const Match& m) -> std::optional<std::u32string> {
    if (!is_face(m[1])) return std::nullopt;
    return silence;
  });
  replace_all(draft.text, eyes, [&](const Match&) -> std::optional<std::u32string> { return silence; });
  replace_all(draft.text, smiley, [&](const Match& m) -> std::optional<std::u32string> {
    if (m[0].back() == U')' && inside_parentheses(m.before())) return std::nullopt;
    return silence;
  });
}

// :*:・゜☆
void drop_decorations(Draft& draft) {
  static const Regex decoration(U"[:*・+☆★♪✧ \\x{3099}\\x{309A}]{3,60}+");
  replace_all(draft.text, decoration, [](const Match& m) -> std::optional<std::u32string> {
    const bool stars = m[0].find_first_of(U"☆★♪✧*") != std::u32string_view::npos;
    const bool dots = m[0].find_first_of(U":・\u309A") != std::u32string_view::npos;
    if (!stars || !dots) return std::nullopt;
    return std::u32string(1, kBoundary);
  });
}

// Signs that are read elsewhere are silent as part of an emoji: the ♀ of 🙆‍♀️.
void drop_emoji(Draft& draft) {
  static const Regex emoji(U"\\x{200D}\\p{S}\\x{FE0F}?|\\p{So}\\x{FE0F}");
  replace_all(draft.text, emoji,
              [](const Match&) -> std::optional<std::u32string> { return std::u32string(1, kBoundary); });
}

// 1️⃣ is a 1 in a box; the box is not read.
void open_keycaps(Draft& draft) {
  static const Regex keycap(U"([0-9#*])\\x{FE0F}?\\x{20E3}");
  replace_all(draft.text, keycap, [](const Match& m) -> std::optional<std::u32string> { return std::u32string(m[1]); });
}

}  // namespace

void read_chat(Draft& draft) {
  open_keycaps(draft);
  drop_emoji(draft);
  read_reactions(draft);
  drop_faces(draft);
  drop_decorations(draft);
  read_laughter(draft);
  read_applause(draft);
}

}  // namespace hayakoe::text::natural
