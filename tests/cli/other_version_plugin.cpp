// SPDX-License-Identifier: Apache-2.0
// What the CUDA plug-in of another version looks like.
extern "C" {
__attribute__((visibility("default"))) const char* hayakoe_plugin_version() { return "0.0.1"; }
__attribute__((visibility("default"))) void* hayakoe_plugin_open(int) { return nullptr; }
__attribute__((visibility("default"))) int hayakoe_plugin_first() { return 0; }
}
