// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"
#include "text/unicode.hpp"
#include "text/user_words.hpp"

namespace hayakoe::text::natural {
namespace {

// The katakana of kana as it is pronounced: とうきょう → トーキョー. Marks between words (・ ＝ and spaces) go. Empty
// if anything else is there.
std::u32string pronounced(std::u32string_view kana) {
  constexpr char32_t kToKatakana = U'ア' - U'あ';
  constexpr std::u32string_view kMarks = U"・･＝=\u3000 ";
  constexpr std::u32string_view kOColumn = U"オコソトノホモヨロヲゴゾドボポョォ";
  constexpr std::u32string_view kEColumn = U"エケセテネヘメレゲゼデベペェ";
  const auto is_in = [](char32_t c, std::u32string_view set) { return set.find(c) != std::u32string_view::npos; };
  std::u32string out;
  for (char32_t c : nfkc(kana)) {
    if (is_in(c, kMarks)) continue;
    if (c >= U'ぁ' && c <= U'ゖ') c += kToKatakana;
    const bool is_long =
        !out.empty() && ((c == U'ウ' && is_in(out.back(), kOColumn)) || (c == U'イ' && is_in(out.back(), kEColumn)));
    out += is_long ? U'ー' : c;
  }
  const bool speakable = is_speakable_reading(to_utf8(out));
  return speakable ? out : std::u32string();
}

std::u32string given(Draft& draft, std::u32string_view surface, std::u32string_view reading, int accent) {
  return draft.give({std::u32string(surface), to_utf8(reading), accent, Given::Phrase::kAuto});
}

// ［＃「X」に傍点］ and the like, with the ※ that stands for a character without a code.
void remove_notes(Draft& draft) {
  static const Regex note(U"※?[［\\[][＃#][^］\\]\\n]{0,200}+[］\\]]");
  replace_all(draft.text, note, [](const Match&) { return std::u32string(); });
}

// A reading that is no kana (emphasis dots, a translation) changes nothing: the base is read as ever.
void read_aozora_ruby(Draft& draft, const AccentOf& accent_of) {
  static const Regex ruby(
      U"(?:[｜|]([^｜|《》\\n]{1,100}+)|([\\x{4E00}-\\x{9FFF}\\x{3400}-\\x{4DBF}々〆〇ヶ]{1,40}+))《([^《》\\n]{1,100}+"
      U")》");
  static const Regex dots(U"^[・･﹅﹆●○◎、丶]++$");
  replace_all(draft.text, ruby, [&](const Match& m) -> std::optional<std::u32string> {
    const auto base = m.has(1) ? m[1] : m[2];
    const auto reading = pronounced(m[3]);
    if (!reading.empty()) return given(draft, base, reading, accent_of(base, to_utf8(reading)));
    if (m.has(1) || dots.find(m[3])) return std::u32string(base);
    return std::nullopt;  // 《》 as quotation marks
  });
}

// [[表記|ヨミ]] and [[表記|ヨミ|アクセント]].
void read_inline(Draft& draft, const AccentOf& accent_of) {
  static const Regex inline_reading(
      U"[\\[［]{2}([^|｜\\[\\]［］\\n]{1,100}+)[|｜]([^|｜\\[\\]［］\\n]{1,100}+)(?:[|｜]([0-9]{1,3}+))?[\\]］]{2}");
  replace_all(draft.text, inline_reading, [&](const Match& m) -> std::optional<std::u32string> {
    const auto reading = pronounced(m[2]);
    if (reading.empty()) {
      draft.warn("\"" + to_utf8(m[2]) + "\" is no reading in kana, so \"" + to_utf8(m[1]) + "\" is read as usual.");
      return std::u32string(m[1]);
    }
    int accent = 0;
    if (m.has(3)) {
      for (const char32_t c : m[3]) accent = accent * 10 + static_cast<int>(c - U'0');
      accent = std::min(accent, count_moras(to_utf8(reading)));
    } else {
      accent = accent_of(m[1], to_utf8(reading));
    }
    return given(draft, m[1], reading, accent);
  });
}

}  // namespace

void read_ruby(Draft& draft, const AccentOf& accent_of) {
  remove_notes(draft);
  read_inline(draft, accent_of);
  read_aozora_ruby(draft, accent_of);
}

std::string without_readings(std::string_view utf8) {
  Draft draft = make_draft(utf8, nullptr);
  read_ruby(draft, [](std::u32string_view, std::string_view) { return 0; });
  std::string out;
  for (const char32_t c : draft.text) out += is_given(c) ? to_utf8(draft.given(c).surface) : to_utf8(c);
  return out;
}

}  // namespace hayakoe::text::natural
