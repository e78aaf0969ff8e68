// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

namespace hayakoe::device {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

int cgroup_quota() {
  if (const int v2 = parse_cgroup_cpu_max(first_line("/sys/fs/cgroup/cpu.max")); v2 > 0) return v2;
  const std::string quota = first_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  const std::string period = first_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  return parse_cgroup_cpu_max(quota + " " + period);
}

int affinity_count() {
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

int parse_cgroup_cpu_max(const std::string& text) {
  std::istringstream in(text);
  double quota = 0;
  double period = 0;
  if (!(in >> quota >> period) || quota <= 0 || period <= 0) return 0;
  return static_cast<int>(std::min(std::ceil(quota / period), 4096.0));
}

int available_threads() {
  int n = std::max(1, affinity_count());
  if (const int quota = cgroup_quota(); quota > 0) n = std::min(n, quota);
  return n;
}

}  // namespace hayakoe::device
