// SPDX-License-Identifier: Apache-2.0
#include "onnx/library.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "models.hpp"
#include "support/files.hpp"

namespace hayakoe {
namespace {

using test::expect_error;

// $HAYAKOE_ONNXRUNTIME for the length of a test.
class Variable {
 public:
  explicit Variable(const std::string& value) {
    if (const char* old = std::getenv(kName)) old_ = old;
    ::setenv(kName, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { old_.empty() ? ::unsetenv(kName) : ::setenv(kName, old_.c_str(), 1); }

 private:
  static constexpr const char* kName = "HAYAKOE_ONNXRUNTIME";
  std::string old_;
};

TEST(Library, SaysThatTheFileGivenIsMissing) {
  const Variable variable("/nowhere/libonnxruntime.so.1");
  expect_error([] { (void)onnx::load_library(); },
               {"HAYAKOE_ONNXRUNTIME", "/nowhere/libonnxruntime.so.1 (no such file)"});
}

TEST(Library, LooksIntoAFolderAndItsLib) {
  const test::TempFolder folder;
  const Variable variable(folder.path().string());
  expect_error([] { (void)onnx::load_library(); },
               {"HAYAKOE_ONNXRUNTIME", folder.path().string() + "/libonnxruntime.so.1 (no such file)",
                folder.path().string() + "/lib/libonnxruntime.so.1 (no such file)"});
}

TEST(Library, SaysWhyAFileCannotBeLoaded) {
  const test::TempFolder folder;
  const auto file = test::write_file(folder.path() / "libonnxruntime.so.1", "no library at all");
  const Variable variable(file.string());
  expect_error([] { (void)onnx::load_library(); }, {"HAYAKOE_ONNXRUNTIME", file.string(), "libonnxruntime.so.1"});
}

TEST(Library, AnotherLibraryIsNotTakenForOnnxRuntime) {
  const Variable variable("libc.so.6");
  expect_error([] { (void)onnx::load_library(); }, {"HAYAKOE_ONNXRUNTIME", "libc.so.6", "no such file"});
  const onnx::Library self{"some.so", nullptr};  // a null handle stands for the program and what it is linked to
  expect_error([&] { (void)self.function("OrtGetApiBase"); }, {"some.so", "is not ONNX Runtime", "OrtGetApiBase"});
}

TEST(Library, AModelCannotBeOpenedInABuildWithoutOnnxRuntime) {
  if (onnx::built_with_onnxruntime()) GTEST_SKIP() << "built with ONNX Runtime";
  expect_error([] { (void)onnx::Session(test::models("bert/bert.onnx")); },
               {"bert.onnx", "built without", "./run setup --onnxruntime"});
}

}  // namespace
}  // namespace hayakoe
