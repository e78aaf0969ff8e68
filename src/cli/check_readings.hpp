// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "text/frontend.hpp"

namespace hayakoe::cli {

/// Reads files of `text<TAB>reading[|reading…][<TAB>tones]` lines (text/reading_check.hpp) and prints, for each, how
/// many lines are read right under `natural` and under `sbv2`, and, for `natural`, those that are not. Returns the exit
/// code: 0 if all are right under `natural`, else 1. @throws Error for a file that cannot be read or a line that is
/// wrong
int check_readings(const text::Frontend& frontend, const std::vector<std::string>& files);

}  // namespace hayakoe::cli
