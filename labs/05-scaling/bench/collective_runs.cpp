#include "05-scaling/bench/collective_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "05-scaling/bench/collective_race.hpp"
#include "05-scaling/kernels/collectives/alpha_beta.hpp"
#include "05-scaling/kernels/collectives/collective_theory.hpp"
#include "05-scaling/kernels/collectives/mpi_collectives.hpp"
#include "common/ranks/ranks.hpp"
#include "harness/lab.hpp"
#include "harness/results.hpp"
#include "harness/statistics.hpp"

namespace hf::scaling {
namespace {

constexpr const char* mpi = "mpi";
const Axis bytes_axis = {"numbers of each rank", "B"};

bool is_window(const std::string& id) { return id.ends_with("-window"); }

/// As ids of series are written.
std::string series_id(const CollectiveRuns& runs, const std::string& what, std::string id) {
  std::ranges::replace(id, '-', '_');
  return runs.prefix + what + "_" + id;
}

std::string name_of(const CollectiveRuns& runs, const std::string& id) {
  if (id == mpi) return "MPI_Allreduce, " + runs.library;
  if (id == "through-window") return "through a shared window";
  if (id == "in-window") return "in a shared window";
  for (const Collective& each : all_reduces()) {
    if (id == each.id) return each.name;
  }
  return id;
}

Series time_series(const CollectiveRuns& runs, const std::string& id) {
  Series series = {
      .id = series_id(runs, "allreduce_us", id), .label = name_of(runs, id), .x = bytes_axis, .y = {"time", "us"}};
  for (const auto& [bytes, seconds] : runs.all_reduces.at(id)) {
    series.points.emplace_back(static_cast<double>(bytes), times(seconds, 1e6));
  }
  return series;
}

Series over_mpi_series(const CollectiveRuns& runs, const std::string& id) {
  Series series = {
      .id = series_id(runs, "over_mpi", id), .label = name_of(runs, id), .x = bytes_axis, .y = {"over MPI", "1"}};
  for (const auto& [bytes, seconds] : runs.all_reduces.at(mpi)) {
    if (const auto over = over_mpi(runs, id, bytes)) series.points.emplace_back(static_cast<double>(bytes), *over);
  }
  return series;
}

std::vector<Observation> observations(const CollectiveRuns& runs, const Collective& collective) {
  std::vector<Observation> all;
  for (const auto& [bytes, seconds] : runs.all_reduces.at(collective.id)) {
    const Cost cost = collective.cost(runs.ranks, static_cast<double>(bytes));
    all.push_back({cost.steps, cost.path_bytes, seconds.median});
  }
  return all;
}

const Collective& ring() { return all_reduces().front(); }

std::vector<std::size_t> ring_sizes(const CollectiveRuns& runs) {
  std::vector<std::size_t> sizes;
  for (const auto& [bytes, seconds] : runs.all_reduces.at(ring().id)) sizes.push_back(bytes);
  return sizes;
}

/// At how many sizes of a stretch the bytes take more of the time than the messages.
std::ptrdiff_t bulky(const Stretch& stretch, const std::vector<Observation>& observations) {
  return std::count_if(observations.begin() + static_cast<std::ptrdiff_t>(stretch.first),
                       observations.begin() + static_cast<std::ptrdiff_t>(stretch.last) + 1, [&](const Observation& o) {
                         return o.bytes * stretch.model.seconds_per_byte > o.steps * stretch.model.seconds_per_message;
                       });
}

/// The first sizes tell what a message costs; beside many bytes it can hardly be seen. So their α is that of the others too,
/// where it fits them. It bounds theirs in any case: a long message takes no less before its first byte is there.
std::vector<Stretch> stretches_of_ring(const std::vector<Observation>& fitted) {
  constexpr double tolerance = 0.06;
  constexpr std::size_t least = 3;
  std::vector<Stretch> found = stretches(fitted, tolerance, least);
  if (found.empty()) return found;
  const double alpha = found.front().model.seconds_per_message;
  found = stretches(fitted, tolerance, least, alpha);
  for (Stretch& each : found) {
    const auto part = std::span(fitted).subspan(each.first, each.last - each.first + 1);
    const AlphaBeta with_it = fit_beta(part, alpha);
    if (worst_error(with_it, part) <= tolerance) each.model = with_it;
  }
  return found;
}

/// Every other size, the first among them.
bool is_fitted(std::size_t index) { return index % 2 == 0; }

}  // namespace

CollectiveRuns run_collectives(const Lab& lab, Ranks& ranks) {
  constexpr double sampling_share = 0.9;  // the rest goes into checking
  const nlohmann::json arguments = {
      {"seconds", sampling_share * lab.step_seconds()}, {"rounds", 31}, {"minimum_rounds", lab.quick() ? 3 : 7}};
  const nlohmann::json answer = ranks.run(collectives_task, arguments, [&] { lab.tick(); }).front();
  return {race_times(answer.at("all_reduces")), answer.at("library"), ranks.size(),
          ranks.hosts() > 1 ? "network_" : ""};
}

std::optional<Estimate> over_mpi(const CollectiveRuns& runs, const std::string& id, std::size_t bytes) {
  const auto times = runs.all_reduces.find(id);
  if (times == runs.all_reduces.end() || !times->second.contains(bytes)) return std::nullopt;
  return ratio(runs.all_reduces.at(mpi).at(bytes).samples, times->second.at(bytes).samples);
}

Estimate least_over_mpi(const CollectiveRuns& runs, const std::string& id, std::size_t least_bytes) {
  std::optional<Estimate> least;
  for (const auto& [bytes, seconds] : runs.all_reduces.at(mpi)) {
    if (bytes < least_bytes) continue;
    const auto over = over_mpi(runs, id, bytes);
    if (over && (!least || over->median < least->median)) least = over;
  }
  if (!least) throw std::invalid_argument("least_over_mpi: " + id + " did not run");
  return *least;
}

std::vector<Series> race_series(const CollectiveRuns& runs) {
  std::vector<Series> all;
  for (const auto& [id, by_size] : runs.all_reduces) {
    if (!is_window(id) && !id.ends_with("-huge-pages")) all.push_back(time_series(runs, id));
  }
  if (!runs.prefix.empty()) return all;
  for (const char* id : {"ring", "doubling", "through-window", "in-window"}) {
    if (runs.all_reduces.contains(id)) all.push_back(over_mpi_series(runs, id));
  }
  return all;
}

std::optional<RingModel> model_of_ring(const CollectiveRuns& runs) {
  const std::vector<Observation> all = observations(runs, ring());
  const std::vector<std::size_t> sizes = ring_sizes(runs);
  std::vector<Observation> fitted;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_fitted(i)) fitted.push_back(all[i]);
  }
  const std::vector<Stretch> found = stretches_of_ring(fitted);
  const auto longs = std::ranges::max_element(found, {}, [&](const Stretch& s) { return bulky(s, fitted); });
  if (longs == found.end() || bulky(*longs, fitted) == 0) return std::nullopt;
  std::vector<double> errors;
  for (const Stretch& stretch : found) {
    if (&stretch != &*longs && &stretch != &found.front()) continue;
    for (std::size_t i = 2 * stretch.first + 1; i < 2 * stretch.last; i += 2) {
      errors.push_back(std::abs(error(stretch.model, all[i])));
    }
  }
  return RingModel{.longs = longs->model,
                   .from_bytes = sizes[2 * longs->first],
                   .to_bytes = sizes[2 * longs->last],
                   .shorts = longs != found.begin() ? std::optional(found.front().model) : std::nullopt,
                   .median_error = estimate(std::move(errors)).median,
                   .smallest_error = error(longs->model, all.front())};
}

std::vector<Series> model_series(const CollectiveRuns& runs, const RingModel& ring_model) {
  std::vector<Series> all;
  for (const Collective& each : all_reduces()) {
    Series series = {.id = series_id(runs, "model_us", each.id),
                     .label = std::string(each.name) + ", α-β model",
                     .kind = Kind::modelled,
                     .x = bytes_axis,
                     .y = {"time", "us"}};
    for (const std::size_t bytes : ring_sizes(runs)) {
      const Cost cost = each.cost(runs.ranks, static_cast<double>(bytes));
      series.points.emplace_back(static_cast<double>(bytes),
                                 1e6 * ring_model.longs.seconds(cost.steps, cost.path_bytes));
    }
    all.push_back(std::move(series));
  }
  return all;
}

}  // namespace hf::scaling
