#include "02-matmul/bench/traffic_runs.hpp"

#include <cmath>
#include <cstddef>
#include <string>

#include "02-matmul/kernels/cache_simulator.hpp"
#include "02-matmul/kernels/rungs.hpp"
#include "harness/lab.hpp"
#include "harness/machine.hpp"
#include "harness/results.hpp"
#include "harness/terminal.hpp"

namespace hf::matmul {
namespace {

Traffic square_traffic(const Rung& rung, std::size_t n, const CacheSimulator& caches) {
  constexpr std::size_t stretch = 8;
  if (!rung.rows_alike || n <= 2 * stretch) return rung.trace(n, n, n, caches);
  const Traffic one = rung.trace(stretch, n, n, caches), two = rung.trace(2 * stretch, n, n, caches);
  const auto extrapolate = [&](Level level) {
    return one.*level + (two.*level - one.*level) * (n - stretch) / stretch;
  };
  return {extrapolate(&Traffic::registers_l1), extrapolate(&Traffic::l1_l2), extrapolate(&Traffic::l2_beyond)};
}

}  // namespace

RungTraffic rung_traffic(const Lab& lab, std::size_t n, const CacheSimulator& caches) {
  RungTraffic traffic;
  for (const Rung& rung : rungs()) {
    traffic[rung.id] = square_traffic(rung, n, caches);
    lab.tick();
  }
  return traffic;
}

Series traffic_series(const std::string& id, const std::string& label, Level level, const RungTraffic& traffic) {
  Series series = {id, label, Kind::simulated, {"rung", "1"}, {"bytes moved", "B"}};
  for (const Rung& rung : rungs()) {
    const auto x = static_cast<double>(series.points.size() + 1);
    series.points.emplace_back(x, static_cast<double>(traffic.at(rung.id).*level), rung.label);
  }
  return series;
}

Table traffic_table(std::size_t n, const RungTraffic& traffic) {
  Table table = {
      "Bytes moved at N = " + std::to_string(n) + ", simulated", {"rung", "registers–L1", "L1–L2", "L2–beyond"}, {}};
  for (const Rung& rung : rungs()) {
    const auto& [registers_l1, l1_l2, l2_beyond] = traffic.at(rung.id);
    table.rows.push_back({rung.label, capacity_text(registers_l1), capacity_text(l1_l2), capacity_text(l2_beyond)});
  }
  return table;
}

double uses_per_float(std::size_t n, const Traffic& traffic) {
  return 2 * std::pow(static_cast<double>(n), 3) / (static_cast<double>(traffic.l1_l2) / sizeof(float));
}

}  // namespace hf::matmul
