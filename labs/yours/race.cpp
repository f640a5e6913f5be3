#include "yours/race.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/measure/sampling.hpp"
#include "harness/measure/statistics.hpp"
#include "yours/trial.hpp"

namespace hf::yours {

Heat race(std::string name, double x, const std::vector<Runner>& runners, const std::string& roof, int rounds) {
  const double roof_work = std::ranges::find(runners, roof, [](const Runner& each) { return each.variant.id; })->work;
  std::vector<Variant> variants;
  for (const Runner& each : runners) variants.push_back(each.variant);
  Plan plan;
  plan.rounds = rounds;
  plan.minimum_rounds = 3;
  plan.warm_seconds = 0;  // new inputs warm the caches
  plan.budget_seconds = 2;
  const Sampling sampling = sample_interleaved(variants, plan);
  Heat heat = {std::move(name), x, {}};
  for (const Runner& each : runners) {
    const std::string& id = each.variant.id;
    const Estimate of_roof = transform(sampling.ratio(roof, id),
                                       [&](double times_as_fast) { return times_as_fast * each.work / roof_work; });
    heat.rows.push_back({id, each.label, rate(each.work, sampling.of(id)), of_roof});
  }
  return heat;
}

}  // namespace hf::yours
