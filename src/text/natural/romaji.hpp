// SPDX-License-Identifier: Apache-2.0
// Japanese written in Latin letters.
#pragma once

#include <string>
#include <string_view>

namespace hayakoe::text::natural {

/// The katakana of a word in small letters that is Japanese in Hepburn's or the official romanisation (yamada ヤマダ,
/// shimbun シンブン, matcha マッチャ); empty if it cannot be.
std::u32string romaji_to_kana(std::string_view word);

}  // namespace hayakoe::text::natural
