// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "text/natural/letters.hpp"
#include "text/natural/regex.hpp"
#include "text/natural/rewrite.hpp"

namespace hayakoe::text::natural {
namespace {

using Result = std::optional<std::u32string>;

bool is_one_of(char32_t c, std::u32string_view characters) { return characters.find(c) != std::u32string_view::npos; }

// Companies in parentheses are no asides.
void read_abbreviations(Draft& draft) {
  static const Regex company(U"\\((株|有|合|財|社|学|医)\\)");
  constexpr std::pair<char32_t, std::u32string_view> kCompanies[] = {
      {U'株', U"株式会社"}, {U'有', U"有限会社"}, {U'合', U"合同会社"}, {U'財', U"財団法人"},
      {U'社', U"社団法人"}, {U'学', U"学校法人"}, {U'医', U"医療法人"}};
  replace_all(draft.text, company, [&](const Match& m) -> Result {
    for (const auto& [sign, name] : kCompanies) {
      if (sign == m[1].front()) return apart(name);
    }
    return std::nullopt;
  });
}

// 「は」 and 「へ」 are the names of letters, not particles.
void read_quoted_letters(Draft& draft) {
  static const Regex letter(U"(?<=[「『“‘\"'])[はへ](?=[」』”’\"'])");
  replace_all(draft.text, letter, [&](const Match& m) -> Result {
    return m[0] == U"は" ? draft.give({U"は", "ハ", 1}) : draft.give({U"へ", "ヘ", 1});
  });
}

// A colon divides as a comma does.
void read_colons(Draft& draft) {
  static const Regex colon(U"\\s*+[:;]++\\s*+");
  replace_all(draft.text, colon, [](const Match&) -> Result { return U"、"; });
}

// <注意>
void read_angle_brackets(Draft& draft) {
  static const Regex angle(U"<([ぁ-ゖァ-ヺ\\x{3400}-\\x{9FFF}々〇ー・、\\p{Co}]{1,40}+)>");
  replace_all(draft.text, angle, [](const Match& m) -> Result { return U"(" + std::u32string(m[1]) + U")"; });
}

// —— is a pause; a hyphen between words is nothing, and so is a middle dot in a name.
void read_dashes(Draft& draft) {
  static const Regex dashes(U"\\s*+(?:[\\x{2012}-\\x{2015}\\x{2500}\\x{2501}\\x{2E3A}\\x{2E3B}]++|-{2,}+)\\s*+");
  static const Regex dot(U"(?<=[ァ-ヺー])・(?=[ァ-ヺ])");
  replace_all(draft.text, dashes, [](const Match&) -> Result { return U"("; });
  replace_all(draft.text, dot, [](const Match&) -> Result { return std::u32string(1, kBoundary); });
}

bool is_hiragana(char32_t c) { return c >= 0x3041 && c <= 0x309F; }
bool is_katakana(char32_t c) { return c >= 0x30A1 && c <= 0x30FC; }

// 月〜金
void read_weekdays(Draft& draft) {
  static const Regex days(
      U"(?<![\\x{3400}-\\x{9FFF}々〇0-9\\x{10FFFD}])([月火水木金土日])[〜~]([月火水木金土日])(?![\\x{3400}-\\x{9FFF}"
      U"々〇])");
  replace_all(draft.text, days,
              [](const Match& m) -> Result { return std::u32string(m[1]) + U"曜から" + std::u32string(m[2]) + U"曜"; });
}

// 〜 by what stands around it.
class WaveDashes {
 public:
  explicit WaveDashes(std::u32string_view text) : text_(text) {}

  std::u32string read() {
    std::u32string out;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (is_wave(text_[i])) {
        out += read_one(i);
      } else {
        out += text_[i];
      }
    }
    return out;
  }

 private:
  static bool is_wave(char32_t c) { return c == U'〜' || c == U'~'; }

  // The nearest character before `i` that is heard or a mark; 0 if there is none.
  char32_t before(std::size_t i) const {
    while (i > 0 && (text_[i - 1] == kBoundary || text_[i - 1] == U' ')) --i;
    return i > 0 ? text_[i - 1] : 0;
  }

  char32_t after(std::size_t i) const {
    ++i;
    while (i < text_.size() && (text_[i] == kBoundary || text_[i] == U' ')) ++i;
    return i < text_.size() ? text_[i] : 0;
  }

  static bool is_word(char32_t c) {
    return (is_japanese(c) && !is_hiragana(c)) || is_latin(c) || is_digit(c) || is_ours(c);
  }

  static bool ends(char32_t c) { return c == 0 || is_one_of(c, U"。、.,!?…」』”’)]】"); }

  // What 〜 closes: 〜思い出の夜〜 at the end.
  bool opens_subtitle(std::size_t i) const {
    constexpr std::size_t kLongest = 40;
    if (before(i) == 0 || text_[i - 1] == U' ' ? !is_japanese(after(i)) : !is_word(after(i))) return false;
    for (std::size_t j = i + 2; j < text_.size() && j < i + kLongest; ++j) {
      if (is_wave(text_[j])) return ends(after(j));
      if (ends(text_[j])) return false;
    }
    return false;
  }

  bool closes_subtitle(std::size_t i) const { return subtitle_ && ends(after(i)); }

  // A long katakana word, not the コ of コ〜ヒ〜.
  bool is_katakana_word(std::size_t i, int step) const {
    const auto at = [&](std::size_t k) { return k < text_.size() ? text_[k] : 0; };
    const std::size_t first = step > 0 ? i + 1 : i - 1;
    const std::size_t second = step > 0 ? i + 2 : i - 2;
    return is_katakana(at(first)) && is_katakana(at(second));
  }

  bool is_range(std::size_t i) const {
    const char32_t left = before(i);
    const char32_t right = after(i);
    if (left == 0 || !is_word(left)) return false;
    if (is_katakana(left)) {
      return is_katakana_word(i, -1) && (is_katakana(right) ? is_katakana_word(i, 1) : is_word(right));
    }
    if (is_word(right)) return true;
    // 五千円〜の部屋, 十時〜
    const bool counted = is_one_of(left, U"円時分秒日月年歳才人名個度回階号番");
    return counted && (is_hiragana(right) || right == 0);
  }

  std::u32string read_one(std::size_t i) {
    if (closes_subtitle(i)) {
      subtitle_ = false;
      return U")";
    }
    if (opens_subtitle(i)) {
      subtitle_ = true;
      return U"(";
    }
    if (is_range(i)) return apart(U"から");
    const char32_t left = i > 0 ? text_[i - 1] : 0;
    if (is_japanese(left) && !(left == U'ー' && ends(after(i)))) return U"ー";
    return std::u32string(1, kBoundary);
  }

  std::u32string_view text_;
  bool subtitle_ = false;
};

// Puts a pause where a bracket divides two words that no mark divides.
class Brackets {
 public:
  std::u32string read(std::u32string_view text) {
    for (const char32_t c : text) {
      if (is_one_of(c, U"([{【〔〖〘｢)]}】〕〗〙")) {
        pause_ = pause_ || spoken_;
        out_ += kBoundary;
      } else {
        add(c);
      }
    }
    return std::move(out_);
  }

 private:
  static bool is_mark(char32_t c) { return is_one_of(c, U"。、.,!?…・:;\n"); }

  void add(char32_t c) {
    if (is_mark(c)) {
      pause_ = false;
      spoken_ = false;
    } else if (is_japanese(c) || is_latin(c) || (is_ours(c) && c != kBoundary)) {
      if (pause_) out_ += U'、';
      pause_ = false;
      spoken_ = true;
    }
    out_ += c;
  }

  std::u32string out_;
  bool pause_ = false;
  bool spoken_ = false;  // a word stands since the last mark
};

// Spaces are no pauses, but words end there.
void read_spaces(Draft& draft) {
  static const Regex spaces(U"[^\\S\\n]++");
  replace_all(draft.text, spaces, [](const Match&) -> Result { return std::u32string(1, kBoundary); });
}

}  // namespace

void read_marks(Draft& draft) {
  read_abbreviations(draft);
  read_quoted_letters(draft);
  read_angle_brackets(draft);
  read_colons(draft);
  read_weekdays(draft);
  draft.text = WaveDashes(draft.text).read();
  read_dashes(draft);
  read_spaces(draft);
  draft.text = Brackets().read(draft.text);
}

}  // namespace hayakoe::text::natural
