// SPDX-License-Identifier: Apache-2.0
#include "text/njd/njd.hpp"

#include "text/njd/accent.hpp"
#include "text/njd/digits.hpp"
#include "text/njd/pronunciation.hpp"
#include "text/njd/text2mecab.hpp"
#include "text/njd/words.hpp"

namespace hayakoe::text::njd {

void run_stages(Morphemes& words) {
  set_pronunciation(words);
  set_digits(words);
  set_accent_phrases(words);
  set_accent_types(words);
  set_devoicing(words);
}

Morphemes make_words(const std::vector<Node>& nodes) {
  Morphemes words;
  for (const Node& node : nodes) append_words(node.surface, node.feature, words);
  return words;
}

Morphemes analyze(const Dictionary& dictionary, std::string_view norm_text) {
  Morphemes words = make_words(dictionary.analyze(text2mecab(norm_text)));
  run_stages(words);
  return words;
}

}  // namespace hayakoe::text::njd
