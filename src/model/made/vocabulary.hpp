// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace hayakoe::model {

/// `vocab.txt` of a made character-level BERT: the special tokens, then `tokens` − 5 characters, those of Japanese text
/// first. One a line; ends with a line break.
std::string made_vocabulary(int64_t tokens);

}  // namespace hayakoe::model
