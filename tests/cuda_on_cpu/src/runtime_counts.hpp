// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_on_cpu/emulator.hpp"

namespace cuda_on_cpu {

/// Under the runtime's mutex.
Counts& counts();

}  // namespace cuda_on_cpu
