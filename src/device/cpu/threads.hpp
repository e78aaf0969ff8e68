// SPDX-License-Identifier: Apache-2.0
// How many threads there are to use, and keeping oneDNN from starting its own.
#pragma once

#include <omp.h>

#include <cstdint>
#include <string>

namespace hayakoe::device {

/// Threads that this process may really use: the CPUs of its affinity mask, cut to the quota of its container (cgroup
/// v1 or v2), at least 1.
int available_threads();

/// The CPU quota of cgroup v2's `cpu.max` ("max 100000", "150000 100000"), rounded up; 0 for none or an unreadable
/// text.
int parse_cgroup_cpu_max(const std::string& text);

/// Keeps oneDNN, whose threads are OpenMP's, on the calling thread while it lives: we cut the work ourselves. Puts the
/// old setting back, so that a caller's own OpenMP code is not disturbed.
class OneThreadEach {
 public:
  OneThreadEach() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThreadEach() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThreadEach(const OneThreadEach&) = delete;
  OneThreadEach& operator=(const OneThreadEach&) = delete;

 private:
  int before_;
};

}  // namespace hayakoe::device
