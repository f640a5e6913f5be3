#include "common/random.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace hf {

void fill_random(std::span<float> to, std::uint64_t sequence, float spread, float middle) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = middle + spread * random_number(sequence, i);
}

void fill_random(std::span<int> to, std::uint64_t sequence, int below) {
  const auto limit = static_cast<std::uint64_t>(below);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<int>(random_below(sequence, i, limit));
}

}  // namespace hf
