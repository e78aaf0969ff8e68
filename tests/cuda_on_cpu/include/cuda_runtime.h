// SPDX-License-Identifier: Apache-2.0
// Stands in for the CUDA toolkit's header of this name, for the part that src/device/cuda uses; README.md beside says
// what is emulated and what is not.
#pragma once

#include "cuda_on_cpu/device_language.hpp"
#include "cuda_on_cpu/launch.hpp"
#include "cuda_on_cpu/runtime_api.hpp"
#include "cuda_on_cpu/vector_types.hpp"
