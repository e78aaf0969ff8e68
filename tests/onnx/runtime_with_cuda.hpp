// SPDX-License-Identifier: Apache-2.0
// A stand-in for a CUDA build of ONNX Runtime: the real library, which computes on the CPU, behind an interface that
// says it had CUDA. It is a library of its own, to be named by $HAYAKOE_ONNXRUNTIME.
//
// Memory of the "GPU" is the host's, but who looks at it gets an error, and so does a session of the CPU that is given
// it: what would be a copy to the host with CUDA does not get by unseen.
//
// $HAYAKOE_STANDIN_CUDA says what is the matter with CUDA: nothing (empty), "absent" (it is a build without),
// "no-library" (the provider cannot be loaded) or "no-driver" (sessions cannot be opened).
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace hayakoe::test {

/// What the stand-in has seen in this process.
struct SeenByRuntime {
  std::vector<std::string> providers;    ///< "device_id=0 …", for each session's options that want CUDA
  std::vector<std::string> left_on_gpu;  ///< outputs that sessions of the GPU have left there, run by run
  std::vector<std::string> to_host;      ///< outputs that they have brought to the host
  std::vector<std::string> from_gpu;     ///< inputs that were on the GPU
};

/// The stand-in's record, which it exports as hayakoe_seen_by_runtime; null if $HAYAKOE_ONNXRUNTIME is another library.
inline SeenByRuntime* seen_by_runtime() {
  const char* file = std::getenv("HAYAKOE_ONNXRUNTIME");
  void* library = file == nullptr ? nullptr : ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  void* seen = library == nullptr ? nullptr : ::dlsym(library, "hayakoe_seen_by_runtime");
  return seen == nullptr ? nullptr : reinterpret_cast<SeenByRuntime* (*)()>(seen)();
}

}  // namespace hayakoe::test
