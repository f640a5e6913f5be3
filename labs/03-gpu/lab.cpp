// Chapter 03, the GPU. One function for each step, in the order of the chapter:
//
//   measure_limits_here    how long does one access take, and how much can arrive?
//   predict_chases         what follows for many chases at a time, before any of them runs?
//   measure_chases_here    what do they bring, on one thread and on two?
//   measure_prefetch       asking early, on a machine that waits
//   measure_divergence     numbers that take different ways, in vectors
//   simulate_core, simulate_gpu   a model of a machine that hides latency, with this machine's numbers and a GPU's
//   predict_gpu            what will the GPU itself do, and why is none measured, where there is none?
//   gpu_steps              the GPU itself, where there is one: cuda/
//   simulate_measured_gpu  the model with the numbers of that GPU
#include "harness/lab.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "01-roofline/kernels/dispatch.hpp"
#include "01-roofline/kernels/kernel_set.hpp"
#include "03-gpu/bench/branch_runs.hpp"
#include "03-gpu/bench/chase_runs.hpp"
#include "03-gpu/bench/cuda/gpu_runs.hpp"
#include "03-gpu/bench/cuda/quoted_ladders.hpp"
#include "03-gpu/bench/gather_runs.hpp"
#include "03-gpu/bench/simt_runs.hpp"
#include "03-gpu/kernels/little.hpp"
#include "03-gpu/kernels/occupancy.hpp"
#include "03-gpu/kernels/simt.hpp"
#include "harness/threads.hpp"

namespace hf::gpu {
namespace {

/// What the steps share.
struct Shared {
  explicit Shared(Lab& lab) : bytes(chase_bytes(lab)) {
    const std::uint64_t cache = lab.machine().last_level_cache_bytes();
    if (bytes >= 4 * cache) return;
    lab.note("the chases have " + capacity_text(bytes) + ", less than four times the largest cache, " +
             capacity_text(cache) + ": what is said of DRAM may be a little too good");
  }

  Pinned pinned;
  std::size_t bytes;  ///< of the memory that is chased and gathered from
  std::optional<Team> team;
  std::optional<ChaseMemory> memory;
  Chases chases;
};

// ---- One access, and what can arrive at most ----

void measure_limits_here(Lab& lab, Shared& shared) {
  if (!lab.machine().huge_pages)
    lab.note("no huge pages: the system gives none, so a chase also waits for translations");
  const Limits limits = measure_limits(lab, *roofline::kernel_sets(lab.machine()).back(), *shared.memory);
  lab.add(Value("chase_latency_ns", limits.latency_ns, "ns", "one access that waits for the one before"));
  lab.add(Value("random_read_gbs", limits.random_gbs, "GB/s", "lines at random whose addresses are known"));
  lab.add(Value("prefetched_read_gbs", limits.prefetched_gbs, "GB/s", "lines at random, each asked for early"));
  lab.add(Value("stream_read_gbs", limits.stream_gbs, "GB/s", "reading in order, 1 thread"));
}

// ---- What follows from it: Little's law, as a straight line and a ceiling ----

/// Lines asked for early show what can arrive: their loads need not wait in the core's window. Without that, the window is
/// full of loads that have come and wait for an older one, before the memory or the fill buffers are.
void predict_chases(Lab& lab) {
  const double latency = lab.value("chase_latency_ns"), limit = lab.value("prefetched_read_gbs");
  lab.add(little_line("little_line", latency, limit));
  lab.add(Value("little_knee_predicted", lines_in_flight(latency, limit), "1", Kind::modelled,
                "chases at the knee, predicted"));
  lab.show(little_table(latency, limit));
}

void measure_latency_and_bandwidth(Lab& lab, Shared& shared) {
  shared.team.emplace(lab.machine().cores > 1 ? 2 : 1);
  shared.memory.emplace(*shared.team, shared.bytes);
  measure_limits_here(lab, shared);
  predict_chases(lab);
}

// ---- Many chases at a time ----

void measure_chases_here(Lab& lab, Shared& shared) {
  const Chases& chases = shared.chases = measure_chases(lab, *shared.memory, *shared.team);
  lab.add(chase_series("chases_bandwidth", "measured, 1 thread", Kind::measured, chases.one_thread));
  lab.add(Value("mlp_bandwidth_gain", chases.gain_best, "1", "the best number of chases over one"));
  lab.add(Value("mlp_gain_16", chases.gain_16, "1", "16 chases over one"));
  lab.derived("little_knee_measured", measured_knee(chases));
  const double factor = lab.value("little_knee_predicted") / lab.value("little_knee_measured");
  lab.derived("little_knee_missed", std::max(factor, 1 / factor));
  lab.derived("lines_in_flight", lines_in_flight(chases.latency_ns(), chases.one_thread[chases.best].median));
  if (shared.team->size() > 1) {
    lab.add(chase_series("chases_bandwidth_2", "measured, 2 threads", Kind::measured, chases.two_threads));
    lab.add(Value("mlp_two_threads_gain", chases.two_threads_gain, "1", "two threads over one"));
  } else {
    lab.note("one core: chases on two threads were not measured");
  }
  shared.memory.reset();
  shared.team.reset();
}

// ---- Asking early ----

void measure_prefetch(Lab& lab, Shared& shared) {
  const Gathers gathers = measure_gathers(lab, shared.bytes);
  lab.add(prefetch_series("prefetch_speed", gathers));
  lab.add(Value("prefetch_gain", gathers.gain_best, "1", "asking early over not asking"));
  lab.derived("prefetch_best_distance", static_cast<double>(prefetch_distances[gathers.best]));
}

// ---- Numbers that take different ways ----

void measure_divergence(Lab& lab) {
  const Branches branches = measure_branches(lab);
  for (Series& series : divergence_series(branches)) lab.add(std::move(series));
  lab.add(Value("divergence_cost_half", branches.cost_half, "1"));
  lab.add(Value("divergence_sorted_gain", branches.sorted_gain_10, "1"));
  lab.add(Value("divergence_vector_gain_half", branches.vector_gain_half, "1"));
}

// ---- The model: with this machine's numbers, and with a GPU's ----

void simulate_core(Lab& lab, const Chases& chases) {
  const std::vector<double> gbs =
      simulate_chases(chases.latency_ns(), lab.value("lines_in_flight"), lab.value("stream_read_gbs"));
  std::vector<double> errors;
  for (std::size_t i = 0; i < gbs.size(); ++i) errors.push_back(std::abs(gbs[i] / chases.one_thread[i].median - 1));
  lab.add(chase_series("simt_chases", "simulated", Kind::simulated, gbs));
  lab.simulated("simt_little_error", estimate(errors).median);
}

void simulate_gpu(Lab& lab) {
  lab.add(utilisation_series("simt_utilisation_29", "shared memory", hopper::shared_cycles));
  lab.add(utilisation_series("simt_utilisation_250", "L2", hopper::l2_cycles));
  lab.add(utilisation_series("simt_utilisation_700", "HBM", hopper::hbm_cycles));
  lab.add(utilisation_series("simt_round_robin_700", "HBM, round robin", hopper::hbm_cycles, Scheduler::round_robin));
  lab.tick();

  const Series narrow = bandwidth_series("simt_bandwidth", "4 bytes for each thread", 1);
  lab.simulated("simt_bandwidth_full", narrow.points.back().y.median / 100);
  lab.add(narrow);
  lab.add(bandwidth_series("simt_bandwidth_wide", "16 bytes for each thread", 4));
  lab.modelled("occupancy_warps_128", resident_warps({}, {.registers_per_thread = 128}));
}

void simulate_latency_hiding(Lab& lab, Shared& shared) {
  simulate_core(lab, shared.chases);
  simulate_gpu(lab);
}

// ---- The GPU itself ----

void predict_gpu(Lab& lab) {
  add_quoted_ladders(lab);
  predict_ladders(lab);
  if (const std::string why = gpu_unavailable(); !why.empty()) lab.note("no GPU was measured: " + why);
}

void simulate_measured_gpu(Lab& lab) {
  if (!lab.has("gpu_load_alone_ns") || !lab.has("gpu_in_flight_gbs")) return;
  lab.add(
      simulated_device_series("simt_gpu_bandwidth", lab.value("gpu_load_alone_ns"), lab.value("gpu_in_flight_gbs")));
}

std::vector<Step> all_steps(std::optional<Shared>& shared) {
  std::vector<Step> steps = {{"latency and bandwidth", with(shared, measure_latency_and_bandwidth), 2, 5},
                             {"chases", with(shared, measure_chases_here), 3, 12, {"latency and bandwidth"}},
                             {"prefetch", with(shared, measure_prefetch), 1, 5},
                             {"divergence", measure_divergence, 1, 4},
                             {"SIMT model", with(shared, simulate_latency_hiding), 1, 1, {"chases"}},
                             {"ladders, predicted", predict_gpu, 0, 0}};
  std::ranges::move(gpu_steps(), std::back_inserter(steps));
  steps.push_back({"SIMT model of this GPU", simulate_measured_gpu, 0, 0, {"GPU latency", "GPU bytes in flight"}});
  return steps;
}

}  // namespace
}  // namespace hf::gpu

int main(int argc, char** argv) {
  std::optional<hf::gpu::Shared> shared;
  const hf::LabInfo info = {.id = "03-gpu",
                            .title = "The GPU",
                            .prepare = [&](hf::Lab& lab) { shared.emplace(lab); },
                            .steps = hf::gpu::all_steps(shared)};
  return hf::run_lab(info, argc, argv);
}
