// SPDX-License-Identifier: Apache-2.0
#include "runtime_with_cuda.hpp"

#include <onnxruntime_c_api.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace {

using hayakoe::test::SeenByRuntime;

// All that is known of the objects that the caller has.
struct Known {
  std::mutex mutex;
  SeenByRuntime seen;
  std::set<const void*> of_gpu;  // session options, sessions, bindings, memory infos and values
  std::map<const OrtIoBinding*, std::vector<std::string>> left_on_gpu;
};

Known& known() {
  static auto& instance = *new Known;
  return instance;
}

bool is_of_gpu(const void* object) {
  const std::lock_guard lock(known().mutex);
  return known().of_gpu.contains(object);
}

void set_of_gpu(const void* object) {
  const std::lock_guard lock(known().mutex);
  known().of_gpu.insert(object);
}

void forget(const void* object) {
  const std::lock_guard lock(known().mutex);
  known().of_gpu.erase(object);
}

void note(std::vector<std::string> SeenByRuntime::*list, const char* name) {
  const std::lock_guard lock(known().mutex);
  (known().seen.*list).emplace_back(name);
}

bool matter_is(std::string_view what) {
  const char* matter = std::getenv("HAYAKOE_STANDIN_CUDA");
  return matter != nullptr && matter == what;
}

const OrtApiBase& real_base() {
  static const OrtApiBase& base = []() -> const OrtApiBase& {
    void* library = ::dlopen(HAYAKOE_REAL_ONNXRUNTIME, RTLD_NOW | RTLD_LOCAL);
    void* entry = library == nullptr ? nullptr : ::dlsym(library, "OrtGetApiBase");
    if (entry == nullptr) {
      std::fprintf(stderr, "the real ONNX Runtime: %s\n", ::dlerror());
      std::abort();
    }
    return *reinterpret_cast<const OrtApiBase* (*)()>(entry)();
  }();
  return base;
}

const OrtApi& real() {
  static const OrtApi& api = *real_base().GetApi(ORT_API_VERSION);
  return api;
}

OrtStatus* fail(const char* message) { return real().CreateStatus(ORT_FAIL, message); }

// OrtCUDAProviderOptionsV2 is never defined for callers.
using ProviderOptions = std::string;
ProviderOptions* options_of(OrtCUDAProviderOptionsV2* o) { return reinterpret_cast<ProviderOptions*>(o); }

OrtStatus* get_available_providers(char*** out, int* count) noexcept {
  static char cpu[] = "CPUExecutionProvider";
  static char cuda[] = "CUDAExecutionProvider";
  static char* names[] = {cpu, cuda};
  *out = names;
  *count = matter_is("absent") ? 1 : 2;
  return nullptr;
}
OrtStatus* release_available_providers(char**, int) noexcept { return nullptr; }

OrtStatus* create_provider_options(OrtCUDAProviderOptionsV2** out) noexcept {
  *out = reinterpret_cast<OrtCUDAProviderOptionsV2*>(std::make_unique<ProviderOptions>().release());
  return nullptr;
}
OrtStatus* update_provider_options(OrtCUDAProviderOptionsV2* options, const char* const* keys,
                                   const char* const* values, size_t count) noexcept {
  for (size_t i = 0; i < count; ++i) *options_of(options) += std::string(keys[i]) + "=" + values[i] + " ";
  return nullptr;
}
void release_provider_options(OrtCUDAProviderOptionsV2* options) noexcept { delete options_of(options); }

OrtStatus* append_provider(OrtSessionOptions* session, const OrtCUDAProviderOptionsV2* options) noexcept {
  if (matter_is("absent") || matter_is("no-library")) return fail("Failed to load shared library");
  note(&SeenByRuntime::providers, reinterpret_cast<const ProviderOptions*>(options)->c_str());
  set_of_gpu(session);
  return nullptr;
}

// Sessions run where their options say.
OrtStatus* of_options(const OrtSessionOptions* options, OrtSession* const* session, OrtStatus* status) {
  if (status == nullptr && is_of_gpu(options)) set_of_gpu(*session);
  return status;
}
OrtStatus* create_session(const OrtEnv* env, const ORTCHAR_T* path, const OrtSessionOptions* options,
                          OrtSession** out) noexcept {
  if (matter_is("no-driver") && is_of_gpu(options)) return fail("CUDA failure 35: CUDA driver version is insufficient");
  return of_options(options, out, real().CreateSession(env, path, options, out));
}
OrtStatus* create_session_from_array(const OrtEnv* env, const void* data, size_t size, const OrtSessionOptions* options,
                                     OrtSession** out) noexcept {
  if (matter_is("no-driver") && is_of_gpu(options)) return fail("CUDA failure 35: CUDA driver version is insufficient");
  return of_options(options, out, real().CreateSessionFromArray(env, data, size, options, out));
}

OrtStatus* create_memory_info(const char* name, OrtAllocatorType type, int id, OrtMemType kind,
                              OrtMemoryInfo** out) noexcept {
  if (std::strcmp(name, "Cuda") != 0) return real().CreateMemoryInfo(name, type, id, kind, out);
  OrtStatus* status = real().CreateCpuMemoryInfo(type, kind, out);
  if (status == nullptr) set_of_gpu(*out);
  return status;
}

OrtStatus* create_io_binding(OrtSession* session, OrtIoBinding** out) noexcept {
  OrtStatus* status = real().CreateIoBinding(session, out);
  if (status == nullptr && is_of_gpu(session)) set_of_gpu(*out);
  return status;
}

OrtStatus* bind_input(OrtIoBinding* binding, const char* name, const OrtValue* value) noexcept {
  if (is_of_gpu(value)) {
    if (!is_of_gpu(binding)) return fail("a session of the CPU gets memory of the GPU");
    note(&SeenByRuntime::from_gpu, name);
  }
  return real().BindInput(binding, name, value);
}

OrtStatus* bind_output(OrtIoBinding* binding, const char* name, const OrtMemoryInfo* memory) noexcept {
  const bool gpu = is_of_gpu(memory);
  if (gpu && !is_of_gpu(binding)) return fail("a session of the CPU has no memory of the GPU");
  if (gpu) {
    const std::lock_guard lock(known().mutex);
    known().left_on_gpu[binding].emplace_back(name);
  }
  if (is_of_gpu(binding)) note(gpu ? &SeenByRuntime::left_on_gpu : &SeenByRuntime::to_host, name);
  return real().BindOutputToDevice(binding, name, memory);
}

// Outputs of one binding are all in one memory, as hayakoe binds them.
OrtStatus* get_bound_outputs(const OrtIoBinding* binding, OrtAllocator* allocator, OrtValue*** values,
                             size_t* count) noexcept {
  OrtStatus* status = real().GetBoundOutputValues(binding, allocator, values, count);
  if (status != nullptr) return status;
  const std::lock_guard lock(known().mutex);
  if (known().left_on_gpu.contains(binding)) known().of_gpu.insert(*values, *values + *count);
  return nullptr;
}

OrtStatus* get_tensor_data(OrtValue* value, void** out) noexcept {
  if (is_of_gpu(value)) return fail("the host looks at memory of the GPU");
  return real().GetTensorMutableData(value, out);
}

void release_session_options(OrtSessionOptions* options) noexcept {
  forget(options);
  real().ReleaseSessionOptions(options);
}
void release_session(OrtSession* session) noexcept {
  forget(session);
  real().ReleaseSession(session);
}
void release_memory_info(OrtMemoryInfo* memory) noexcept {
  forget(memory);
  real().ReleaseMemoryInfo(memory);
}
void release_value(OrtValue* value) noexcept {
  forget(value);
  real().ReleaseValue(value);
}
void release_io_binding(OrtIoBinding* binding) noexcept {
  forget(binding);
  {
    const std::lock_guard lock(known().mutex);
    known().left_on_gpu.erase(binding);
  }
  real().ReleaseIoBinding(binding);
}

const OrtApi* get_api(uint32_t version) noexcept {
  static const OrtApi api = [] {
    OrtApi a = real();
    a.GetAvailableProviders = get_available_providers;
    a.ReleaseAvailableProviders = release_available_providers;
    a.CreateCUDAProviderOptions = create_provider_options;
    a.UpdateCUDAProviderOptions = update_provider_options;
    a.ReleaseCUDAProviderOptions = release_provider_options;
    a.SessionOptionsAppendExecutionProvider_CUDA_V2 = append_provider;
    a.CreateSession = create_session;
    a.CreateSessionFromArray = create_session_from_array;
    a.CreateMemoryInfo = create_memory_info;
    a.CreateIoBinding = create_io_binding;
    a.BindInput = bind_input;
    a.BindOutputToDevice = bind_output;
    a.GetBoundOutputValues = get_bound_outputs;
    a.GetTensorMutableData = get_tensor_data;
    a.ReleaseSessionOptions = release_session_options;
    a.ReleaseSession = release_session;
    a.ReleaseMemoryInfo = release_memory_info;
    a.ReleaseValue = release_value;
    a.ReleaseIoBinding = release_io_binding;
    return a;
  }();
  return version == ORT_API_VERSION ? &api : nullptr;
}

const char* get_version() noexcept { return real_base().GetVersionString(); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const OrtApiBase* OrtGetApiBase() noexcept {
  static const OrtApiBase base{get_api, get_version};
  return &base;
}

extern "C" __attribute__((visibility("default"))) SeenByRuntime* hayakoe_seen_by_runtime() { return &known().seen; }
