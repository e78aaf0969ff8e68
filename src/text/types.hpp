// SPDX-License-Identifier: Apache-2.0
// What the text room hands on. Plain data, no behaviour.
#pragma once

#include <string>
#include <vector>

namespace hayakoe::text {

/// How text is read. `kSbv2` is what Style-Bert-VITS2 does, bit for bit. `kNatural` repairs what it plainly gets wrong.
enum class Rules { kNatural, kSbv2 };

/// One word after the NJD stages (accent phrases and accents decided).
struct Word {
  std::string string;  ///< as it stands in the text (ASCII as full-width)
  std::string pos;     ///< part of speech: 名詞, 動詞, … フィラー, 記号
  std::string read;    ///< reading in katakana
  std::string pron;  ///< pronunciation in katakana; ’ after a mora: devoiced; 、: a pause or unreadable; ？: question
  int acc = 0;       ///< accent nucleus, 1-based mora; 0 = flat
  int mora_size = 0;    ///< number of moras
  int chain_flag = -1;  ///< 1: joins the accent phrase before it; 0 or -1: begins one
};

/// A sentence ready for the models.
struct Analysis {
  std::string text;                   ///< as given
  std::string norm_text;              ///< after normalisation
  std::vector<Word> njd;              ///< words with readings and accents
  std::vector<std::string> sep_text;  ///< surface of each word
  std::vector<std::string> sep_kata;  ///< katakana (or marks) of each word
  std::string bert_text;              ///< sep_text joined: the text that BERT sees
  std::vector<std::string> phones;    ///< phonemes with `_` at both ends
  std::vector<int> tones;             ///< 0 low, 1 high; one per phone
  std::vector<int> word2ph;           ///< phones per character of bert_text, plus one for each end
  std::vector<int> bert_ids;          ///< [CLS] characters [SEP]; filled where a vocabulary is at hand
  bool unreadable = false;            ///< some word had no reading and was replaced
  std::vector<std::string> warnings;  ///< what was skipped, replaced or repaired, in sentences
};

/// The same sentence as the numbers that the models take, blanks inserted (n → 2n+1).
struct Sequence {
  std::vector<int> phone_ids;
  std::vector<int> tone_ids;
  std::vector<int> language_ids;
  std::vector<int> word2ph;  ///< sums to phone_ids.size()
};

/// A word that the user adds.
struct UserWord {
  std::string surface;  ///< what stands in the text
  std::string reading;  ///< katakana
  int accent = 0;       ///< accent nucleus, 0 ≤ accent ≤ moras
  /// Under `kNatural`, 0 to 10. 10: the word is read so wherever it stands; 5: as likely as what the dictionary reads
  /// for this surface; 0: only where nothing else fits. A surface with Latin letters, digits or symbols always counts.
  int priority = 10;
};

}  // namespace hayakoe::text
