// SPDX-License-Identifier: Apache-2.0
// Runs a kernel: its blocks one after another, the threads of a block as fibers.
//
// A warp runs in rounds: each of its lanes goes on until it stops (at a barrier, at a warp's collective operation, or
// at its end), and all must have stopped in the same place. A lane that stops switches straight to the next one.
#pragma once

#include "cuda_on_cpu/launch.hpp"

namespace cuda_on_cpu {

/// Runs all of it before it returns. Device memory must be accessible.
void run_kernel(const Launch& launch);

/// The kernel that is running, or null; for messages, also from a signal's handler.
const Launch* running_kernel();

}  // namespace cuda_on_cpu
