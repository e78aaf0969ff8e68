// SPDX-License-Identifier: Apache-2.0
#include "onnx/runtime.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <hayakoe/error.hpp>
#include <memory>

#include "onnx/library.hpp"

namespace hayakoe::onnx {
namespace {

void add_cuda(Ort::SessionOptions& ort, int device) {
  const OrtApi& api = Ort::GetApi();
  OrtCUDAProviderOptionsV2* made = nullptr;
  Ort::ThrowOnError(api.CreateCUDAProviderOptions(&made));
  const std::unique_ptr<OrtCUDAProviderOptionsV2, decltype(api.ReleaseCUDAProviderOptions)> options(
      made, api.ReleaseCUDAProviderOptions);
  const std::string id = std::to_string(device);
  // Every sentence has another length: a search for the fastest convolution would start again with each, and memory
  // taken in powers of two would be kept for the longest.
  constexpr std::array<const char*, 3> kKeys{"device_id", "cudnn_conv_algo_search", "arena_extend_strategy"};
  const std::array<const char*, 3> values{id.c_str(), "HEURISTIC", "kSameAsRequested"};
  Ort::ThrowOnError(api.UpdateCUDAProviderOptions(options.get(), kKeys.data(), values.data(), kKeys.size()));
  ort.AppendExecutionProvider_CUDA_V2(*options);
}

}  // namespace

const Runtime& Runtime::get() {
  static const Runtime& runtime = *new Runtime();
  return runtime;
}

Runtime::Runtime() {
  const Library library = load_library();
  const auto entry = reinterpret_cast<const OrtApiBase*(ORT_API_CALL*)()>(library.function("OrtGetApiBase"));
  Dl_info info;
  path_ = dladdr(reinterpret_cast<const void*>(entry), &info) != 0 ? info.dli_fname : library.path;
  const OrtApiBase* base = entry();
  version_ = base->GetVersionString();
  const OrtApi* api = base->GetApi(ORT_API_VERSION);
  if (api == nullptr) {
    throw Error(fmt::format("{}: is ONNX Runtime {}, but hayakoe was built for 1.{} or later", path_.string(), version_,
                            ORT_API_VERSION));
  }
  Ort::InitApi(api);
  // Whatever goes wrong is also thrown; a library has nothing to write to the terminal.
  environment_.emplace(ORT_LOGGING_LEVEL_FATAL, "hayakoe");
  environment_->DisableTelemetryEvents();
}

Ort::SessionOptions ort_options(const SessionOptions& options) {
  Ort::SessionOptions ort;
  ort.SetIntraOpNumThreads(options.threads);
  // Threads that spin while they wait take the cores from every other request.
  ort.AddConfigEntry("session.intra_op.allow_spinning", "0");
  // Patterns are kept for every shape of input, and each sentence has another.
  ort.DisableMemPattern();
  if (options.cuda) add_cuda(ort, *options.cuda);
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

bool built_with_onnxruntime() { return true; }

std::string onnxruntime_version() { return Runtime::get().version(); }

std::filesystem::path onnxruntime_file() { return Runtime::get().path(); }

bool onnxruntime_has_cuda() {
  (void)Runtime::get();
  const std::vector<std::string> providers = Ort::GetAvailableProviders();
  return std::find(providers.begin(), providers.end(), "CUDAExecutionProvider") != providers.end();
}

}  // namespace hayakoe::onnx
