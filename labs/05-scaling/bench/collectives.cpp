#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>

#include "05-scaling/bench/collective_runs.hpp"
#include "05-scaling/bench/steps.hpp"
#include "05-scaling/kernels/collectives/alpha_beta.hpp"
#include "05-scaling/kernels/collectives/collective_theory.hpp"
#include "common/ranks/ranks.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"
#include "harness/statistics.hpp"

namespace hf::scaling {
namespace {

void add_races(Lab& lab, const CollectiveRuns& runs) {
  for (const Series& series : race_series(runs)) lab.add(series);
  const std::size_t mib = runs.prefix.empty() ? 64 : 8;  // less is affordable between hosts
  if (const auto over = over_mpi(runs, "ring", mib << 20)) {
    lab.add(Value(runs.prefix + "ring_over_mpi_" + std::to_string(mib) + "mib", *over, "1"));
  }
  if (runs.all_reduces.contains("in-window")) {
    lab.add(Value("window_over_mpi_from_1mib", least_over_mpi(runs, "in-window", 1 << 20), "1"));
  }
}

/// What the largest all-reduce brings, and what it costs a wire.
void add_bus_bandwidth(Lab& lab, const CollectiveRuns& runs) {
  lab.modelled("bus_factor", bus_factor(runs.ranks));
  const auto& [bytes, seconds] = *runs.all_reduces.at("ring").rbegin();
  const auto size = static_cast<double>(bytes);
  lab.add(Value("ring_algorithm_gbs", rate(size, seconds), "GB/s", "the ring's algorithm bandwidth, largest size"));
  lab.derived("ring_bus_gbs", "GB/s");
}

void add_ring_model(Lab& lab, const CollectiveRuns& runs) {
  const std::optional<RingModel> ring = model_of_ring(runs);
  if (!ring) return lab.note("the ring's times are too uneven for an alpha and a beta");
  const auto add = [&](const std::string& id, double value, const std::string& unit) {
    lab.derived(runs.prefix + id, value, unit);
  };
  // Without short messages to bound it, the α of a slow wire may vanish beside the bytes.
  if (ring->longs.seconds_per_message > 0) add("alpha_us", 1e6 * ring->longs.seconds_per_message, "us");
  add("beta_gbs", 1e-9 / ring->longs.seconds_per_byte, "GB/s");
  add("alpha_beta_from_kib", static_cast<double>(ring->from_bytes) / 1024, "KiB");
  add("alpha_beta_to_kib", static_cast<double>(ring->to_bytes) / 1024, "KiB");
  if (ring->shorts) add("alpha_short_us", 1e6 * ring->shorts->seconds_per_message, "us");
  if (runs.prefix.empty()) {
    lab.derived("alpha_beta_error_median", ring->median_error);
    lab.derived("alpha_beta_error_smallest", ring->smallest_error);
  }
  for (const Series& series : model_series(runs, *ring)) lab.add(series);
}

}  // namespace

void measure_collectives(Lab& lab, Ranks& ranks) {
  const CollectiveRuns runs = run_collectives(lab, ranks);
  add_races(lab, runs);
  if (ranks.hosts() == 1) add_bus_bandwidth(lab, runs);
  if (!ranks.crowded()) add_ring_model(lab, runs);
}

}  // namespace hf::scaling
