// Bytes that each rung of the ladder moves between neighbouring memory levels, for one square product. Simulated before
// any rung is timed.
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "02-matmul/bench/steps.hpp"
#include "02-matmul/kernels/rungs.hpp"
#include "harness/machine/machine.hpp"
#include "harness/measure/kernel_choice.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/shown_as.hpp"
#include "harness/report/lab.hpp"
#include "kit/cache_simulator.hpp"

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

/// Finds the peers before this thread is pinned, so that their own threads aren't pinned with it.
std::vector<Peer> peers_of_all_cores(const Lab& lab) {
  std::vector<Peer> peers = find_peers();
  for (const Peer& peer : peers) {
    for (const Kernels& kernels : peer.kernels) {
      if (kernels.set_threads) kernels.set_threads(lab.machine().cores);
    }
  }
  return peers;
}

CacheSimulator simulated_caches(Lab& lab) {
  const CacheGeometry l1 = detect_geometry(lab.machine(), 1), l2 = detect_geometry(lab.machine(), 2);
  lab.modelled("simulated_l2_ways", static_cast<double>(l2.ways));
  lab.modelled("simulated_l2_sets", static_cast<double>(l2.sets()));
  if (lab.machine().cache_bytes(1) == 0 || lab.machine().cache_bytes(2) == 0) {
    lab.note("this machine does not report its caches, so traffic is simulated for typical ones");
  }
  return {l1, l2};
}

}  // namespace

Shared::Shared(Lab& lab) : peers(peers_of_all_cores(lab)), pinned(lab.machine().cores), caches(simulated_caches(lab)) {}

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

double uses_per_float(std::size_t n, const Traffic& traffic) {
  return 2 * std::pow(static_cast<double>(n), 3) / (static_cast<double>(traffic.l1_l2) / sizeof(float));
}

void count_traffic(Lab& lab, Shared& shared) {
  const std::size_t n = anatomy_size(lab);
  const auto size = static_cast<double>(n);
  const RungTraffic traffic = rung_traffic(lab, n, shared.caches);
  const auto saves = [&](Level level, const char* from, const char* to) {
    return static_cast<double>(traffic.at(from).*level) / static_cast<double>(traffic.at(to).*level);
  };
  lab.simulated("anatomy_n", size);
  lab.simulated("compulsory_bytes", 3 * 4 * size * size, "B");  // reads a and b, writes c
  lab.simulated("blocking_saves_beyond", saves(&Traffic::l2_beyond, "loop_order", "blocked"));
  lab.simulated("register_tile_saves_l1", saves(&Traffic::registers_l1, "blocked", "register_tile"));
  lab.simulated("naive_uses_per_float", uses_per_float(n, traffic.at("naive")));
  lab.add(traffic_series("traffic_registers", shown_as("between registers and L1"), &Traffic::registers_l1, traffic));
  lab.add(traffic_series("traffic_l2", shown_as("between L1 and L2"), &Traffic::l1_l2, traffic));
  lab.add(
      traffic_series("traffic_beyond", shown_as("between L2 and the memory beyond it"), &Traffic::l2_beyond, traffic));
  lab.show("Bytes moved at N = " + std::to_string(n) + ", simulated",
           {"traffic_registers", "traffic_l2", "traffic_beyond"});
}

}  // namespace hf::matmul
