// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text/njd/morpheme.hpp"

namespace hayakoe::text::njd {

/// Reads runs of digits as numbers (一二 → 十 二) or digit by digit, then adapts numbers and counters to each other
/// (`set_digit_readings`). Does nothing if no word is a number.
void set_digits(Morphemes& words);

/// The second half: pronunciation and accent of numbers before points, counters, days and persons.
void set_digit_readings(Morphemes& words);

}  // namespace hayakoe::text::njd
