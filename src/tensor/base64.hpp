// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace hayakoe::tensor {

/// Decodes base64 with the standard alphabet and padding (RFC 4648 section 4), in linear time. Space, tab, CR and LF
/// are skipped wherever they stand. Throws Error, naming `name` and the position, for any other character, for missing
/// or misplaced padding and for stray bits in the last character.
[[nodiscard]] std::vector<std::byte> decode_base64(std::string_view text, std::string_view name);

}  // namespace hayakoe::tensor
