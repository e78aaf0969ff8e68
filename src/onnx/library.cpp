// SPDX-License-Identifier: Apache-2.0
#include "onnx/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <hayakoe/error.hpp>
#include <string>
#include <vector>

namespace hayakoe::onnx {
namespace fs = std::filesystem;
namespace {

// The soname first: a development package's plain .so is a link to it.
constexpr const char* kNames[] = {"libonnxruntime.so.1", "libonnxruntime.so"};

std::vector<fs::path> in_folder(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const char* name : kNames) paths.push_back(folder / name);
  return paths;
}

std::vector<fs::path> given_by_user(const fs::path& given) {
  std::error_code ec;
  if (!fs::is_directory(given, ec)) return {given};
  std::vector<fs::path> paths = in_folder(given);
  for (const fs::path& path : in_folder(given / "lib")) paths.push_back(path);
  return paths;
}

std::vector<fs::path> usual_places() {
  std::vector<fs::path> paths;
#ifdef HAYAKOE_ONNXRUNTIME_LIBRARY
  paths.emplace_back(HAYAKOE_ONNXRUNTIME_LIBRARY);
#endif
  std::error_code ec;
  const fs::path program = fs::read_symlink("/proc/self/exe", ec);
  if (!ec) {
    for (const fs::path& path : in_folder(program.parent_path())) paths.push_back(path);
  }
  for (const char* name : kNames) paths.emplace_back(name);  // no folder: the system's loader searches
  return paths;
}

}  // namespace

void* Library::function(const char* name) const {
  void* address = ::dlsym(handle, name);
  if (address == nullptr) throw Error(fmt::format("{}: is not ONNX Runtime: it has no {}", path.string(), name));
  return address;
}

Library load_library() {
  const char* given = std::getenv("HAYAKOE_ONNXRUNTIME");
  const bool by_user = given != nullptr && *given != '\0';
  std::string tried;
  for (const fs::path& path : by_user ? given_by_user(given) : usual_places()) {
    std::error_code ec;
    const bool left_to_loader = !path.has_parent_path() && !by_user;
    if (!left_to_loader && !fs::exists(path, ec)) {
      tried += fmt::format("{}{} (no such file)", tried.empty() ? "" : ", ", path.string());
      continue;
    }
    // dlopen searches the system for a name without a slash.
    const fs::path file = left_to_loader ? path : fs::absolute(path, ec);
    if (void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return {file, handle};
    tried += fmt::format("{}{}", tried.empty() ? "" : ", ", ::dlerror());
  }
  if (by_user) {
    throw Error(
        fmt::format("HAYAKOE_ONNXRUNTIME is '{}', but ONNX Runtime cannot be loaded from there: {}; it must be "
                    "libonnxruntime.so.1 or a folder that has it",
                    given, tried));
  }
  throw Error(
      fmt::format("ONNX Runtime, which ONNX models need, is not found: tried {}; get it with ./run setup "
                  "--onnxruntime, or set HAYAKOE_ONNXRUNTIME to libonnxruntime.so.1 or the folder that has it",
                  tried));
}

}  // namespace hayakoe::onnx
