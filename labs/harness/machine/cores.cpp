#include "cores.hpp"

#include <sched.h>

#include <cstddef>
#include <vector>

namespace hf {

const std::vector<int>& usable_cores() {
  static const std::vector<int> cores = cores_now();
  return cores;
}

std::vector<int> cores_now() {
  // The mask must be at least as large as the kernel's; with more than 8192 processors, falls back to the first.
  std::vector<cpu_set_t> mask(8);
  std::vector<int> cores;
  const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
  if (sched_getaffinity(0, bytes, mask.data()) == 0) {
    for (int core = 0; core < static_cast<int>(8 * bytes); ++core) {
      if (CPU_ISSET_S(core, bytes, mask.data())) cores.push_back(core);
    }
  }
  if (cores.empty()) cores.push_back(0);
  return cores;
}

}  // namespace hf
