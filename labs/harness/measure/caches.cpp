// These functions are in measure/, not machine/, because labs choose their sizes by them, which changes what is
// measured.
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
