// SPDX-License-Identifier: Apache-2.0
// How many threads there are to use.
#pragma once

#include <string>

namespace hayakoe::device {

/// Threads that this process may really use: the CPUs of its affinity mask, cut to the quota of its container (cgroup
/// v1 or v2), at least 1.
int available_threads();

/// The CPU quota of cgroup v2's `cpu.max` ("max 100000", "150000 100000"), rounded up; 0 for none or an unreadable
/// text.
int parse_cgroup_cpu_max(const std::string& text);

}  // namespace hayakoe::device
