// By these answers labs choose how much to work on: they move numbers, as what a machine is found to be alone does not.
#include <algorithm>
#include <cstdint>

#include "harness/machine/machine.hpp"

namespace hf {

std::uint64_t Machine::cache_bytes(int level) const {
  for (const Cache& cache : caches) {
    if (cache.level == level && cache.kind != "instruction") return cache.bytes;
  }
  return 0;
}

std::uint64_t Machine::last_level_cache_bytes() const {
  std::uint64_t largest = 0;
  for (const Cache& cache : caches) {
    if (cache.kind != "instruction") largest = std::max(largest, cache.bytes);
  }
  return largest;
}

}  // namespace hf
