#include "05-scaling/bench/small_steps.hpp"

#include "05-scaling/kernels/planner/chips.hpp"
#include "05-scaling/kernels/planner/step_time.hpp"

namespace hf::scaling {

SmallSteps predict_small_steps(const SmallChip& chip, const SmallNetwork& network, int chips, double alone) {
  const double fp32 = 4;
  const auto all_reduce = [&](double numbers) { return 2 * ring_seconds(chip.wire, chips, fp32 * numbers); };
  // Adam reads gradient, weight and two moments, and writes all but the first.
  const double optimizer = 7 * fp32 * network.weights / (chip.bandwidth * fitted.memory);
  const double products = (alone - optimizer) / chips;
  return {.data = products + optimizer + all_reduce(network.weights),
          .tensor = products + optimizer / chips + 2 * network.blocks * all_reduce(network.rows * network.width)};
}

}  // namespace hf::scaling
