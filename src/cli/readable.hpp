// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "text/types.hpp"

namespace hayakoe::cli {

/// An analysis for people: normalised text, words with readings and accents, kana over a line that is high or low, and
/// phones and tones in the form that `say` takes.
std::string readable(const text::Analysis& analysis);

}  // namespace hayakoe::cli
