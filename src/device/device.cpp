// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"

#include <hayakoe/error.hpp>

#include "device/cpu/cpu_device.hpp"

namespace hayakoe::device {

std::shared_ptr<Device> open_device(const std::string& name, int threads) {
  if (threads < 0 || threads > 1024) {
    throw Error("threads: " + std::to_string(threads) +
                " is out of range; use 1 to 1024, or 0 for what the machine has");
  }
  if (name == "cpu" || name == "auto" || name.empty()) return std::make_shared<CpuDevice>(threads);
  throw Error("device: there is no '" + name + "'; use cpu or auto");
}

}  // namespace hayakoe::device
