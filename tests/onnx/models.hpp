// SPDX-License-Identifier: Apache-2.0
// The tiny ONNX models, and tests that are skipped where ONNX Runtime is not found.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <hayakoe/error.hpp>
#include <string>

#include "onnx/library.hpp"
#include "onnx/session.hpp"

namespace hayakoe::test {

inline std::filesystem::path models(const std::string& name) {
  return std::filesystem::path(HAYAKOE_ONNX_MODELS) / name;
}

/// Why no model can be opened here; empty if it can.
inline std::string why_no_onnxruntime() {
  if (!onnx::built_with_onnxruntime()) return "hayakoe was built without it";
  try {
    (void)onnx::load_library();
    return {};
  } catch (const Error& e) {
    return e.what();
  }
}

/// A test that needs ONNX Runtime.
class WithOnnxRuntime : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_onnxruntime(); !why.empty()) GTEST_SKIP() << "ONNX Runtime: " << why;
  }
};

}  // namespace hayakoe::test
