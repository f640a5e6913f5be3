#include "03-gpu/kernels/cuda/line_cycle.hpp"

#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "common/random.hpp"

namespace hf::gpu {

std::vector<std::uint32_t> random_cycle(std::size_t lines, std::uint32_t seed) {
  if (lines == 0 || lines > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument("random_cycle: expected at least one line, and fewer than 2^32");
  }
  std::vector<std::uint32_t> next(lines);
  std::iota(next.begin(), next.end(), 0u);
  for (std::size_t last = lines - 1; last > 0; --last) {
    std::swap(next[last],
              next[random_below(seed, last, last)]);  // never with itself: that is what leaves one cycle only
  }
  return next;
}

std::uint32_t follow(std::span<const std::uint32_t> next, std::uint32_t start, std::int64_t hops) {
  for (; hops > 0; --hops) start = next[start];
  return start;
}

}  // namespace hf::gpu
