#include "budget.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "clock.hpp"
#include "sampling.hpp"
#include "statistics.hpp"
#include "steady_memory.hpp"

namespace hf {

double seconds_in(Budget budget, double quick_seconds, double full_seconds) {
  return budget == Budget::quick ? quick_seconds : full_seconds;
}

double seconds_left_of(double seconds, std::int64_t start_ns) {
  return std::max(seconds - static_cast<double>(now_ns() - start_ns) * 1e-9, 0.0);
}

Plan plan_within(Budget budget, double seconds, int parts) {
  Plan plan;
  plan.rounds = budget == Budget::quick ? 11 : 31;
  plan.budget_seconds = seconds / std::max(parts, 1);
  return plan;
}

BurstSearch burst_search(Budget budget) {
  BurstSearch how;
  if (budget == Budget::quick) {
    how.repeats = 5;
    how.quiet_seconds = how.reading_seconds = 0.025;
  }
  return how;
}

Sampling in_one_state(Sampling sampling, const std::vector<std::string>& ids,
                      const std::function<void(const std::string&, const Estimate&, std::size_t)>& left_out) {
  for (const std::string& id : ids) {
    const Estimate seen = sampling.of(id);
    if (!seen.modes) continue;
    sampling = sampling.in_one_state(id);
    left_out(id, seen, sampling.of(id).samples.size());
  }
  return sampling;
}

}  // namespace hf
