// Chapter 02, everything is matrix multiplication. One function for each step, in the order of the chapter:
//
//   measure_peak          the roof, at first
//   count_traffic         how many bytes does each rung of the ladder move? (simulated, before any is timed)
//   climb_the_ladder      how fast is each, from small matrices to large ones?
//   measure_conflict      why does the naive product collapse where N is a power of two?
//   measure_blocks        does the model choose the right block?
//   measure_layers        convolution, attention and a perceptron, by definition and as matrix products
//   race                  the fastest product against other people's libraries (race.cpp)
#include "harness/lab.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "02-matmul/bench/block_runs.hpp"
#include "02-matmul/bench/conflict_runs.hpp"
#include "02-matmul/bench/ladder.hpp"
#include "02-matmul/bench/layer_runs.hpp"
#include "02-matmul/bench/peers.hpp"
#include "02-matmul/bench/race.hpp"
#include "02-matmul/bench/sizes.hpp"
#include "02-matmul/bench/traffic_runs.hpp"
#include "02-matmul/kernels/attention.hpp"
#include "02-matmul/kernels/cache_simulator.hpp"
#include "02-matmul/kernels/convolution.hpp"
#include "02-matmul/kernels/gemm.hpp"
#include "common/pinned_openmp.hpp"
#include "harness/peaks.hpp"

namespace hf::matmul {
namespace {

// ---- The roof: a first look, for how much a machine can be asked to do. What is held against it has it in its rounds. ----

void measure_peak(Lab& lab) {
  Team one(1);
  lab.add(
      Value(first_peak_id, peak_gflops(Precision::fp32, one, lab.plan()), "GFLOP/s", "fp32 peak at first, 1 thread"));
  if (is_slow(lab)) lab.note("a very slow core: the ladder, the blocks and the layers were measured at smaller sizes");
}

// ---- How many bytes does each rung move? ----

/// Threads of their own are made before this one is pinned.
std::vector<Peer> peers_of_all_cores(const Lab& lab) {
  std::vector<Peer> peers = find_peers();
  for (const Peer& peer : peers) {
    if (peer.set_threads) peer.set_threads(lab.machine().cores);
  }
  return peers;
}

CacheSimulator simulated_caches(Lab& lab) {
  const CacheGeometry l1 = detect_geometry(lab.machine(), 1), l2 = detect_geometry(lab.machine(), 2);
  lab.modelled("simulated_l2_ways", static_cast<double>(l2.ways));
  lab.modelled("simulated_l2_sets", static_cast<double>(l2.sets()));
  if (lab.machine().cache_bytes(1) == 0 || lab.machine().cache_bytes(2) == 0) {
    lab.note("this machine does not tell its caches: traffic is simulated for typical ones");
  }
  return {l1, l2};
}

/// What the steps share.
struct Shared {
  explicit Shared(Lab& lab)
      : peers(peers_of_all_cores(lab)), pinned(lab.machine().cores), caches(simulated_caches(lab)) {}

  std::vector<Peer> peers;
  PinnedOpenMp pinned;
  CacheSimulator caches;
};

void count_traffic(Lab& lab, Shared& shared) {
  const CacheSimulator& caches = shared.caches;
  const std::size_t n = anatomy_size(lab);
  const auto size = static_cast<double>(n);
  const RungTraffic traffic = rung_traffic(lab, n, caches);
  lab.show(traffic_table(n, traffic));
  const auto saves = [&](Level level, const char* from, const char* to) {
    return static_cast<double>(traffic.at(from).*level) / static_cast<double>(traffic.at(to).*level);
  };
  lab.simulated("anatomy_n", size);
  lab.simulated("compulsory_bytes", 3 * 4 * size * size, "B");  // a and b read, c written
  lab.simulated("loop_order_saves_l2", saves(&Traffic::l1_l2, "naive", "loop_order"));
  lab.simulated("blocking_saves_beyond", saves(&Traffic::l2_beyond, "loop_order", "blocked"));
  lab.simulated("register_tile_saves_l1", saves(&Traffic::registers_l1, "blocked", "register_tile"));
  lab.simulated("naive_uses_per_float", uses_per_float(n, traffic.at("naive")));
  lab.add(traffic_series("traffic_registers", "between registers and L1", &Traffic::registers_l1, traffic));
  lab.add(traffic_series("traffic_l2", "between L1 and L2", &Traffic::l1_l2, traffic));
  lab.add(traffic_series("traffic_beyond", "between L2 and what lies behind it", &Traffic::l2_beyond, traffic));
}

// ---- How fast is each? ----

void climb_the_ladder(Lab& lab) {
  const std::vector<Contestant> all = contestants(lab.machine().cores);
  const std::vector<LadderStep> steps = climb(lab, all, ladder_sizes(lab), lab.machine().cores);
  lab.add(Value("peak_fp32_gflops", highest_peak(steps, peak_id), "GFLOP/s", "fp32 peak, 1 thread"));
  lab.add(
      Value("peak_fp32_all_gflops", highest_peak(steps, peak_all_id), "GFLOP/s",
            "fp32 peak, " + std::to_string(lab.machine().cores) + (lab.machine().cores == 1 ? " thread" : " threads")));
  for (const Contestant& each : all) lab.add(rung_series(each, steps, anatomy_size(lab)));

  const auto add_gain = [&](const LadderStep* step, const char* id, const char* faster, const char* slower) {
    if (step != nullptr && step->has(faster) && step->has(slower)) lab.add(Value(id, step->gain(faster, slower), "1"));
  };
  const LadderStep* step = step_at(steps, anatomy_size(lab));
  if (step != nullptr) {
    lab.add(anatomy_series("rungs", all, *step));
  }
  add_gain(step, "loop_order_gain", "loop_order", "naive");
  add_gain(step, "blocking_gain", "blocked", "loop_order");
  add_gain(step, "register_tile_gain", "register_tile", "blocked");
  add_gain(step, "packing_gain", "packed", "register_tile");
  add_gain(step_at(steps, 1024), "best_over_naive_1024", "best", "naive");
  const LadderStep& last = last_step_with(steps, "blocked", "loop_order");
  lab.modelled("blocking_largest_n", static_cast<double>(last.n));
  add_gain(&last, "blocking_gain_largest", "blocked", "loop_order");
}

// ---- The collapse at powers of two ----

void measure_conflict(Lab& lab, Shared& shared) {
  const std::map<std::size_t, Fetched> fetched = simulate_conflict(lab, conflict_sizes(lab), shared.caches);
  lab.simulated("conflict_bytes_1023", fetched.at(1023).into_l2, "B");
  lab.simulated("conflict_bytes_1024", fetched.at(1024).into_l2, "B");
  lab.derived("conflict_growth");
  lab.add(fetched_series("conflict_l1", "fetched into L1", &Fetched::into_l1, fetched));
  lab.add(fetched_series("conflict_l2", "fetched into L2", &Fetched::into_l2, fetched));

  const Conflict conflict = time_conflict(lab, conflict_sizes(lab));
  for (std::size_t n : {1023, 1024, 1025}) {
    lab.add(Value("naive_gflops_" + std::to_string(n), conflict.gflops.at(n), "GFLOP/s"));
  }
  lab.add(conflict_series("conflict", conflict));
  lab.add(Value("power_of_two_slowdown", conflict.slowdown, "1"));
}

// ---- The block that a model chooses ----

void measure_blocks(Lab& lab) {
  const BlockRuns runs = time_blocks(lab, blocking_size(lab));
  lab.add(block_speed_series("block_depth", runs));
  lab.add(block_traffic_series("block_traffic", runs));
  lab.modelled("block_depth_chosen", static_cast<double>(runs.chosen.depth));
  lab.modelled("block_width_chosen", static_cast<double>(runs.chosen.width));
  lab.add(Value("chosen_over_best_block_time", runs.chosen_over_best, "1"));
  lab.add(Value("peak_during_blocks_gflops", runs.peak_gflops, "GFLOP/s", "fp32 peak, 1 thread, in the same rounds"));
}

// ---- Layers ----

constexpr int layers = 3;

void measure_convolution(Lab& lab, const Gemm& gemm) {
  const ConvolutionShape shape = convolution_shape(lab);
  const Sampling sampling = time_layer(lab, convolution_run(shape, gemm), layers);
  lab.add(Value("im2col_speedup", sampling.ratio("direct", "gemm"), "1"));
  lab.add(Value("im2col_over_reordered", sampling.ratio("reordered", "gemm"), "1"));
  lab.add(Value("im2col_time_share", sampling.ratio("im2col", "gemm"), "1"));
  lab.modelled("im2col_extra_bytes", 4 * static_cast<double>(shape.patch() * shape.pixels()), "B");
  lab.modelled("im2col_input_bytes", 4 * static_cast<double>(shape.inputs()), "B");
}

void measure_layer(Lab& lab, const std::string& id, const LayerRun& layer) {
  const Sampling sampling = time_layer(lab, layer, layers);
  const auto gflops = [&](const char* form) { return rate(layer.flops, sampling.of(form)); };
  lab.add(Value(id + "_direct_gflops", gflops("direct"), "GFLOP/s"));
  lab.add(Value(id + "_gemm_gflops", gflops("gemm"), "GFLOP/s"));
  lab.add(Value(id + "_speedup", sampling.ratio("direct", "gemm"), "1"));
}

void measure_layers(Lab& lab) {
  const Gemm best = [](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
    gemm(m, n, k, a, b, c);
  };
  measure_convolution(lab, best);
  const AttentionShape attention = attention_shape(lab);
  measure_layer(lab, "attention", attention_run(attention, widest_softmax(lab.machine()), best));
  lab.modelled("attention_scores_bytes", 4 * static_cast<double>(attention.scores()), "B");
  measure_layer(lab, "perceptron", perceptron_run(perceptron_shape(lab), best));
}

void race_with_all_threads(Lab& lab, Shared& shared) {
  note_who_races(lab, shared.peers);
  race(lab, shared.peers, Threads::all);
}

void race_with_one_thread(Lab& lab, Shared& shared) { race(lab, shared.peers, Threads::one); }

}  // namespace
}  // namespace hf::matmul

int main(int argc, char** argv) {
  using namespace hf::matmul;
  std::optional<Shared> shared;
  const hf::LabInfo info = {.id = "02-matmul",
                            .title = "Everything is matrix multiplication",
                            .prepare = [&](hf::Lab& lab) { shared.emplace(lab); },
                            .steps = {{"peaks", measure_peak, 0.3, 1},
                                      {"simulated traffic", with(shared, count_traffic), 2.5, 7, {"peaks"}},
                                      {"the ladder", climb_the_ladder, 3, 24, {"peaks"}},
                                      {"powers of two", with(shared, measure_conflict), 0.7, 3, {"peaks"}},
                                      {"block sizes", measure_blocks, 1.2, 7, {"peaks"}},
                                      {"layers", measure_layers, 1, 4, {"peaks"}},
                                      {"race, all threads", with(shared, race_with_all_threads), 1.5, 10.5, {"peaks"}},
                                      {"race, 1 thread", with(shared, race_with_one_thread), 2.5, 14, {"peaks"}}}};
  return hf::run_lab(info, argc, argv);
}
