#include "kit/random.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hf {

void fill_random(std::span<float> to, std::uint64_t sequence, float spread, float middle) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = middle + spread * random_number(sequence, i);
}

std::vector<float> random_floats(std::size_t count, std::uint64_t sequence, float spread) {
  std::vector<float> numbers = array_of<float>(count);
  fill_random(numbers, sequence, spread);
  return numbers;
}

void fill_random(std::span<int> to, std::uint64_t sequence, int below) {
  const auto limit = static_cast<std::uint64_t>(below);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<int>(random_below(sequence, i, limit));
}

}  // namespace hf
