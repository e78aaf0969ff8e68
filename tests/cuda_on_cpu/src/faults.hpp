// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cuda_on_cpu {

/// From now on a fault in emulated memory says what was touched before it takes its course.
void install_fault_handler();
/// The same before device work runs, and gives the calling OS thread a stack for the handler: a fiber whose stack is
/// used up has none.
void prepare_thread_for_faults();

}  // namespace cuda_on_cpu
