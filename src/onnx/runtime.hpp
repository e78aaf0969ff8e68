// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime, loaded. For the files of this room that are built with its headers.
#pragma once

#define ORT_API_MANUAL_INIT
#include <onnxruntime_cxx_api.h>

#include <filesystem>
#include <optional>
#include <string>

#include "onnx/session.hpp"

namespace hayakoe::onnx {

/// What the process has of ONNX Runtime: the library and its environment, of which there can be only one.
class Runtime {
 public:
  /// Loaded at the first call, which must come before anything else of Ort's; after a failure the next call tries
  /// again. Never destroyed: threads of sessions may still run while the process ends. @throws Error as load_library()
  static const Runtime& get();

  [[nodiscard]] const Ort::Env& environment() const { return *environment_; }
  /// "1.30.0"
  [[nodiscard]] const std::string& version() const { return version_; }
  /// The library's file, as the system's loader found it.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  Runtime();

  std::filesystem::path path_;
  std::string version_;
  std::optional<Ort::Env> environment_;
};

/// ONNX Runtime's own form of the options. @throws Ort::Exception where it has no CUDA, or cannot use it
[[nodiscard]] Ort::SessionOptions ort_options(const SessionOptions& options);

}  // namespace hayakoe::onnx
