#include "kit/roof_runs.hpp"

#include <cstddef>
#include <vector>

#include "harness/measure/peaks.hpp"
#include "harness/measure/sampling.hpp"
#include "harness/measure/shared_array.hpp"
#include "harness/measure/statistics.hpp"
#include "kit/work.hpp"

namespace hf {

RoofRuns::RoofRuns(std::size_t bytes) : peak_(peak_variant(Precision::fp32, team_)), array_(team_, bytes) {}

std::vector<Variant> RoofRuns::variants() {
  return {peak_.variant, timed("read", team_, [this](int thread) { read_words(array_.part(thread)); })};
}

Estimate RoofRuns::peak_gflops(const Sampling& sampling) const { return peak_.gflops(sampling.of("peak")); }

Estimate RoofRuns::read_gbs(const Sampling& sampling) const { return rate(array_.bytes(team_), sampling.of("read")); }

Roofline RoofRuns::roofs(const Sampling& sampling) const {
  return {peak_gflops(sampling).median, read_gbs(sampling).median};
}

}  // namespace hf
