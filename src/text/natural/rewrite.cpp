// SPDX-License-Identifier: Apache-2.0
#include "text/natural/rewrite.hpp"

namespace hayakoe::text::natural {

void rewrite(Draft& draft, const English& english) {
  read_addresses(draft, english);
  read_chat(draft);
  read_bullets(draft);
  read_latin_names(draft, english);
  read_dates(draft);
  read_digit_runs(draft);
  read_versions(draft);
  read_ranges(draft);
  read_money(draft);
  read_units(draft);
  read_math(draft);
  read_latin(draft, english);
  read_numbers(draft);
  read_counters(draft);
  read_symbols(draft);
  read_marks(draft);
}

}  // namespace hayakoe::text::natural
