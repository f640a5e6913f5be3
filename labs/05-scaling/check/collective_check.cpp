#include "05-scaling/check/collective_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/random.hpp"
#include "common/reference.hpp"

namespace hf::scaling {

double worst_sum_error(std::span<const float> sums, int ranks, std::uint64_t (*sequence)(int rank), std::size_t first) {
  double worst = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    double sum = 0, magnitude = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const double number = random_number(sequence(rank), first + i);
      sum += number;
      magnitude += std::abs(number);
    }
    worst = std::max(worst, error_share(sums[i], {sum, rounding_error(ranks - 1) * magnitude}));
  }
  return worst;
}

}  // namespace hf::scaling
