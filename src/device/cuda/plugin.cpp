// SPDX-License-Identifier: Apache-2.0
// What the plug-in exports (device/plugin.hpp).
#include <hayakoe/error.hpp>

#include "device/cuda/cuda_device.hpp"
#include "device/plugin.hpp"

extern "C" {

HAYAKOE_API const char* hayakoe_plugin_version() { return HAYAKOE_VERSION; }

HAYAKOE_API hayakoe::device::Device* hayakoe_plugin_open(int ordinal) {
  return new hayakoe::device::cuda::CudaDevice(ordinal);
}

HAYAKOE_API int hayakoe_plugin_first() { return hayakoe::device::cuda::first_usable_gpu().value_or(-1); }
}
