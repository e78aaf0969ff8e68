// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "text/types.hpp"

namespace hayakoe::text {

/// Puts phones and tones that the user gives in the place of the generated ones. Lists include the `_` at both ends.
/// Either pointer may be null:
///  - both given: they replace `a.phones` and `a.tones`; if there are more or fewer phones than before, `a.word2ph` is
///    adjusted (see below) and sums to their number again;
///  - tones only: they replace `a.tones`;
///  - phones only: nothing happens, since nobody knows their tones.
/// Throws Error with both lengths if the lists do not fit each other or the text, and Error that names the value for a
/// phone that does not exist or a tone other than 0 and 1. `a` is unchanged then.
///
/// Adjusting: what a longest common subsequence of both lists does not cover changes the character that owns the first
/// replaced phone; then every character is brought to between 1 and 6 phones by moving phones to and from the
/// characters after it. Lists that cannot be spread like that do not fit, unless phones are only added or only taken
/// away at the end of the text: then the last characters take the rest, whatever it is.
void apply_given(Analysis& a, const std::vector<std::string>* phones, const std::vector<int>* tones);

}  // namespace hayakoe::text
