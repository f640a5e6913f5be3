#include "side_by_side.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "sampling.hpp"
#include "statistics.hpp"

namespace hf {
namespace {

/// Variants that are sampled together, and their times.
struct Group {
  const std::vector<Variant>* variants;
  std::vector<std::vector<double>> seconds;

  void sample(double sample_seconds, std::mt19937& random) {
    std::vector<std::size_t> order(variants->size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t i : order) {
      const Variant& variant = (*variants)[i];
      const double once = variant.seconds(1);
      const auto calls = static_cast<std::int64_t>(std::ceil(std::max(1.0, sample_seconds / std::max(once, 1e-6))));
      seconds[i].push_back(variant.seconds(calls) / static_cast<double>(calls));
    }
  }
};

}  // namespace

Sampling sample_side_by_side(const std::vector<std::vector<Variant>>& groups, const Plan& plan) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(now_ns()));
  std::vector<Group> all;
  all.reserve(groups.size());
  std::vector<Variant> as_one;  // one variant per group, whose own time is not used
  for (const std::vector<Variant>& variants : groups) {
    Group& group = all.emplace_back(Group{&variants, std::vector<std::vector<double>>(variants.size())});
    as_one.push_back({"", [&, sample_seconds = plan.sample_seconds](std::int64_t) {
                        group.sample(sample_seconds, random);
                        return 1.0;
                      }});
  }
  Plan of_groups = plan;
  of_groups.warm_seconds = 0;
  sample_interleaved(as_one, of_groups);

  Sampling result;
  for (Group& group : all) {
    for (std::size_t i = 0; i < group.variants->size(); ++i) {
      group.seconds[i].erase(group.seconds[i].begin());  // the sample taken during calibration, which has no round
      result.ids.push_back((*group.variants)[i].id);
      result.seconds.push_back(estimate(std::move(group.seconds[i])));
    }
  }
  return result;
}

}  // namespace hf
