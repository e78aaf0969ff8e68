// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "text/njd/accent.hpp"

namespace hayakoe::text::njd {
namespace {

bool is_independent(const Morpheme& w) { return w.pos == "副詞" || w.pos == "接続詞" || w.pos == "連体詞"; }
bool is_function_word(const Morpheme& w) { return w.pos == "助動詞" || w.pos == "助詞"; }
bool is_continuative(const Morpheme& w) { return w.cform.starts_with("連用"); }

// The rules in order; the last one that fits wins.
int joins(const Morpheme& p, const Morpheme& w) {
  const bool noun = w.pos == "名詞";
  const bool after_noun = p.pos == "名詞";
  const bool after_verb = p.pos == "動詞";
  const bool adjective = w.pos == "形容詞";
  int flag = 1;
  if (p.pos == "形容詞" && noun) flag = 0;
  if (after_noun && p.g1 == "形容動詞語幹" && noun) flag = 0;
  if (after_verb && (adjective || noun)) flag = 0;
  if (is_independent(p) || is_independent(w)) flag = 0;
  if (after_noun && p.g1 == "副詞可能") flag = 0;
  if (noun && w.g1 == "副詞可能") flag = 0;
  if (is_function_word(w)) flag = 1;
  if (is_function_word(p) && !is_function_word(w)) flag = 0;
  if (p.g1 == "接尾" && noun) flag = 0;
  if (adjective && w.g1 == "非自立") {
    const bool continuative = (after_verb || p.pos == "形容詞") && is_continuative(p);
    const bool te_form = p.pos == "助詞" && p.g1 == "接続助詞" && (p.string == "て" || p.string == "で");
    if (continuative || te_form) flag = 1;
  }
  if (w.pos == "動詞" && w.g1 == "非自立") {
    if ((after_verb && is_continuative(p)) || (after_noun && p.g1 == "サ変接続")) flag = 1;
  }
  if (after_noun && (w.pos == "動詞" || adjective || w.g1 == "形容動詞語幹")) flag = 0;
  if (p.pos == "記号" || w.pos == "記号") flag = 0;
  if (w.pos == "接頭詞") flag = 0;
  if (p.g3 == "姓" && noun) flag = 0;
  if (after_noun && w.g3 == "名") flag = 0;
  if (w.g1 == "接尾") flag = 1;
  return flag;
}

}  // namespace

void set_accent_phrases(Morphemes& words) {
  for (auto it = words.begin(); it != words.end(); ++it) {
    if (it != words.begin() && it->chain_flag == -1) it->chain_flag = joins(*std::prev(it), *it);
  }
}

}  // namespace hayakoe::text::njd
