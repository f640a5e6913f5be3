#include "yours/sizes.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <set>
#include <vector>

#include "kit/random.hpp"

namespace hf::yours {

std::vector<std::size_t> sizes_around(const std::vector<std::size_t>& blocks) {
  std::set<std::size_t> sizes;
  for (const std::size_t block : blocks) sizes.insert({block - 1, block, block + 1, 2 * block + 1});
  sizes.erase(0);
  return {sizes.begin(), sizes.end()};
}

std::vector<std::size_t> powers_of_two(std::size_t most) {
  std::vector<std::size_t> powers;
  for (std::size_t power = 1; power <= most; power *= 2) powers.push_back(power);
  return powers;
}

// The third size moves on by one with each of the other two, so it meets all of either's sizes.
std::vector<std::array<std::size_t, 3>> triples_of(const std::vector<std::size_t>& sizes) {
  std::vector<std::array<std::size_t, 3>> triples;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = 0; j < sizes.size(); ++j)
      triples.push_back({sizes[i], sizes[j], sizes[(i + j) % sizes.size()]});
  }
  return triples;
}

RandomSizes::RandomSizes() {
  const char* const seed = std::getenv("HARDWARE_FIRST_SEED");
  sequence_ = seed != nullptr ? std::strtoul(seed, nullptr, 10) % (1 << 24) : 77;
}

std::size_t RandomSizes::next(std::size_t most) { return 1 + random_below(sequence_, index_++, most); }

}  // namespace hf::yours
