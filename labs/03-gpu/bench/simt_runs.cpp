#include "03-gpu/bench/simt_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "03-gpu/kernels/chases.hpp"
#include "03-gpu/kernels/little.hpp"
#include "03-gpu/kernels/simt.hpp"
#include "harness/results.hpp"

namespace hf::gpu {
namespace {

/// 63 instructions for each load: what lies near needs few warps, and HBM most of them.
constexpr WarpProgram busy = {.arithmetic = 63};

const Axis warps_axis = {"warps in flight", "1"};

std::vector<int> warp_counts() {
  std::vector<int> counts = {1, 2};
  for (int warps = 4; warps <= hopper::most_warps; warps += 4) counts.push_back(warps);
  return counts;
}

SimtMachine multiprocessor(int warps, std::int64_t latency, Scheduler scheduler = Scheduler::greedy) {
  return {.warps = warps, .issue_width = hopper::schedulers, .latency = latency, .scheduler = scheduler};
}

SimtRun run_settled(const SimtMachine& machine, const WarpProgram& program) {
  const std::int64_t round = machine.latency + program.arithmetic + 1;
  return run_simt(machine, program, 10 * round, 40 * round);
}

/// Cycles, of a nanosecond each, between a load's issue and that of the instruction that needs it.
std::int64_t cycles_between(double latency_ns) { return std::max(std::lround(latency_ns) - 1, 0L); }

}  // namespace

std::vector<double> simulate_chases(double latency_ns, double lines_in_flight, double stream_gbs) {
  SimtMachine machine;
  machine.latency = cycles_between(latency_ns);
  machine.outstanding = std::max(static_cast<int>(std::lround(lines_in_flight)), 1);
  machine.lines_per_cycle = stream_gbs / line_bytes;
  std::vector<double> gbs;
  for (const int count : chase_counts) {
    machine.warps = count;
    const std::int64_t round = machine.latency + 1;
    gbs.push_back(run_simt(machine, {}, 20 * round, 200 * round).lines_per_cycle() * line_bytes);
  }
  return gbs;
}

Series utilisation_series(const std::string& id, const std::string& label, std::int64_t latency, Scheduler scheduler) {
  Series series = {id, label, Kind::simulated, warps_axis, {"utilisation", "%"}};
  for (const int warps : warp_counts()) {
    const SimtMachine machine = multiprocessor(warps, latency, scheduler);
    series.points.emplace_back(warps, 100 * run_settled(machine, busy).utilisation(machine));
  }
  return series;
}

Series bandwidth_series(const std::string& id, const std::string& label, int lines_per_load) {
  Series series = {id, label, Kind::simulated, warps_axis, {"bandwidth", "%"}};
  for (const int warps : warp_counts()) {
    SimtMachine machine = multiprocessor(warps, hopper::hbm_cycles);
    machine.lines_per_cycle = hopper::lines_per_cycle;
    const SimtRun run = run_settled(machine, {.arithmetic = 3, .lines_per_load = lines_per_load});
    series.points.emplace_back(warps, 100 * run.lines_per_cycle() / hopper::lines_per_cycle);
  }
  return series;
}

Series simulated_device_series(const std::string& id, double load_alone_ns, double most_gbs) {
  constexpr double bytes_per_load = 512, parts = 64;
  SimtMachine machine;
  machine.latency = cycles_between(load_alone_ns);
  machine.lines_per_cycle = most_gbs / bytes_per_load / parts;
  Series series = {id, "simulated", Kind::simulated, {"bytes in flight", "B"}, {"bandwidth", "GB/s"}};
  for (machine.warps = 1; machine.warps <= 512; machine.warps *= 2) {
    machine.issue_width = machine.warps;  // issuing is not in the way
    const double loads_per_ns = run_settled(machine, {}).lines_per_cycle() * parts;
    series.points.emplace_back(machine.warps * bytes_per_load * parts, loads_per_ns * bytes_per_load);
  }
  return series;
}

}  // namespace hf::gpu
