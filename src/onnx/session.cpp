// SPDX-License-Identifier: Apache-2.0
#include "onnx/session.hpp"

#include <fmt/format.h>

#include <hayakoe/error.hpp>
#include <utility>

#include "onnx/runtime.hpp"

namespace hayakoe::onnx {
namespace fs = std::filesystem;
namespace {

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

void check_file(const fs::path& file) {
  std::error_code ec;
  const auto status = fs::status(file, ec);
  if (!fs::exists(status)) throw Error(file.string() + ": there is no such file");
  if (!fs::is_regular_file(status)) throw Error(file.string() + ": is not a file; an ONNX model is wanted here");
}

Ort::MemoryInfo host_memory() { return Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault); }

// Where a session that runs on `cuda` makes its tensors.
Ort::MemoryInfo memory_of(std::optional<int> cuda) {
  return cuda ? Ort::MemoryInfo("Cuda", OrtDeviceAllocator, *cuda, OrtMemTypeDefault) : host_memory();
}

int64_t elements(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t n : shape) count *= n;
  return count;
}

// ONNX Runtime's interface takes mutable data, but does not write to inputs.
template <typename T>
Ort::Value host_value(std::span<const T> values, const std::vector<int64_t>& shape) {
  return Ort::Value::CreateTensor<T>(host_memory(), const_cast<T*>(values.data()), values.size(), shape.data(),
                                     shape.size());
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

struct DeviceTensor::State {
  std::vector<float> host;  // what `value` points to, unless ONNX Runtime made it
  std::vector<int64_t> shape;
  Ort::Value value{nullptr};
  std::optional<int> cuda;
};

DeviceTensor::DeviceTensor(std::vector<float> values, std::vector<int64_t> shape) {
  if (elements(shape) != static_cast<int64_t>(values.size()))
    throw Error(fmt::format("a tensor got {} values for a shape of {}", values.size(), elements(shape)));
  (void)Runtime::get();
  auto state = std::make_shared<State>();
  state->host = std::move(values);
  state->shape = std::move(shape);
  state->value = host_value(std::span<const float>(state->host), state->shape);
  state_ = std::move(state);
}

const std::vector<int64_t>& DeviceTensor::shape() const { return state_->shape; }
std::optional<int> DeviceTensor::cuda() const { return state_ ? state_->cuda : std::nullopt; }

struct Session::State {
  fs::path path;
  std::optional<int> cuda;
  mutable Ort::Session session;  // its Run is safe for threads, but not const
  std::vector<ValueInfo> inputs, outputs;
  std::map<std::string, std::string> metadata;

  State(fs::path name, const SessionOptions& options, Ort::Session opened)
      : path(std::move(name)), cuda(options.cuda), session(std::move(opened)) {
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

  // `open` makes the Ort::Session.
  template <typename Open>
  static std::unique_ptr<State> opened(const fs::path& name, const SessionOptions& options, const Open& open) {
    try {
      const Runtime& runtime = Runtime::get();  // before anything else of Ort's, which would call a null pointer
      return std::make_unique<State>(name, options, open(runtime.environment(), ort_options(options)));
    } catch (const Error&) {
      throw;
    } catch (const std::exception& e) {
      throw Error(fmt::format("{}: ONNX Runtime cannot open it: {}", name.string(), e.what()));
    }
  }

  void bind(Ort::IoBinding& binding, const Input& input) const {
    const char* name = input.name.c_str();
    if (const auto* tensor = std::get_if<DeviceTensor>(&input.values)) {
      if (tensor->empty()) throw Error(fmt::format("{}: input '{}' got no tensor", path.string(), input.name));
      return binding.BindInput(name, tensor->state_->value);
    }
    const auto bind_values = [&](const auto& values) {
      if (elements(input.shape) != static_cast<int64_t>(values.size())) {
        throw Error(fmt::format("{}: input '{}' got {} values for a shape of {}", path.string(), input.name,
                                values.size(), elements(input.shape)));
      }
      binding.BindInput(name, host_value(values, input.shape));
    };
    if (const auto* floats = std::get_if<std::span<const float>>(&input.values)) {
      bind_values(*floats);
    } else {
      bind_values(std::get<std::span<const int64_t>>(input.values));
    }
  }

  // The outputs, in `memory`.
  [[nodiscard]] std::vector<Ort::Value> run(std::span<const Input> given, std::span<const std::string> wanted,
                                            const Ort::MemoryInfo& memory) const {
    Ort::IoBinding binding(session);
    for (const Input& input : given) bind(binding, input);
    for (const std::string& name : wanted) binding.BindOutput(name.c_str(), memory);
    binding.SynchronizeInputs();
    session.Run(Ort::RunOptions{nullptr}, binding);
    binding.SynchronizeOutputs();
    return binding.GetOutputValues();
  }

  // What `run` does, its errors told in hayakoe's way.
  template <typename Run>
  auto attempt(const Run& run) const {
    try {
      return run();
    } catch (const Error&) {
      throw;
    } catch (const std::exception& e) {
      throw Error(fmt::format("{}: ONNX Runtime cannot run it: {}", path.string(), e.what()));
    }
  }
};

Session::Session(const fs::path& file, const SessionOptions& options) {
  check_file(file);
  state_ = State::opened(file, options, [&](const Ort::Env& environment, const Ort::SessionOptions& ort) {
    return Ort::Session(environment, file.c_str(), ort);
  });
}

Session::Session(const std::string& name, std::string_view model, const SessionOptions& options)
    : state_(State::opened(name, options, [&](const Ort::Env& environment, const Ort::SessionOptions& ort) {
        return Ort::Session(environment, model.data(), model.size(), ort);
      })) {}

Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

const fs::path& Session::path() const { return state_->path; }
const std::vector<ValueInfo>& Session::inputs() const { return state_->inputs; }
const std::vector<ValueInfo>& Session::outputs() const { return state_->outputs; }
const std::map<std::string, std::string>& Session::metadata() const { return state_->metadata; }

std::vector<Output> Session::run(std::span<const Input> inputs, std::span<const std::string> outputs) const {
  return state_->attempt([&] {
    const std::vector<Ort::Value> values = state_->run(inputs, outputs, host_memory());
    std::vector<Output> out;
    out.reserve(values.size());
    for (size_t i = 0; i < values.size(); ++i) out.push_back(output_of(values[i], outputs[i], path()));
    return out;
  });
}

DeviceTensor Session::run_on_device(std::span<const Input> inputs, const std::string& output) const {
  return state_->attempt([&] {
    auto state = std::make_shared<DeviceTensor::State>();
    state->cuda = state_->cuda;
    state->value = std::move(state_->run(inputs, {&output, 1}, memory_of(state_->cuda)).front());
    state->shape = state->value.GetTensorTypeAndShapeInfo().GetShape();
    DeviceTensor tensor;
    tensor.state_ = std::move(state);
    return tensor;
  });
}

}  // namespace hayakoe::onnx
