// SPDX-License-Identifier: Apache-2.0
// Kernel launches: the arguments are copied when the kernel is queued, and the kernel is called with those copies once
// for each thread.
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda_on_cpu/runtime_api.hpp"

namespace cuda_on_cpu {

/// A queued kernel: `call` runs one thread of it.
struct Launch {
  const void* kernel = nullptr;
  dim3 grid, block;
  size_t shared_bytes = 0;
  std::shared_ptr<const void> arguments;
  void (*call)(const void* kernel, const void* arguments) = nullptr;
  /// The parts of the arguments that may hold a pointer, in words: what to check for pointers to host memory.
  std::vector<uint64_t> words;
};

cudaError_t enqueue(Launch&& launch, cudaStream_t stream);
/// The answer to a launch with attributes.
cudaError_t unsupported_launch();

/// The words of an argument, its padding cleared. Only aligned ones: pointers are.
template <typename T>
void append_words(std::vector<uint64_t>& words, T value) {
#if __has_builtin(__builtin_clear_padding)
  constexpr bool kClean = true;
#else
  constexpr bool kClean = std::is_pointer_v<T> || std::has_unique_object_representations_v<T>;
#endif
  if constexpr (sizeof(T) >= sizeof(uint64_t) && kClean) {
#if __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&value);
#endif
    const size_t count = sizeof(T) / sizeof(uint64_t);
    const size_t begin = words.size();
    words.resize(begin + count);
    __builtin_memcpy(&words[begin], &value, count * sizeof(uint64_t));
  }
}

}  // namespace cuda_on_cpu

template <typename... Expected, typename... Actual>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Expected...), Actual&&... args) {
  if (config->numAttrs != 0) return cuda_on_cpu::unsupported_launch();
  static_assert((std::is_trivially_copyable_v<Expected> && ...), "kernel arguments are copied bit by bit");
  static_assert((sizeof(Expected) + ... + 0) <= 4096, "a kernel takes 4 KB of arguments at most");
  using Arguments = std::tuple<Expected...>;
  auto arguments = std::make_shared<const Arguments>(std::forward<Actual>(args)...);
  cuda_on_cpu::Launch launch{reinterpret_cast<const void*>(kernel),
                             config->gridDim,
                             config->blockDim,
                             config->dynamicSmemBytes,
                             arguments,
                             [](const void* k, const void* a) {
                               std::apply(reinterpret_cast<void (*)(Expected...)>(const_cast<void*>(k)),
                                          *static_cast<const Arguments*>(a));
                             },
                             {}};
  std::apply([&](const auto&... values) { (cuda_on_cpu::append_words(launch.words, values), ...); }, *arguments);
  return cuda_on_cpu::enqueue(std::move(launch), config->stream);
}
