// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"

#include <charconv>
#include <hayakoe/error.hpp>
#include <string_view>

#include "device/cpu/cpu_device.hpp"
#include "device/plugin.hpp"

namespace hayakoe::device {
namespace {

// N of "cuda:N"; 0 for "cuda".
int ordinal_of(const std::string& name) {
  constexpr std::string_view kPrefix = "cuda:";
  if (name == "cuda") return 0;
  int ordinal = -1;
  const char* const end = name.data() + name.size();
  const auto [stop, fault] = std::from_chars(name.data() + kPrefix.size(), end, ordinal);
  if (fault != std::errc() || stop != end || ordinal < 0) {
    throw Error("device: '" + name + "' names no GPU; use cuda for the first one, or cuda:0, cuda:1, …");
  }
  return ordinal;
}

}  // namespace

std::shared_ptr<Device> open_device(const std::string& name, int threads) {
  if (threads < 0 || threads > 1024) {
    throw Error("threads: " + std::to_string(threads) +
                " is out of range; use 1 to 1024, or 0 for what the machine has");
  }
  if (name == "cuda" || name.starts_with("cuda:")) return open_cuda(ordinal_of(name));
  const bool automatic = name == "auto" || name.empty();
  if (automatic) {
    if (const auto gpu = first_usable_cuda()) return open_cuda(*gpu);
  }
  if (automatic || name == "cpu") return std::make_shared<CpuDevice>(threads);
  throw Error("device: there is no '" + name + "'; use cpu, cuda, cuda:N or auto");
}

}  // namespace hayakoe::device
