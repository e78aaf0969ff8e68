// SPDX-License-Identifier: Apache-2.0
// A library that is no plug-in.
extern "C" __attribute__((visibility("default"))) int unrelated() { return 1; }
