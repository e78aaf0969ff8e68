// SPDX-License-Identifier: Apache-2.0
#include "onnx/session.hpp"

#include <fmt/format.h>

#define ORT_API_MANUAL_INIT
#include <onnxruntime_cxx_api.h>

#include <hayakoe/error.hpp>
#include <optional>

#include "onnx/library.hpp"

namespace hayakoe::onnx {
namespace fs = std::filesystem;
namespace {

// What the process has of ONNX Runtime: the library and its environment, of which there can be only one.
class Runtime {
 public:
  // Loaded at the first call; after a failure the next call tries again. Never destroyed: threads of sessions may still
  // run while the process ends.
  static Runtime& get() {
    static Runtime& runtime = *new Runtime();
    return runtime;
  }
  [[nodiscard]] const Ort::Env& environment() const { return *environment_; }
  [[nodiscard]] const std::string& version() const { return version_; }

 private:
  Runtime() {
    const Library library = load_library();
    const auto entry = reinterpret_cast<const OrtApiBase*(ORT_API_CALL*)()>(library.function("OrtGetApiBase"));
    const OrtApiBase* base = entry();
    version_ = base->GetVersionString();
    const OrtApi* api = base->GetApi(ORT_API_VERSION);
    if (api == nullptr) {
      throw Error(fmt::format("{}: is ONNX Runtime {}, but hayakoe was built for 1.{} or later", library.path.string(),
                              version_, ORT_API_VERSION));
    }
    Ort::InitApi(api);
    // Whatever goes wrong is also thrown; a library has nothing to write to the terminal.
    environment_.emplace(ORT_LOGGING_LEVEL_FATAL, "hayakoe");
    environment_->DisableTelemetryEvents();
  }

  std::string version_;
  std::optional<Ort::Env> environment_;
};

ElementType element_type(ONNXTensorElementDataType type) {
  switch (type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
      return ElementType::kFloat32;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16:
      return ElementType::kFloat16;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
      return ElementType::kInt64;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
      return ElementType::kInt32;
    default:
      return ElementType::kOther;
  }
}

ValueInfo describe(std::string name, const Ort::TypeInfo& type) {
  ValueInfo info{std::move(name), ElementType::kOther, {}};
  if (type.GetONNXType() != ONNX_TYPE_TENSOR) return info;  // a sequence, a map
  const auto tensor = type.GetTensorTypeAndShapeInfo();
  info.type = element_type(tensor.GetElementType());
  info.shape = tensor.GetShape();
  return info;
}

Ort::SessionOptions ort_options(const SessionOptions& options) {
  Ort::SessionOptions ort;
  ort.SetIntraOpNumThreads(options.threads);
  // Threads that spin while they wait take the cores from every other request.
  ort.AddConfigEntry("session.intra_op.allow_spinning", "0");
  // Patterns are kept for every shape of input, and each sentence has another.
  ort.DisableMemPattern();
  if (options.optimize) {
    ort.SetExecutionMode(ORT_SEQUENTIAL);
    return ort;
  }
  ort.SetGraphOptimizationLevel(ORT_DISABLE_ALL);
  ort.AddConfigEntry("session.disable_prepacking", "1");
  // In parallel mode no plan is made of which tensors share memory. That plan looks at every pair of tensors, and is
  // nine tenths of opening a voice, which has thousands of nodes. A second inter-op thread is what makes the mode
  // parallel.
  ort.SetExecutionMode(ORT_PARALLEL);
  ort.SetInterOpNumThreads(2);
  return ort;
}

void check_file(const fs::path& file) {
  std::error_code ec;
  const auto status = fs::status(file, ec);
  if (!fs::exists(status)) throw Error(file.string() + ": there is no such file");
  if (!fs::is_regular_file(status)) throw Error(file.string() + ": is not a file; an ONNX model is wanted here");
}

int64_t elements(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t n : shape) count *= n;
  return count;
}

// ONNX Runtime's interface takes mutable data, but does not write to inputs.
Ort::Value input_value(const Ort::MemoryInfo& host, const Input& input, const fs::path& file) {
  return std::visit(
      [&](const auto& values) {
        using T = std::remove_const_t<typename std::decay_t<decltype(values)>::element_type>;
        if (elements(input.shape) != static_cast<int64_t>(values.size())) {
          throw Error(fmt::format("{}: input '{}' got {} values for a shape of {}", file.string(), input.name,
                                  values.size(), elements(input.shape)));
        }
        return Ort::Value::CreateTensor<T>(host, const_cast<T*>(values.data()), values.size(), input.shape.data(),
                                           input.shape.size());
      },
      input.values);
}

template <typename To, typename From>
std::vector<To> copy(const Ort::Value& value, size_t count) {
  const From* first = value.GetTensorData<From>();
  return {first, first + count};
}

Output output_of(const Ort::Value& value, const std::string& name, const fs::path& file) {
  const auto info = value.GetTensorTypeAndShapeInfo();
  const size_t count = info.GetElementCount();
  Output output{info.GetShape(), {}};
  switch (element_type(info.GetElementType())) {
    case ElementType::kFloat32:
      output.values = copy<float, float>(value, count);
      return output;
    case ElementType::kInt64:
      output.values = copy<int64_t, int64_t>(value, count);
      return output;
    case ElementType::kInt32:
      output.values = copy<int64_t, int32_t>(value, count);
      return output;
    default:
      throw Error(fmt::format("{}: output '{}' is neither float32 nor an integer", file.string(), name));
  }
}

}  // namespace

struct Session::State {
  fs::path path;
  mutable Ort::Session session;  // its Run is safe for threads, but not const
  std::vector<ValueInfo> inputs, outputs;
  std::map<std::string, std::string> metadata;

  State(const fs::path& file, const Runtime& runtime, const SessionOptions& options)
      : path(file), session(runtime.environment(), file.c_str(), ort_options(options)) {
    Ort::AllocatorWithDefaultOptions allocator;
    for (size_t i = 0; i < session.GetInputCount(); ++i)
      inputs.push_back(describe(session.GetInputNameAllocated(i, allocator).get(), session.GetInputTypeInfo(i)));
    for (size_t i = 0; i < session.GetOutputCount(); ++i)
      outputs.push_back(describe(session.GetOutputNameAllocated(i, allocator).get(), session.GetOutputTypeInfo(i)));
    const Ort::ModelMetadata model = session.GetModelMetadata();
    for (const auto& key : model.GetCustomMetadataMapKeysAllocated(allocator)) {
      const auto value = model.LookupCustomMetadataMapAllocated(key.get(), allocator);
      metadata.emplace(key.get(), value ? value.get() : "");
    }
  }

  [[nodiscard]] std::vector<Output> run(std::span<const Input> given, std::span<const std::string> wanted) const {
    const auto host = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
    std::vector<Ort::Value> values;
    std::vector<const char*> input_names;
    std::vector<const char*> output_names;
    for (const Input& input : given) {
      values.push_back(input_value(host, input, path));
      input_names.push_back(input.name.c_str());
    }
    for (const std::string& name : wanted) output_names.push_back(name.c_str());
    const std::vector<Ort::Value> results = session.Run(Ort::RunOptions{nullptr}, input_names.data(), values.data(),
                                                        values.size(), output_names.data(), output_names.size());
    std::vector<Output> out;
    out.reserve(results.size());
    for (size_t i = 0; i < results.size(); ++i) out.push_back(output_of(results[i], wanted[i], path));
    return out;
  }
};

bool built_with_onnxruntime() { return true; }

std::string onnxruntime_version() { return Runtime::get().version(); }

Session::Session(const fs::path& file, const SessionOptions& options) {
  check_file(file);
  try {
    const Runtime& runtime = Runtime::get();  // before anything else of Ort's, which would call a null pointer
    state_ = std::make_unique<State>(file, runtime, options);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw Error(fmt::format("{}: ONNX Runtime cannot open it: {}", file.string(), e.what()));
  }
}

Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

const fs::path& Session::path() const { return state_->path; }
const std::vector<ValueInfo>& Session::inputs() const { return state_->inputs; }
const std::vector<ValueInfo>& Session::outputs() const { return state_->outputs; }
const std::map<std::string, std::string>& Session::metadata() const { return state_->metadata; }

std::vector<Output> Session::run(std::span<const Input> inputs, std::span<const std::string> outputs) const {
  try {
    return state_->run(inputs, outputs);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw Error(fmt::format("{}: ONNX Runtime cannot run it: {}", path().string(), e.what()));
  }
}

}  // namespace hayakoe::onnx
