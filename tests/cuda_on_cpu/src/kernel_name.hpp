// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cuda_on_cpu {

/// The name of a function, from the symbol table of the file that it was loaded from; its address where there is none.
std::string kernel_name(const void* function);

}  // namespace cuda_on_cpu
