#include "02-matmul/kernels/rungs.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "02-matmul/kernels/rung_loops.hpp"
#include "harness/measure/memory.hpp"
#include "kit/cache_simulator.hpp"
#include "kit/observed_traffic.hpp"

namespace hf::matmul {

/// The values that are multiplied do not affect which addresses are visited.
Traffic Rung::trace(std::size_t m, std::size_t n, std::size_t k, const CacheSimulator& caches) const {
  const Buffer a(m * k * sizeof(float), Pages::base), b(k * n * sizeof(float), Pages::base),
      c(m * n * sizeof(float), Pages::base);
  const auto at = [](const Buffer& buffer) { return buffer.as<float>().data(); };
  const Rung& observed = *std::ranges::find(observed_rungs(), std::string_view(id), &Rung::id);
  return observe([&] { observed.multiply(m, n, k, at(a), at(b), at(c)); }, caches).traffic;
}

PackedMemory packed_memory(std::size_t strip_floats, std::size_t block_floats) {
  thread_local const Buffer strip(strip_floats * sizeof(float), Pages::base),
      block(block_floats * sizeof(float), Pages::base);
  return {strip.as<float>().data(), block.as<float>().data()};
}

std::span<const Rung> rungs() { return ladder; }

}  // namespace hf::matmul
