// Chapter 03, the GPU. One function for each step, in the order of the chapter:
//
//   measure_limits_here    how long does one access take, and how much can arrive?
//   predict_chases         what follows for many walks at a time, before any of them runs?
//   measure_chases_here    what do they bring, on one thread and on two?
//   measure_prefetch       asking early, on a machine that waits
//   measure_divergence     numbers that take different ways, in vectors
//   simulate_chases, simulate_gpu   a model of a machine that hides latency, with this machine's numbers and a GPU's
//   measure_gpu            the GPU itself, where there is one: cuda/
//   simulate_measured_gpu  the model with the numbers of that GPU
//   decide_claims          which sentences of the chapter hold here?
#include "harness/lab.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "01-roofline/dispatch.hpp"
#include "03-gpu/branch_runs.hpp"
#include "03-gpu/branches.hpp"
#include "03-gpu/chase_runs.hpp"
#include "03-gpu/cuda/gpu_runs.hpp"
#include "03-gpu/cuda/quoted_ladders.hpp"
#include "03-gpu/gather_runs.hpp"
#include "03-gpu/little.hpp"
#include "03-gpu/occupancy.hpp"
#include "03-gpu/simt.hpp"
#include "harness/threads.hpp"

namespace hf::gpu {
namespace {

const Axis chases_axis = {"walks at a time", "1"}, bandwidth_axis = {"bandwidth", "GB/s"};
const Axis warps_axis = {"warps in flight", "1"};

/// A number that follows from others that were measured.
void add_derived(Lab& lab, const std::string& id, double value, const std::string& unit = "1") {
  lab.add(Value(id, value, unit, Kind::measured));
}

void add_simulated(Lab& lab, const std::string& id, double value, const std::string& unit = "1") {
  lab.add(Value(id, value, unit, Kind::simulated));
}

bool has_value(const Lab& lab, const std::string& id) {
  const auto& values = lab.results().values;
  return std::any_of(values.begin(), values.end(), [&](const Value& each) { return each.id == id; });
}

// ---- One access, and what can arrive at most ----

void measure_limits_here(Lab& lab, const roofline::KernelSet& set, ChaseMemory& memory) {
  lab.begin("latency and bandwidth");
  if (!lab.machine().huge_pages)
    lab.note("no huge pages: the system gives none, so a walk also waits for translations");
  const Limits limits = measure_limits(lab, set, memory);
  lab.add(Value("chase_latency_ns", limits.latency_ns, "ns", "one access that waits for the one before"));
  lab.add(Value("random_read_gbs", limits.random_gbs, "GB/s", "lines at random whose addresses are known"));
  lab.add(Value("prefetched_read_gbs", limits.prefetched_gbs, "GB/s", "lines at random, each asked for early"));
  lab.add(Value("stream_read_gbs", limits.stream_gbs, "GB/s", "reading in order, 1 thread"));
}

// ---- What follows from it ----

/// Little's law, as a straight line and a ceiling.
void predict_chases(Lab& lab) {
  const double latency = lab.value("chase_latency_ns"), limit = lab.value("random_read_gbs");
  const double predicted = lines_in_flight(latency, limit);
  Series line = {"little_line", "Little's law", Kind::modelled, chases_axis, bandwidth_axis};
  for (int count = 1; count <= most_chases; ++count) {
    if (count > predicted && count - 1 < predicted) line.points.emplace_back(predicted, limit);
    line.points.emplace_back(count, little_gbs(count, latency, limit));
  }
  Table table = {"Predictions, 1 thread; no two walks have been timed together yet",
                 {"walks at a time", "GB/s", "over one walk"},
                 {}};
  const double one = little_gbs(1, latency, limit);
  for (const int count : {1, 2, 4, 8, 16, 32}) {
    const double gbs = little_gbs(count, latency, limit);
    table.rows.push_back({std::to_string(count), number_text(gbs), number_text(gbs / one)});
  }
  table.rows.push_back({"knee: " + number_text(predicted), number_text(limit), number_text(limit / one)});
  lab.add(std::move(line));
  lab.add(Value("little_knee_predicted", predicted, "1", Kind::modelled, "walks at the knee, predicted"));
  lab.add(Value("stream_knee", lines_in_flight(latency, lab.value("stream_read_gbs")), "1", Kind::modelled,
                "lines in flight that reading in order takes"));
  lab.add(Value("prefetched_lines_in_flight", lines_in_flight(latency, lab.value("prefetched_read_gbs")), "1",
                Kind::modelled, "lines in flight, each asked for early"));
  lab.show(table);
}

// ---- Many walks at a time ----

Series chase_series(std::string id, std::string label, const std::vector<Estimate>& gbs) {
  Series series = {std::move(id), std::move(label), Kind::measured, chases_axis, bandwidth_axis};
  for (std::size_t i = 0; i < gbs.size(); ++i) series.points.emplace_back(chase_counts[i], gbs[i]);
  return series;
}

double measured_knee(const std::vector<Estimate>& gbs) {
  std::vector<double> counts(chase_counts.begin(), chase_counts.end()), medians;
  for (const Estimate& each : gbs) medians.push_back(each.median);
  return knee(counts, medians);
}

void measure_chases_here(Lab& lab, ChaseMemory& memory, Team& team) {
  lab.begin("chases");
  const Chases chases = measure_chases(lab, memory, team);
  lab.add(chase_series("chases_bandwidth", "measured, 1 thread", chases.one_thread));
  const Estimate& best = chases.one_thread[chases.best];
  lab.add(Value("chase_best_gbs", best, "GB/s", "most that walks bring, 1 thread"));
  add_derived(lab, "chase_best_count", chase_counts[chases.best]);
  lab.add(Value("mlp_bandwidth_gain", chases.gain_best, "1", "the best number of walks over one"));
  lab.add(Value("mlp_gain_16", chases.gain_16, "1", "16 walks over one"));
  add_derived(lab, "little_knee_measured", measured_knee(chases.one_thread));
  const double factor = lab.value("little_knee_predicted") / lab.value("little_knee_measured");
  add_derived(lab, "little_knee_missed", std::max(factor, 1 / factor));
  const double latency = line_bytes / chases.one_thread.front().median;  // of the single walk among the others
  add_derived(lab, "chase_latency_among_ns", latency, "ns");
  add_derived(lab, "lines_in_flight", lines_in_flight(latency, best.median));
  if (team.size() > 1) {
    lab.add(chase_series("chases_bandwidth_2", "measured, 2 threads", chases.two_threads));
    lab.add(Value("mlp_two_threads_gain", chases.two_threads_gain, "1", "two threads over one"));
  } else {
    lab.note("one core: walks on two threads were not measured");
  }
  lab.plot("Bandwidth of walks, 1 thread", {"chases_bandwidth", "little_line"});
}

// ---- Asking early ----

void measure_prefetch(Lab& lab, std::size_t bytes) {
  lab.begin("prefetch");
  const Gathers gathers = measure_gathers(lab, bytes);
  Series series = {"prefetch_speed", "lookups", Kind::measured, {"rows ahead", "1"}, {"lookups per microsecond", "1"}};
  for (std::size_t i = 0; i < prefetch_distances.size(); ++i)
    series.points.emplace_back(static_cast<double>(prefetch_distances[i]), gathers.lookups_per_us[i]);
  lab.add(std::move(series));
  lab.add(
      Value("prefetch_none_speed", gathers.lookups_per_us.front(), "1", "lookups per microsecond, not asked early"));
  lab.add(Value("prefetch_best_speed", gathers.lookups_per_us[gathers.best], "1", "lookups per microsecond, at best"));
  lab.add(Value("prefetch_gain", gathers.gain_best, "1", "asking early over not asking"));
  add_derived(lab, "prefetch_best_distance", static_cast<double>(prefetch_distances[gathers.best]));
  lab.plot("Lookups by prefetch distance", {"prefetch_speed"});
}

// ---- Numbers that take different ways ----

void measure_divergence(Lab& lab) {
  lab.begin("divergence");
  const Branches branches = measure_branches(lab);
  const Axis share = {"numbers that go the long way", "%"}, time = {"time per number", "ns"};
  const auto add = [&](const char* id, const char* label, const std::vector<Estimate>& ns) {
    Series series = {id, label, Kind::measured, share, time};
    for (std::size_t i = 0; i < ns.size(); ++i) series.points.emplace_back(long_way_percents[i], ns[i]);
    lab.add(std::move(series));
  };
  add("divergence_vector", "vectors, random order", branches.vector);
  add("divergence_sorted", "vectors, sorted", branches.vector_sorted);
  add("divergence_scalar", "one number at a time", branches.scalar);
  Series model = {"divergence_model", "any lane, both ways", Kind::modelled, share, time};
  for (int percent = 0; percent <= 100; ++percent)
    model.points.emplace_back(percent, divergence_model(percent / 100.0, vector_lanes(), branches.vector.front().median,
                                                        branches.vector.back().median));
  lab.add(std::move(model));
  lab.add(Value("divergence_lanes", static_cast<double>(vector_lanes()), "1", Kind::modelled, "numbers in a vector"));
  lab.add(Value("divergence_cost_half", branches.cost_half, "1"));
  lab.add(Value("divergence_sorted_gain", branches.sorted_gain_10, "1"));
  lab.add(Value("divergence_vector_gain_half", branches.vector_gain_half, "1"));
  lab.plot("Time per number by share of the long way", {"divergence_vector", "divergence_sorted"});
}

// ---- The model: with this machine's numbers ----

/// One thread as a machine whose warps are walks. A cycle of the model is a nanosecond. It is told what one walk takes
/// and how many lines are in flight where the curve is highest, its two ends, and what reading in order brings; all
/// between is its own.
void simulate_chases(Lab& lab) {
  lab.begin("SIMT model");
  SimtMachine machine;
  machine.latency = std::max(std::lround(lab.value("chase_latency_among_ns")) - 1, 0L);
  machine.outstanding = std::max(static_cast<int>(std::lround(lab.value("lines_in_flight"))), 1);
  machine.lines_per_cycle = lab.value("stream_read_gbs") / line_bytes;
  Series series = {"simt_chases", "simulated", Kind::simulated, chases_axis, bandwidth_axis};
  std::vector<double> errors;
  const auto& measured = lab.results().series;
  const auto curve =
      std::find_if(measured.begin(), measured.end(), [](const Series& each) { return each.id == "chases_bandwidth"; });
  for (const Point& point : curve->points) {
    machine.warps = static_cast<int>(point.x);
    const std::int64_t round = machine.latency + 1;
    const double gbs = run_simt(machine, {}, 20 * round, 200 * round).lines_per_cycle() * line_bytes;
    series.points.emplace_back(point.x, gbs);
    errors.push_back(std::abs(gbs / point.y.median - 1));
  }
  lab.add(std::move(series));
  add_simulated(lab, "simt_little_error", estimate(errors).median);
}

// ---- The model: with a GPU's numbers ----

/// Numbers of Hopper GPUs that others measured or published. Latencies are the middle of the ranges that sources give:
/// shared memory 28 to 30 cycles, L2 219 to 281, HBM 570 to 834. The rest is the H200: four schedulers and at most 64 warps
/// in a multiprocessor, 132 of these, 4.8 TB/s, 1.98 GHz.
namespace hopper {
constexpr int schedulers = 4, most_warps = 64, multiprocessors = 132;
constexpr std::int64_t shared_cycles = 29, l2_cycles = 250, hbm_cycles = 700;
constexpr double line = 128, memory_bytes_per_s = 4.8e12, clock_hz = 1.98e9;
constexpr double lines_per_cycle = memory_bytes_per_s / line / clock_hz / multiprocessors;
}  // namespace hopper

std::vector<int> warp_counts() {
  std::vector<int> counts = {1, 2};
  for (int warps = 4; warps <= hopper::most_warps; warps += 4) counts.push_back(warps);
  return counts;
}

SimtMachine multiprocessor(int warps, std::int64_t latency) {
  return {.warps = warps, .issue_width = hopper::schedulers, .latency = latency};
}

SimtRun run_settled(const SimtMachine& machine, const WarpProgram& program) {
  const std::int64_t round = machine.latency + program.arithmetic + 1;
  return run_simt(machine, program, 10 * round, 40 * round);
}

/// Utilisation over warps, where only latency is in the way.
/// \return the largest distance from the closed form, which is that of the greedy scheduler
double add_utilisation(Lab& lab, const std::string& id, const std::string& label, std::int64_t latency,
                       const WarpProgram& program, Scheduler scheduler) {
  Series series = {id, label, Kind::simulated, warps_axis, {"utilisation", "%"}};
  double error = 0;
  for (const int warps : warp_counts()) {
    SimtMachine machine = multiprocessor(warps, latency);
    machine.scheduler = scheduler;
    const double utilisation = run_settled(machine, program).utilisation(machine);
    error = std::max(error, std::abs(utilisation - closed_form_utilisation(machine, program)));
    series.points.emplace_back(warps, 100 * utilisation);
  }
  lab.add(std::move(series));
  return error;
}

/// The least number of warps that keeps the machine as good as always busy.
int warps_needed(std::int64_t latency, const WarpProgram& program) {
  for (int warps = 1; warps < hopper::most_warps; ++warps) {
    const SimtMachine machine = multiprocessor(warps, latency);
    if (run_settled(machine, program).utilisation(machine) >= 0.99) return warps;
  }
  return hopper::most_warps;
}

/// Share of its bandwidth that one multiprocessor gets, with loads of so many lines.
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

void add_occupancy(Lab& lab) {
  Series series = {"occupancy_registers",
                   "blocks of 256 threads",
                   Kind::modelled,
                   {"registers of a thread", "1"},
                   {"warps in flight", "1"}};
  for (int registers = 16; registers <= 256; registers += 8)
    series.points.emplace_back(registers, resident_warps({}, {.registers_per_thread = std::min(registers, 255)}));
  lab.add(std::move(series));
  for (const int registers : {32, 64, 128, 255})
    lab.add(Value("occupancy_warps_" + std::to_string(registers),
                  resident_warps({}, {.registers_per_thread = registers}), "1"));
}

void simulate_gpu(Lab& lab) {
  const WarpProgram busy = {.arithmetic = 63};
  const auto greedy = Scheduler::greedy;
  double error = add_utilisation(lab, "simt_utilisation_29", "shared memory", hopper::shared_cycles, busy, greedy);
  error = std::max(error, add_utilisation(lab, "simt_utilisation_250", "L2", hopper::l2_cycles, busy, greedy));
  error = std::max(error, add_utilisation(lab, "simt_utilisation_700", "HBM", hopper::hbm_cycles, busy, greedy));
  add_utilisation(lab, "simt_round_robin_700", "HBM, round robin", hopper::hbm_cycles, busy, Scheduler::round_robin);
  add_simulated(lab, "simt_closed_form_error", error);
  add_simulated(lab, "simt_knee_warps", warps_needed(hopper::hbm_cycles, busy));
  lab.tick();

  const Series narrow = bandwidth_series("simt_bandwidth", "4 bytes for each thread", 1);
  const Series wide = bandwidth_series("simt_bandwidth_wide", "16 bytes for each thread", 4);
  add_simulated(lab, "simt_bandwidth_full", narrow.points.back().y.median / 100);
  add_simulated(lab, "simt_bandwidth_wide_full", wide.points.back().y.median / 100);
  lab.add(narrow);
  lab.add(wide);
  add_occupancy(lab);
  lab.plot("Utilisation of a multiprocessor, in per cent",
           {"simt_utilisation_29", "simt_utilisation_250", "simt_utilisation_700"});
}

/// A whole device, told what one load takes alone and what arrives at most, as measured: the bandwidth between. A cycle
/// of the model is a nanosecond, its line what a warp loads at once, and it is a share of the device, as its parts are
/// alike.
void simulate_measured_gpu(Lab& lab) {
  if (!has_value(lab, "gpu_load_alone_ns") || !has_value(lab, "gpu_in_flight_gbs")) return;
  constexpr double bytes_per_load = 512, parts = 64;
  SimtMachine machine;
  machine.latency = std::max(std::lround(lab.value("gpu_load_alone_ns")) - 1, 0L);
  machine.lines_per_cycle = lab.value("gpu_in_flight_gbs") / bytes_per_load / parts;
  Series series = {"simt_gpu_bandwidth", "simulated", Kind::simulated, {"bytes in flight", "B"}, bandwidth_axis};
  for (machine.warps = 1; machine.warps <= 512; machine.warps *= 2) {
    machine.issue_width = machine.warps;  // issuing is not in the way
    const double loads_per_ns = run_settled(machine, {}).lines_per_cycle() * parts;
    series.points.emplace_back(machine.warps * bytes_per_load * parts, loads_per_ns * bytes_per_load);
  }
  lab.add(std::move(series));
}

// ---- Which sentences hold here? ----

void decide_claims(Lab& lab) {
  const auto claim = [&](const char* id, const char* text, const char* value, const char* bound) {
    if (has_value(lab, value)) lab.add(Claim(id, text, lab.value(value), bound));
  };
  claim("chases-scale", "Sixteen walks at a time bring at least eight times the bandwidth of one.", "mlp_gain_16",
        ">= 8");
  claim("little-predicts-knee",
        "Latency times bandwidth, measured before, says where the curve bends: within a factor of one and a half.",
        "little_knee_missed", "<= 1.5");
  claim("two-threads-wait-together",
        "Two threads on two cores bring at least one and a half times the bandwidth of one, each with as many walks.",
        "mlp_two_threads_gain", ">= 1.5");
  claim("prefetch-pays", "Asking early makes lookups with some work on each at least twice as fast.", "prefetch_gain",
        ">= 2");
  claim("divergence-costs",
        "When half of the numbers go the long way, in random order, vectors take at least one and a half times as long "
        "as for the same work on lanes that agree.",
        "divergence_cost_half", ">= 1.5");
  claim("sorting-helps",
        "When one number in ten goes the long way, sorting them first makes vectors at least one and a half times as "
        "fast.",
        "divergence_sorted_gain", ">= 1.5");
  claim(
      "divided-vectors-still-win",
      "Even when half of the numbers go the long way, in random order, vectors are at least as fast as one number at a "
      "time.",
      "divergence_vector_gain_half", ">= 1");
  claim("model-matches-closed-form",
        "Where only latency is in the way, the simulated utilisation is the closed form's within one point.",
        "simt_closed_form_error", "<= 0.01");
  claim("model-follows-measurement",
        "With this machine's latency and plateau, the model is within a quarter of the measured bandwidth for half of "
        "the numbers of walks.",
        "simt_little_error", "<= 0.25");
}

void measure_latency_hiding(Lab& lab) {
  const Pinned pinned;
  const std::size_t bytes = chase_bytes(lab);
  if (bytes < 4 * lab.machine().last_level_cache_bytes()) {
    lab.note("the walks have " + capacity_text(bytes) + ", less than four times the largest cache, " +
             capacity_text(lab.machine().last_level_cache_bytes()) + ": what is said of DRAM may be a little too good");
  }
  {
    Team team(lab.machine().cores > 1 ? 2 : 1);
    ChaseMemory memory(team, bytes);
    measure_limits_here(lab, *roofline::kernel_sets(lab.machine()).back(), memory);
    predict_chases(lab);
    measure_chases_here(lab, memory, team);
  }
  measure_prefetch(lab, bytes);
  measure_divergence(lab);
  simulate_chases(lab);
  simulate_gpu(lab);
  add_quoted_ladders(lab);
  measure_gpu(lab);
  simulate_measured_gpu(lab);
  decide_claims(lab);
}

}  // namespace
}  // namespace hf::gpu

int main(int argc, char** argv) {
  hf::LabInfo info = {.id = "03-gpu",
                      .title = "The GPU",
                      .steps = {{"latency and bandwidth", 2, 5},
                                {"chases", 3, 12},
                                {"prefetch", 1, 5},
                                {"divergence", 1, 4},
                                {"SIMT model", 1, 1}}};
  for (hf::Step& step : hf::gpu::gpu_steps()) info.steps.push_back(std::move(step));
  return hf::run_lab(info, argc, argv, hf::gpu::measure_latency_hiding);
}
