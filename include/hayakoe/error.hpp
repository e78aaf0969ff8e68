// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#if defined(__GNUC__)
#define HAYAKOE_API __attribute__((visibility("default")))
#else
#define HAYAKOE_API
#endif

namespace hayakoe {

/// The one exception type that leaves the library. `what()` is one clear sentence in UTF-8 that names the file, key,
/// line or parameter at fault and what would be right.
class HAYAKOE_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace hayakoe
