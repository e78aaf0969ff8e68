// SPDX-License-Identifier: Apache-2.0
#include "device/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <hayakoe/error.hpp>
#include <vector>

namespace hayakoe::device {
namespace fs = std::filesystem;
namespace {

constexpr const char* kFile = "libhayakoe_cuda.so";

std::vector<fs::path> usual_places() {
  std::vector<fs::path> places;
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&open_cuda), &info) != 0 && info.dli_fname != nullptr) {
    std::error_code ec;
    // A program that was found through $PATH is known to the loader by its bare name.
    fs::path self = fs::path(info.dli_fname);
    if (!self.has_parent_path() || !fs::exists(self, ec)) self = fs::read_symlink("/proc/self/exe", ec);
    const fs::path folder = fs::absolute(self, ec).parent_path();
    places = {folder / kFile, folder / "hayakoe" / kFile, folder.parent_path() / HAYAKOE_LIBDIR / "hayakoe" / kFile};
  }
  places.emplace_back(kFile);  // no folder: the system's loader searches
  return places;
}

struct Plugin {
  void* handle = nullptr;  // stays loaded: its devices' classes are its code
  fs::path path;
  std::string missing;  // why there is none

  template <typename F>
  [[nodiscard]] F* function(const char* name) const {
    return reinterpret_cast<F*>(::dlsym(handle, name));
  }
};

Plugin refused(const std::string& why) {
  Plugin p;
  p.missing = why;
  return p;
}

Plugin checked(void* handle, const fs::path& path) {
  Plugin p{handle, path, {}};
  auto* const version = p.function<PluginVersion>("hayakoe_plugin_version");
  if (version == nullptr || p.function<PluginOpen>("hayakoe_plugin_open") == nullptr ||
      p.function<PluginFirst>("hayakoe_plugin_first") == nullptr) {
    return refused(fmt::format("{} is not a plug-in of hayakoe", path.string()));
  }
  if (version() != std::string(HAYAKOE_VERSION)) {
    return refused(fmt::format("{} belongs to hayakoe {}, but this is {}; install both from one build", path.string(),
                               version(), HAYAKOE_VERSION));
  }
  return p;
}

Plugin load() {
  const char* given = std::getenv("HAYAKOE_CUDA_PLUGIN");
  const bool by_user = given != nullptr && *given != '\0';
  std::string tried;
  for (const fs::path& place : by_user ? std::vector<fs::path>{given} : usual_places()) {
    std::error_code ec;
    tried += fmt::format("{}{}", tried.empty() ? "" : ", ", place.string());
    const bool left_to_loader = !place.has_parent_path() && !by_user;
    if (!left_to_loader && !fs::exists(place, ec)) continue;
    const fs::path file = left_to_loader ? place : fs::absolute(place, ec);
    if (void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return checked(handle, file);
    if (!left_to_loader) return refused(fmt::format("the CUDA plug-in cannot be loaded: {}", ::dlerror()));
  }
  return refused(
      fmt::format("the CUDA plug-in is not found: tried {}; build hayakoe where the CUDA toolkit is installed, or set "
                  "HAYAKOE_CUDA_PLUGIN to {}",
                  tried, kFile));
}

const Plugin& plugin() {
  static const Plugin instance = load();
  return instance;
}

}  // namespace

std::shared_ptr<Device> open_cuda(int ordinal) {
  const Plugin& p = plugin();
  if (p.handle == nullptr) throw Error("device cuda: " + p.missing);
  return std::shared_ptr<Device>(p.function<PluginOpen>("hayakoe_plugin_open")(ordinal));
}

std::optional<int> first_usable_cuda() {
  const Plugin& p = plugin();
  const int first = p.handle != nullptr ? p.function<PluginFirst>("hayakoe_plugin_first")() : -1;
  return first >= 0 ? std::optional(first) : std::nullopt;
}

}  // namespace hayakoe::device
