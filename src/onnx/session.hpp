// SPDX-License-Identifier: Apache-2.0
// One ONNX model, opened in ONNX Runtime: what goes in, what comes out, and running it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

/// A tensor of floats that goes from one run to another in the memory where it is, a GPU's or the host's. What is in it
/// cannot be seen. Immutable, and cheap to copy.
class DeviceTensor {
 public:
  DeviceTensor() = default;
  /// Values of the host, row-major, as many as `shape` says. @throws Error if ONNX Runtime cannot be loaded
  DeviceTensor(std::vector<float> values, std::vector<int64_t> shape);

  [[nodiscard]] bool empty() const { return state_ == nullptr; }
  /// Of one that is not empty.
  [[nodiscard]] const std::vector<int64_t>& shape() const;
  /// The NVIDIA GPU that it is on; nothing for the host.
  [[nodiscard]] std::optional<int> cuda() const;

 private:
  friend class Session;
  struct State;
  std::shared_ptr<const State> state_;
};

/// A tensor for an input. Values of the host must live until the run is over; a DeviceTensor has its own shape.
struct Input {
  std::string name;
  std::vector<int64_t> shape;
  std::variant<std::span<const float>, std::span<const int64_t>, DeviceTensor> values;
};

/// A tensor that came out to the host, row-major.
struct Output {
  std::vector<int64_t> shape;
  std::variant<std::vector<float>, std::vector<int64_t>> values;
};

struct SessionOptions {
  int threads = 1;  ///< that one operation may use, the caller's among them; 0: as many as ONNX Runtime thinks right
  /// False: the file is opened in a tenth of the time, to look at it, and runs at half the speed.
  bool optimize = true;
  /// The NVIDIA GPU that runs it; nothing: the CPU. See why_not_on_cuda().
  std::optional<int> cuda = std::nullopt;
};

/// True if hayakoe was built with ONNX Runtime's headers; without, every Session throws.
[[nodiscard]] bool built_with_onnxruntime();

/// The version of the library, "1.30.0", which is loaded by this if it is not yet. @throws Error as load_library()
[[nodiscard]] std::string onnxruntime_version();
/// The library's file. @throws Error likewise
[[nodiscard]] std::filesystem::path onnxruntime_file();
/// True if the library says that it can use CUDA; whether that works here is another question. @throws Error likewise
[[nodiscard]] bool onnxruntime_has_cuda();

/// Immutable: any number of threads may run it at once.
class Session {
 public:
  /// Opens a file. Weights in external files are memory-mapped; those inside the .onnx file are copied by
  /// ONNX Runtime, which has no other way. @throws Error naming the file
  explicit Session(const std::filesystem::path& file, const SessionOptions& options = {});
  /// Opens a model in memory, which errors call `name`. @throws Error
  Session(const std::string& name, std::string_view model, const SessionOptions& options);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  [[nodiscard]] const std::filesystem::path& path() const;
  [[nodiscard]] const std::vector<ValueInfo>& inputs() const;
  [[nodiscard]] const std::vector<ValueInfo>& outputs() const;
  /// The strings that the file carries beside the graph.
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const;

  /// Runs the model; the result has one tensor for each name of `outputs`, brought to the host. @throws Error naming
  /// the file, for inputs that the model refuses and for outputs that are neither floats nor integers
  [[nodiscard]] std::vector<Output> run(std::span<const Input> inputs, std::span<const std::string> outputs) const;
  /// Runs it and leaves one output, of floats, where it was made. @throws Error likewise
  [[nodiscard]] DeviceTensor run_on_device(std::span<const Input> inputs, const std::string& output) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hayakoe::onnx
