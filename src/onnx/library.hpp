// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime's shared library, found and loaded while the program runs: who never opens an ONNX model needs none.
#pragma once

#include <filesystem>

namespace hayakoe::onnx {

/// A library that stays loaded until the process ends: ONNX Runtime cannot be unloaded safely.
struct Library {
  std::filesystem::path path;  ///< as it was given to the system's loader
  void* handle = nullptr;

  /// The address of a function. @throws Error naming the library
  [[nodiscard]] void* function(const char* name) const;
};

/// Loads ONNX Runtime from the first of: $HAYAKOE_ONNXRUNTIME (the file, or a folder that has it or its lib/; nothing
/// else is tried when it is set), where it was when hayakoe was built, the program's folder, the system's loader.
/// @throws Error that says where it was looked for and how to get it
[[nodiscard]] Library load_library();

}  // namespace hayakoe::onnx
