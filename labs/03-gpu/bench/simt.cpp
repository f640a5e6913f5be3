// A model of a machine that hides latency, with numbers of this core, of published GPUs, and of a measured GPU.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "03-gpu/bench/steps.hpp"
#include "03-gpu/kernels/chases.hpp"
#include "03-gpu/kernels/little.hpp"
#include "03-gpu/kernels/occupancy.hpp"
#include "03-gpu/kernels/simt.hpp"
#include "harness/measure/results.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/report/lab.hpp"

namespace hf::gpu {
namespace {

/// Numbers of Hopper GPUs that others measured or published. The latencies are within the ranges of the sources: shared
/// memory 28 to 30 cycles, L2 219 to 291, HBM 658 to 834. The others are those of the H200: four schedulers and at most
/// 64 warps in a multiprocessor, 132 multiprocessors, 4.8 TB/s, 1.98 GHz.
namespace hopper {
constexpr int schedulers = 4, most_warps = 64, multiprocessors = 132;
constexpr std::int64_t shared_cycles = 29, l2_cycles = 250, hbm_cycles = 700;
constexpr double line = 128, memory_bytes_per_s = 4.8e12, clock_hz = 1.98e9;
constexpr double lines_per_cycle = memory_bytes_per_s / line / clock_hz / multiprocessors;
}  // namespace hopper

/// 63 instructions for each load: near memory needs few warps, and HBM most of them.
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

/// Returns the cycles, of 1 ns each, between the issue of a load and that of the instruction that needs its result.
std::int64_t cycles_between(double latency_ns) { return std::max(std::lround(latency_ns) - 1, 0L); }

/// Simulates one thread as a machine whose warps are chases; a cycle of the model is 1 ns. The inputs are the latency
/// of one chase, the lines in flight at the highest measured bandwidth, and the bandwidth of reading in order. All
/// values in between follow from the model.
/// \return GB/s, in the order of chase_counts
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

/// Returns the utilisation of a multiprocessor over its warps, %, limited only by latency.
Series utilisation_series(const std::string& id, const std::string& label, std::int64_t latency,
                          Scheduler scheduler = Scheduler::greedy) {
  Series series = {id, label, Kind::simulated, warps_axis, {"utilisation", "%"}};
  for (const int warps : warp_counts()) {
    const SimtMachine machine = multiprocessor(warps, latency, scheduler);
    series.points.emplace_back(warps, 100 * run_settled(machine, busy).utilisation(machine));
  }
  return series;
}

/// Returns the share of its bandwidth that a multiprocessor reaches over its warps, %, with loads of `lines_per_load`
/// lines from HBM.
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

/// Returns the bandwidth of a whole device over the bytes in flight, simulated from the latency of one load alone and
/// the largest bandwidth. A cycle of the model is 1 ns, its line is what a warp loads at once, and it simulates 1/64 of
/// the device, as all parts are alike.
Series simulated_device_series(const std::string& id, double load_alone_ns, double most_gbs) {
  constexpr double bytes_per_load = 512, parts = 64;
  SimtMachine machine;
  machine.latency = cycles_between(load_alone_ns);
  machine.lines_per_cycle = most_gbs / bytes_per_load / parts;
  Series series = {id, "simulated", Kind::simulated, {"bytes in flight", "B"}, {"bandwidth", "GB/s"}};
  for (machine.warps = 1; machine.warps <= 512; machine.warps *= 2) {
    machine.issue_width = machine.warps;  // so that issuing is not the limit
    const double loads_per_ns = run_settled(machine, {}).lines_per_cycle() * parts;
    series.points.emplace_back(machine.warps * bytes_per_load * parts, loads_per_ns * bytes_per_load);
  }
  return series;
}

void simulate_core(Lab& lab, const std::vector<Estimate>& measured) {
  const std::vector<double> gbs =
      simulate_chases(line_bytes / measured.front().median, lab.value("lines_in_flight"), lab.value("stream_read_gbs"));
  lab.add(chase_series("simt_chases", "simulated", Kind::simulated, gbs));
}

void simulate_gpu(Lab& lab) {
  lab.add(utilisation_series("simt_utilisation_29", "shared memory", hopper::shared_cycles));
  lab.add(utilisation_series("simt_utilisation_250", "L2", hopper::l2_cycles));
  lab.add(utilisation_series("simt_utilisation_700", "HBM", hopper::hbm_cycles));
  lab.add(utilisation_series("simt_round_robin_700", "HBM, round robin", hopper::hbm_cycles, Scheduler::round_robin));
  lab.tick();

  const Series narrow = bandwidth_series("simt_bandwidth", "4 bytes for each thread", narrow_load_lines);
  lab.simulated("simt_bandwidth_full", narrow.points.back().y.median / 100);
  lab.add(narrow);
  lab.add(bandwidth_series("simt_bandwidth_wide", "16 bytes for each thread", wide_load_lines));
  lab.modelled("occupancy_warps_128", resident_warps({}, {.registers_per_thread = 128}));
}

}  // namespace

void simulate_latency_hiding(Lab& lab, Shared& shared) {
  simulate_core(lab, shared.one_thread_gbs);
  simulate_gpu(lab);
}

void simulate_measured_gpu(Lab& lab) {
  if (!lab.has("gpu_load_alone_ns") || !lab.has("gpu_in_flight_gbs")) return;
  lab.add(
      simulated_device_series("simt_gpu_bandwidth", lab.value("gpu_load_alone_ns"), lab.value("gpu_in_flight_gbs")));
}

}  // namespace hf::gpu
