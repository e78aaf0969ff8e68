// SPDX-License-Identifier: Apache-2.0
#include "text/natural/draft.hpp"

#include "text/unicode.hpp"

namespace hayakoe::text::natural {

std::u32string Draft::give(Given given) {
  constexpr std::size_t kMost = kLastGiven - kFirstGiven + 1;
  if (given_.size() == kMost) return to_u32(given.reading);
  given_.push_back(std::move(given));
  return std::u32string(1, kFirstGiven + static_cast<char32_t>(given_.size() - 1));
}

void Draft::warn(std::string message) {
  if (warnings_ != nullptr) warnings_->push_back(std::move(message));
}

Draft make_draft(std::string_view utf8, std::vector<std::string>* warnings) {
  std::u32string characters = to_u32(utf8);
  std::erase_if(characters, is_ours);
  return Draft(std::move(characters), warnings);
}

}  // namespace hayakoe::text::natural
