// SPDX-License-Identifier: Apache-2.0
// Formulas that every device computes in the same way are written once: this marks them for both compilers.
#pragma once

#ifdef __CUDACC__
#define HAYAKOE_HOST_DEVICE __host__ __device__
#else
#define HAYAKOE_HOST_DEVICE
#endif
