#include "shared_array.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/machine/machine.hpp"
#include "keep.hpp"
#include "memory.hpp"
#include "threads.hpp"

namespace hf {

void read_words(std::span<const std::uint64_t> words) {
  typedef std::uint64_t Pair __attribute__((vector_size(16)));
  constexpr std::size_t pairs = 8, step = 2 * pairs;
  for (std::size_t at = 0; at + step <= words.size(); at += step) {
#pragma GCC unroll 8
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      Pair loaded;
      __builtin_memcpy(&loaded, words.data() + at + 2 * pair, sizeof loaded);
      HF_OPAQUE(loaded);
    }
  }
}

SharedArray::SharedArray(Team& team, std::size_t bytes)
    : buffer_(bytes, Pages::huge), part_(buffer_.as<std::uint64_t>().size() / static_cast<std::size_t>(team.size())) {
  team.run([&](int thread) {
    std::uint64_t word = static_cast<std::uint64_t>(thread) + 1;
    for (std::uint64_t& to : part(thread)) to = word *= 6364136223846793005u;  // any nonzero numbers
  });
}

std::size_t default_dram_bytes() {
  const std::uint64_t wanted = std::max<std::uint64_t>(4 * probe_machine().last_level_cache_bytes(), 64u << 20);
  return static_cast<std::size_t>(std::min(wanted, available_memory_bytes() / 4));
}

}  // namespace hf
