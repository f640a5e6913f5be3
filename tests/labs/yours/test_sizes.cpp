#include "yours/sizes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hf::yours {
namespace {

using Sizes = std::vector<std::size_t>;

TEST_CASE("sizes around blocks rise, and each occurs once") {
  CHECK(sizes_around({12}) == Sizes{11, 12, 13, 25});
  CHECK(sizes_around({4, 2, 1}) == Sizes{1, 2, 3, 4, 5, 9});
  CHECK(powers_of_two(9) == Sizes{1, 2, 4, 8});
}

TEST_CASE("each pair of sizes occurs in each two places") {
  const Sizes sizes = sizes_around({4, 7});
  for (const auto& [first, second] : {std::pair{0, 1}, {0, 2}, {1, 2}}) {
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    for (const auto& triple : triples_of(sizes))
      pairs.insert({triple[static_cast<std::size_t>(first)], triple[static_cast<std::size_t>(second)]});
    CHECK(pairs.size() == sizes.size() * sizes.size());
  }
}

Sizes random_sizes(const char* seed) {
  const char* const before = std::getenv("HARDWARE_FIRST_SEED");
  const std::string kept = before != nullptr ? before : "";
  setenv("HARDWARE_FIRST_SEED", seed, 1);
  RandomSizes random;
  Sizes sizes;
  for (int i = 0; i < 100; ++i) sizes.push_back(random.next(30));
  before != nullptr ? setenv("HARDWARE_FIRST_SEED", kept.c_str(), 1) : unsetenv("HARDWARE_FIRST_SEED");
  return sizes;
}

TEST_CASE("a seed chooses the random sizes, which have both ends of their range") {
  CHECK(random_sizes("5") == random_sizes("5"));
  CHECK(random_sizes("5") != random_sizes("6"));
  CHECK(std::ranges::min(random_sizes("5")) == 1);
  CHECK(std::ranges::max(random_sizes("5")) == 30);
}

}  // namespace
}  // namespace hf::yours
