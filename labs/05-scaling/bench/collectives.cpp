// What does it cost when all ranks must agree? Our all-reduces against MPI's, and how well alpha and beta predict the ring.
#include <algorithm>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "05-scaling/bench/collective_race.hpp"
#include "05-scaling/bench/steps.hpp"
#include "05-scaling/kernels/collectives/collectives.hpp"
#include "common/ranks/ranks.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"
#include "harness/statistics.hpp"

namespace hf::scaling {
namespace {

const Axis bytes_axis = {"numbers of each rank", "B"}, time_axis = {"time", "us"}, over_axis = {"over MPI", "1"};

/// What took part, and what its series are called on one host and between several; null for those that there are not.
struct Racer {
  const char *id, *name;
  const char *time, *network_time, *over_mpi, *model, *network_model;
};
constexpr Racer racers[] = {
    {"mpi", "MPI_Allreduce, ", "allreduce_us_mpi", "network_allreduce_us_mpi", nullptr, nullptr, nullptr},
    {"ring", "ring", "allreduce_us_ring", "network_allreduce_us_ring", "over_mpi_ring", "model_us_ring",
     "network_model_us_ring"},
    {"tree", "tree", "allreduce_us_tree", "network_allreduce_us_tree", nullptr, "model_us_tree",
     "network_model_us_tree"},
    {"doubling", "recursive doubling", "allreduce_us_doubling", "network_allreduce_us_doubling", "over_mpi_doubling",
     "model_us_doubling", "network_model_us_doubling"},
    {"halving-doubling", "halving and doubling", "allreduce_us_halving_doubling",
     "network_allreduce_us_halving_doubling", nullptr, "model_us_halving_doubling",
     "network_model_us_halving_doubling"},
    {"through-window", "through a shared window", nullptr, nullptr, "over_mpi_through_window", nullptr, nullptr},
    {"in-window", "in a shared window", nullptr, nullptr, "over_mpi_in_window", nullptr, nullptr}};

/// What the ring's alpha and beta are called.
struct RingIds {
  const char *alpha_us, *beta_gbs, *from_kib, *to_kib, *short_us;
};
constexpr RingIds ring_ids = {"alpha_us", "beta_gbs", "alpha_beta_from_kib", "alpha_beta_to_kib", "alpha_short_us"};
constexpr RingIds network_ring_ids = {"network_alpha_us", "network_beta_gbs", "network_alpha_beta_from_kib",
                                      "network_alpha_beta_to_kib", "network_alpha_short_us"};

/// Within the present step's time: what the race gave, and what MPI this is.
std::pair<RaceTimes, std::string> run_race(const Lab& lab, Ranks& ranks) {
  constexpr double sampling_share = 0.9;  // the rest goes into checking
  const nlohmann::json arguments = {
      {"seconds", sampling_share * lab.step_seconds()}, {"rounds", 31}, {"minimum_rounds", lab.quick() ? 3 : 7}};
  const nlohmann::json answer = ranks.run(collectives_task, arguments, [&] { lab.tick(); }).front();
  return {race_times(answer.at("all_reduces")), answer.at("library")};
}

/// How many times as fast as MPI's, by pairs, at each size that both ran at.
std::map<std::size_t, Estimate> over_mpi(const RaceTimes& race, const std::string& id) {
  std::map<std::size_t, Estimate> over;
  for (const auto& [bytes, seconds] : race.at(id)) {
    over.emplace(bytes, ratio(race.at("mpi").at(bytes).samples, seconds.samples));
  }
  return over;
}

void add_times(Lab& lab, const RaceTimes& race, const std::string& library, bool network) {
  for (const Racer& racer : racers) {
    const std::string name = racer.name + (racer.id == std::string("mpi") ? library : "");
    if (const char* id = network ? racer.network_time : racer.time) {
      Series series = {id, name, Kind::measured, bytes_axis, time_axis};
      for (const auto& [bytes, seconds] : race.at(racer.id)) {
        series.points.emplace_back(static_cast<double>(bytes), times(seconds, 1e6));
      }
      lab.add(std::move(series));
    }
    if (network || racer.over_mpi == nullptr || !race.contains(racer.id)) continue;
    Series series = {racer.over_mpi, name, Kind::measured, bytes_axis, over_axis};
    for (const auto& [bytes, over] : over_mpi(race, racer.id)) {
      series.points.emplace_back(static_cast<double>(bytes), over);
    }
    lab.add(std::move(series));
  }
}

/// What the ring brings at a size that is affordable, and the window at every size from 1 MiB up, at the least.
void add_gains(Lab& lab, const RaceTimes& race, bool network) {
  const auto ring = over_mpi(race, "ring");
  const auto size = ring.find((network ? 8 : 64) << 20);  // less is affordable between hosts
  if (size != ring.end()) {
    lab.add(Value(network ? "network_ring_over_mpi_8mib" : "ring_over_mpi_64mib", size->second, "1"));
  }
  if (!race.contains("in-window")) return;
  std::optional<Estimate> least;
  for (const auto& [bytes, over] : over_mpi(race, "in-window")) {
    if (bytes >= 1 << 20 && (!least || over.median < least->median)) least = over;
  }
  lab.add(Value("window_over_mpi_from_1mib", *least, "1"));
}

/// What the largest all-reduce brings, and what it costs a wire.
void add_bus_bandwidth(Lab& lab, const RaceTimes& race, int ranks) {
  lab.modelled("bus_factor", bus_factor(ranks));
  const auto& [bytes, seconds] = *race.at("ring").rbegin();
  lab.add(Value("ring_algorithm_gbs", rate(static_cast<double>(bytes), seconds), "GB/s",
                "the ring's algorithm bandwidth, largest size"));
  lab.derived("ring_bus_gbs", "GB/s");
}

/// What the model says of every algorithm that sends messages, at every size of the ring's: of most it has seen none.
void add_predictions(Lab& lab, const RaceTimes& race, const AlphaBeta& model, int ranks, bool network) {
  for (const Collective& each : all_reduces()) {
    const Racer& racer = *std::ranges::find(racers, std::string_view(each.id), &Racer::id);
    Series series = {network ? racer.network_model : racer.model, std::string(each.name) + ", α-β model",
                     Kind::modelled, bytes_axis, time_axis};
    for (const auto& [bytes, seconds] : race.at("ring")) {
      const Cost cost = each.cost(ranks, static_cast<double>(bytes));
      series.points.emplace_back(static_cast<double>(bytes), 1e6 * model.seconds(cost.steps, cost.path_bytes));
    }
    lab.add(std::move(series));
  }
}

void add_ring_model(Lab& lab, const RaceTimes& race, int ranks, bool network) {
  std::map<std::size_t, double> seconds;
  for (const auto& [bytes, time] : race.at("ring")) seconds[bytes] = time.median;
  const std::optional<RingModel> ring = fit_ring(ranks, seconds);
  if (!ring) return lab.note("the ring's times are too uneven for an alpha and a beta");
  const RingIds& ids = network ? network_ring_ids : ring_ids;
  // Without short messages to bound it, the α of a slow wire may vanish beside the bytes.
  if (ring->longs.seconds_per_message > 0) lab.derived(ids.alpha_us, 1e6 * ring->longs.seconds_per_message, "us");
  lab.derived(ids.beta_gbs, 1e-9 / ring->longs.seconds_per_byte, "GB/s");
  lab.derived(ids.from_kib, static_cast<double>(ring->from_bytes) / 1024, "KiB");
  lab.derived(ids.to_kib, static_cast<double>(ring->to_bytes) / 1024, "KiB");
  if (ring->shorts) lab.derived(ids.short_us, 1e6 * ring->shorts->seconds_per_message, "us");
  if (!network) {
    lab.derived("alpha_beta_error_median", ring->median_error);
    lab.derived("alpha_beta_error_smallest", ring->smallest_error);
  }
  add_predictions(lab, race, ring->longs, ranks, network);
}

}  // namespace

void measure_collectives(Lab& lab, Ranks& ranks) {
  const bool network = ranks.hosts() > 1;
  const auto [race, library] = run_race(lab, ranks);
  add_times(lab, race, library, network);
  add_gains(lab, race, network);
  if (!network) add_bus_bandwidth(lab, race, ranks.size());
  if (!ranks.oversubscribed()) add_ring_model(lab, race, ranks.size(), network);
}

}  // namespace hf::scaling
