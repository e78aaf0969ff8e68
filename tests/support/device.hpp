// SPDX-License-Identifier: Apache-2.0
// The device that the tests run on: $HAYAKOE_TEST_DEVICE, a name that device::open_device() takes, or else the CPU.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "device/device.hpp"

namespace hayakoe::test {

inline std::string device_name() {
  const char* name = std::getenv("HAYAKOE_TEST_DEVICE");
  return name != nullptr && *name != '\0' ? name : "cpu";
}

inline bool on_cpu() { return device_name() == "cpu"; }

inline std::shared_ptr<device::Device> open_device(int threads) { return device::open_device(device_name(), threads); }

}  // namespace hayakoe::test
