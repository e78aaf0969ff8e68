// SPDX-License-Identifier: Apache-2.0
// One ONNX file, opened in ONNX Runtime: what goes in, what comes out, and running it with tensors of the host.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace hayakoe::onnx {

/// The types of elements that speech models have; anything else is kOther.
enum class ElementType { kFloat32, kFloat16, kInt64, kInt32, kOther };
const char* to_string(ElementType type);

/// An input or output as the file declares it.
struct ValueInfo {
  std::string name;
  ElementType type = ElementType::kOther;
  std::vector<int64_t> shape;  ///< -1 where the file leaves a size open; empty for a scalar
};

/// A tensor for an input; the values must live until `run` returns.
struct Input {
  std::string name;
  std::vector<int64_t> shape;
  std::variant<std::span<const float>, std::span<const int64_t>> values;
};

/// A tensor that came out, row-major.
struct Output {
  std::vector<int64_t> shape;
  std::variant<std::vector<float>, std::vector<int64_t>> values;
};

struct SessionOptions {
  int threads = 1;  ///< that one operation may use, the caller's among them; 0: as many as ONNX Runtime thinks right
  /// False: the file is opened in a tenth of the time, to look at it, and runs at half the speed.
  bool optimize = true;
};

/// True if hayakoe was built with ONNX Runtime's headers; without, every Session throws.
[[nodiscard]] bool built_with_onnxruntime();

/// The version of the library, "1.30.0", which is loaded by this if it is not yet. @throws Error as load_library()
[[nodiscard]] std::string onnxruntime_version();

/// Immutable: any number of threads may run it at once.
class Session {
 public:
  /// Opens a file for the CPU. Weights in external files are memory-mapped; those inside the .onnx file are copied by
  /// ONNX Runtime, which has no other way. @throws Error naming the file
  explicit Session(const std::filesystem::path& file, const SessionOptions& options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  [[nodiscard]] const std::filesystem::path& path() const;
  [[nodiscard]] const std::vector<ValueInfo>& inputs() const;
  [[nodiscard]] const std::vector<ValueInfo>& outputs() const;
  /// The strings that the file carries beside the graph.
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const;

  /// Runs the model; the result has one tensor for each name of `outputs`. @throws Error naming the file, for inputs
  /// that the model refuses and for outputs that are neither floats nor integers
  [[nodiscard]] std::vector<Output> run(std::span<const Input> inputs, std::span<const std::string> outputs) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hayakoe::onnx
