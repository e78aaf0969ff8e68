// SPDX-License-Identifier: Apache-2.0
// Devices that are not built into the program: libhayakoe_cuda.so, so that the program needs nothing of CUDA.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "device/device.hpp"

namespace hayakoe::device {

/// What a plug-in exports under these names, with C linkage. Program and plug-in share C++ classes, so they must be of
/// one version.
using PluginVersion = const char*();      ///< hayakoe_plugin_version: the version of hayakoe that it belongs to
using PluginOpen = Device*(int ordinal);  ///< hayakoe_plugin_open: a new device. @throws Error
using PluginFirst = int();                ///< hayakoe_plugin_first: the first usable GPU; −1 if there is none

/// NVIDIA GPU `ordinal` by way of the plug-in, which is loaded from the first of: $HAYAKOE_CUDA_PLUGIN (the file;
/// nothing else is tried when it is set), the folder of the program or library that this code is in, hayakoe/ in it,
/// lib/hayakoe beside it (as installed), the system's loader.
/// @throws Error saying what is missing: the plug-in, a driver, a GPU, a GPU that is new enough
std::shared_ptr<Device> open_cuda(int ordinal);

/// The first GPU that open_cuda() can be expected to open; loads the plug-in if there is one.
std::optional<int> first_usable_cuda();

}  // namespace hayakoe::device
