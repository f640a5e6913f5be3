#include "07-compilers/kernels/legality/random_nests.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <set>
#include <vector>

#include "07-compilers/kernels/legality/dependence_test.hpp"
#include "07-compilers/kernels/legality/loop_nest.hpp"
#include "common/random.hpp"

namespace hf::compilers {
namespace {

/// Random whole numbers, one after the other.
class Dice {
 public:
  explicit Dice(std::uint64_t sequence) : sequence_(sequence) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low +
           static_cast<std::int64_t>(random_below(sequence_, index_++, static_cast<std::uint64_t>(high - low + 1)));
  }

 private:
  std::uint64_t sequence_, index_ = 0;
};

Access random_access(Dice& dice, int array, std::size_t dimensions, std::size_t loops) {
  constexpr std::int64_t likely[] = {0, 0, 0, 1, 1, 1, -1, 2};
  Access access = {array, {}};
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    LoopVector factors;
    for (std::size_t loop = 0; loop < loops; ++loop) {
      factors.push_back(likely[dice.between(0, static_cast<std::int64_t>(std::size(likely)) - 1)]);
    }
    access.subscripts.push_back({factors, dice.between(-2, 2)});
  }
  return access;
}

bool turns_round(const LoopVector& distance, const Transformation& transformation) {
  return !is_positive(transformation * distance);
}

}  // namespace

LoopNest random_nest(std::uint64_t sequence) {
  Dice dice(sequence);
  const auto loops = static_cast<std::size_t>(dice.between(1, 3)),
             dimensions = static_cast<std::size_t>(dice.between(1, 2));
  LoopNest nest;
  for (std::size_t loop = 0; loop < loops; ++loop) nest.extents.push_back(dice.between(1, 6));
  nest.write = random_access(dice, 0, dimensions, loops);
  const bool uniform = sequence % 2 == 0;
  for (std::int64_t read = dice.between(0, 1); read < 2; ++read) {
    Access access = random_access(dice, static_cast<int>(dice.between(0, 4) / 4), dimensions, loops);
    for (std::size_t dimension = 0; uniform && dimension < dimensions; ++dimension) {
      access.subscripts[dimension].factors = nest.write.subscripts[dimension].factors;
    }
    nest.reads.push_back(access);
  }
  return nest;
}

Verdicts judge_random_nests(std::size_t count) {
  Verdicts verdicts;
  for (std::uint64_t sequence = 0; sequence < count; ++sequence) {
    const LoopNest nest = random_nest(sequence);
    const std::set<LoopVector> distances = enumerated_distances(nest);
    const std::vector<Dependence> found = dependences(nest);
    std::vector<std::size_t> order(nest.extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    while (std::next_permutation(order.begin(), order.end())) {
      const Transformation exchange = permutation(order);
      const bool harmful = std::any_of(distances.begin(), distances.end(),
                                       [&](const LoopVector& d) { return turns_round(d, exchange); });
      const bool allowed = is_legal(found, exchange);
      (harmful ? verdicts.harmful : verdicts.harmless) += 1;
      if (allowed) (harmful ? verdicts.allowed_wrongly : verdicts.allowed) += 1;
    }
  }
  return verdicts;
}

}  // namespace hf::compilers
