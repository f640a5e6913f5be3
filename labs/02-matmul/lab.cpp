// Chapter 02, everything is matrix multiplication. One function for each step, in the order of the chapter:
//
//   count_traffic         how many bytes does each rung of the ladder move? (simulated, before any is timed)
//   climb_the_ladder      how fast is each, from small matrices to large ones?
//   measure_conflict      why does the naive product collapse where N is a power of two?
//   measure_blocks        does the model choose the right block?
//   measure_layers        convolution, attention and a perceptron, by definition and as matrix products
//   race                  the fastest product against other people's libraries (race.cpp)
//   decide_claims         which sentences of the chapter hold here?
#include "harness/lab.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "02-matmul/cache_simulator.hpp"
#include "02-matmul/gemm.hpp"
#include "02-matmul/ladder.hpp"
#include "02-matmul/layer_runs.hpp"
#include "02-matmul/peers.hpp"
#include "02-matmul/pinned_openmp.hpp"
#include "02-matmul/race.hpp"
#include "02-matmul/rungs.hpp"
#include "harness/peaks.hpp"

namespace hf::matmul {
namespace {

const Axis size_axis = {"N", "1"}, speed_axis = {"speed", "GFLOP/s"}, rung_axis = {"rung", "1"};
const Axis moved_axis = {"bytes moved", "B"};

// ---- The roof ----

void measure_peaks(Lab& lab) {
  lab.begin("peaks");
  Team one(1), all;
  lab.add(Value("peak_fp32_gflops", peak_gflops(Precision::fp32, one, lab.plan(2)), "GFLOP/s", "fp32 peak, 1 thread"));
  lab.add(Value("peak_fp32_all_gflops", peak_gflops(Precision::fp32, all, lab.plan(2)), "GFLOP/s",
                "fp32 peak, " + std::to_string(all.size()) + (all.size() == 1 ? " thread" : " threads")));
}

// ---- How many bytes does each rung move? ----

/// On a very slow machine, such as an emulated one, some sizes must be smaller.
bool is_slow(const Lab& lab) { return lab.value("peak_fp32_gflops") < 10; }

/// The size at which rungs are taken apart: b is larger than a level-2 cache, and N is no power of two.
std::size_t anatomy_size(const Lab& lab) { return is_slow(lab) ? 200 : lab.quick() ? 790 : 1000; }

/// The traffic of a square product. Where rows are alike, two stretches of them are traced and the others cost what the
/// second one did.
Traffic trace(const Rung& rung, std::size_t n, const CacheSimulator& caches) {
  constexpr std::size_t stretch = 8;
  if (!rung.rows_alike || n <= 2 * stretch) return rung.trace(n, n, n, caches);
  const Traffic one = rung.trace(stretch, n, n, caches), two = rung.trace(2 * stretch, n, n, caches);
  const auto extrapolate = [&](std::uint64_t Traffic::*level) {
    return one.*level + (two.*level - one.*level) * (n - stretch) / stretch;
  };
  return {extrapolate(&Traffic::registers_l1), extrapolate(&Traffic::l1_l2), extrapolate(&Traffic::l2_beyond)};
}

void count_traffic(Lab& lab, const CacheSimulator& caches) {
  lab.begin("simulated traffic");
  const std::size_t n = anatomy_size(lab);
  Series registers = {"traffic_registers", "between registers and L1", Kind::simulated, rung_axis, moved_axis};
  Series l2 = {"traffic_l2", "between L1 and L2", Kind::simulated, rung_axis, moved_axis};
  Series beyond = {"traffic_beyond", "between L2 and what lies behind it", Kind::simulated, rung_axis, moved_axis};
  Table table = {
      "Bytes moved at N = " + std::to_string(n) + ", simulated", {"rung", "registers–L1", "L1–L2", "L2–beyond"}, {}};
  for (const Rung& rung : rungs()) {
    const auto x = static_cast<double>(registers.points.size() + 1);
    const Traffic traffic = trace(rung, n, caches);
    registers.points.emplace_back(x, static_cast<double>(traffic.registers_l1), rung.label);
    l2.points.emplace_back(x, static_cast<double>(traffic.l1_l2), rung.label);
    beyond.points.emplace_back(x, static_cast<double>(traffic.l2_beyond), rung.label);
    table.rows.push_back({rung.label, capacity_text(traffic.registers_l1), capacity_text(traffic.l1_l2),
                          capacity_text(traffic.l2_beyond)});
    lab.tick();
  }
  lab.show(table);
  const auto add = [&](const std::string& id, double value, const std::string& unit = "1") {
    lab.add(Value(id, value, unit, Kind::simulated));
  };
  const auto matrix = 4 * static_cast<double>(n) * static_cast<double>(n);
  const auto gain = [](const Series& level, std::size_t from, std::size_t to) {
    return level.points[from].y.median / level.points[to].y.median;
  };
  add("anatomy_n", static_cast<double>(n));
  add("compulsory_bytes", 3 * matrix, "B");  // a and b read, c written
  add("loop_order_saves_l2", gain(l2, 0, 1));
  add("blocking_saves_beyond", gain(beyond, 1, 2));
  add("register_tile_saves_l1", gain(registers, 2, 3));
  // Of each float fetched into L1, how many times was it used? Each multiplication uses two.
  const auto uses = [&](std::size_t rung) {
    return 2 * std::pow(static_cast<double>(n), 3) / (l2.points[rung].y.median / sizeof(float));
  };
  add("naive_uses_per_float", uses(0));
  add("packed_uses_per_float", uses(l2.points.size() - 1));
  for (Series* series : {&registers, &l2, &beyond}) lab.add(std::move(*series));
}

// ---- How fast is each? ----

std::vector<std::size_t> ladder_sizes(const Lab& lab) {
  if (is_slow(lab)) return {64, 128, 200, 256, 512, 1024};
  if (lab.quick()) return {64, 128, 256, 512, 790, 1024};
  return {64, 96, 128, 192, 256, 384, 512, 768, 1000, 1024, 1536, 2048, 3072, 4096};
}

const LadderStep* step_at(const std::vector<LadderStep>& steps, std::size_t n) {
  const auto found = std::ranges::find(steps, n, &LadderStep::n);
  return found == steps.end() ? nullptr : &*found;
}

/// One point for each rung, at one size: what share of the peak of its threads it reached.
void add_anatomy(Lab& lab, const std::vector<Contestant>& all, const LadderStep& step) {
  Series series = {"rungs", "speed", Kind::measured, rung_axis, {"share of peak", "%"}};
  for (const Contestant& each : all) {
    if (!step.has(each.id)) continue;
    const double peak = lab.value(each.id == "best_all" ? "peak_fp32_all_gflops" : "peak_fp32_gflops");
    const auto share = [&](double gflops) { return 100 * gflops / peak; };
    series.points.emplace_back(static_cast<double>(series.points.size() + 1), transform(step.gflops.at(each.id), share),
                               each.label);
  }
  lab.add(std::move(series));
}

void add_gain(Lab& lab, const LadderStep& step, const char* id, const char* faster, const char* slower) {
  if (step.has(faster) && step.has(slower)) lab.add(Value(id, step.gain(faster, slower), "1"));
}

void climb_the_ladder(Lab& lab) {
  lab.begin("the ladder");
  const std::vector<Contestant> all = contestants(lab.machine().cores);
  const std::vector<LadderStep> steps = climb(lab, all, ladder_sizes(lab));
  std::vector<std::string> plotted;
  for (const Contestant& each : all) {
    Series series = {"rung_" + each.id, each.label, Kind::measured, size_axis, speed_axis};
    for (const LadderStep& step : steps) {
      if (step.n == anatomy_size(lab)) continue;  // beside a power of two it would make a zigzag of every curve
      if (step.has(each.id)) series.points.emplace_back(static_cast<double>(step.n), step.gflops.at(each.id));
    }
    plotted.push_back(series.id);
    lab.add(std::move(series));
  }
  lab.plot("Speed over N", plotted);

  if (const LadderStep* step = step_at(steps, anatomy_size(lab))) {
    add_anatomy(lab, all, *step);
    add_gain(lab, *step, "loop_order_gain", "loop_order", "naive");
    add_gain(lab, *step, "blocking_gain", "blocked", "loop_order");
    add_gain(lab, *step, "register_tile_gain", "register_tile", "blocked");
    add_gain(lab, *step, "packing_gain", "packed", "register_tile");
    add_gain(lab, *step, "best_over_packed", "best", "packed");
    add_gain(lab, *step, "threads_gain", "best_all", "best");
  }
  if (const LadderStep* step = step_at(steps, 1024)) add_gain(lab, *step, "best_over_naive_1024", "best", "naive");
  const auto has_both = [](const LadderStep& step) { return step.has("blocked") && step.has("loop_order"); };
  const LadderStep& last = *std::find_if(steps.rbegin(), steps.rend(), has_both);
  lab.add(Value("blocking_largest_n", static_cast<double>(last.n), "1"));
  add_gain(lab, last, "blocking_gain_largest", "blocked", "loop_order");
}

// ---- The collapse at powers of two ----

constexpr std::size_t conflict_rows = 4;

std::vector<std::size_t> conflict_sizes(const Lab& lab) {
  if (lab.quick() || is_slow(lab)) return {992, 1008, 1023, 1024, 1025, 1040};
  std::vector<std::size_t> sizes = {1020, 1023, 1025, 1028};
  for (std::size_t n = 896; n <= 1152; n += 16) sizes.push_back(n);
  std::ranges::sort(sizes);
  return sizes;
}

void simulate_conflict(Lab& lab, const std::vector<std::size_t>& sizes, const CacheSimulator& caches) {
  Series l1 = {"conflict_l1", "fetched into L1", Kind::simulated, size_axis, {"bytes per multiplication", "B"}};
  Series l2 = {"conflict_l2", "fetched into L2", Kind::simulated, size_axis, {"bytes per multiplication", "B"}};
  for (std::size_t n : sizes) {
    // The second row of c: the first has warmed the caches.
    const Traffic one = rungs().front().trace(1, n, n, caches), two = rungs().front().trace(2, n, n, caches);
    const auto multiplications = static_cast<double>(n * n);
    const auto each = [&](std::uint64_t first, std::uint64_t both) {
      return static_cast<double>(both - first) / multiplications;
    };
    l1.points.emplace_back(static_cast<double>(n), each(one.l1_l2, two.l1_l2));
    l2.points.emplace_back(static_cast<double>(n), each(one.l2_beyond, two.l2_beyond));
    if (n == 1023) lab.add(Value("conflict_bytes_1023", l2.points.back().y.median, "B", Kind::simulated));
    if (n == 1024) lab.add(Value("conflict_bytes_1024", l2.points.back().y.median, "B", Kind::simulated));
    lab.tick();
  }
  const double growth = lab.value("conflict_bytes_1024") / lab.value("conflict_bytes_1023");
  lab.add(Value("conflict_growth", growth, "1", Kind::simulated));
  lab.add(std::move(l1));
  lab.add(std::move(l2));
}

void measure_conflict(Lab& lab, const CacheSimulator& caches) {
  lab.begin("powers of two");
  const std::vector<std::size_t> sizes = conflict_sizes(lab);
  simulate_conflict(lab, sizes, caches);
  const Contestant naive = contestants(1).front();
  std::vector<SquareMatrices> matrices;
  std::vector<Variant> variants;
  for (std::size_t n : sizes) matrices.emplace_back(n);
  for (const SquareMatrices& each : matrices) {
    each.check(naive, 1);
    variants.push_back(timed(std::to_string(each.n()), [&each, &naive] { each.multiply(naive, conflict_rows); }));
  }
  Plan plan = lab.plan();
  plan.warm_seconds = 0;
  plan.minimum_rounds = 3;
  const Sampling sampling = sample_interleaved(variants, plan);
  Series series = {"conflict", "naive", Kind::measured, size_axis, speed_axis};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double flops = 2.0 * conflict_rows * std::pow(static_cast<double>(sizes[i]), 2);
    const Estimate gflops = transform(sampling.seconds[i], [&](double s) { return flops / s * 1e-9; });
    series.points.emplace_back(static_cast<double>(sizes[i]), gflops);
    if (sizes[i] < 1023 || sizes[i] > 1025) continue;
    lab.add(Value("naive_gflops_" + std::to_string(sizes[i]), gflops, "GFLOP/s"));
  }
  lab.add(std::move(series));
  lab.add(Value("power_of_two_slowdown", sampling.ratio("1024", "1023"), "1"));
}

// ---- The block that a model chooses ----

/// Bytes that gemm() moves across the edge of the level-2 cache for a thousand FLOPs, by the model of choose_blocking().
double modelled_bytes(const Blocking& blocking) {
  return 4000 * (1 / static_cast<double>(blocking.depth) + 0.5 / static_cast<double>(blocking.width));
}

/// Blocks of the same area as the chosen one, from flat to tall; depths that divide n into equal parts.
std::vector<Blocking> blocks_to_try(std::size_t n, const Blocking& chosen) {
  const std::size_t area = chosen.depth * chosen.width;
  std::vector<Blocking> blocks;
  for (std::size_t parts : {1, 2, 3, 4, 5, 6, 8, 11, 16, 32, 64, 128}) {
    const std::size_t depth = (n + parts - 1) / parts;
    const std::size_t width = area / depth / register_tile.columns * register_tile.columns;
    if (width >= register_tile.columns) blocks.push_back({depth, width});
  }
  const std::size_t parts = (n + chosen.depth - 1) / chosen.depth;  // the depth that gemm() makes of the chosen one
  blocks.push_back({(n + parts - 1) / parts, chosen.width});
  std::ranges::sort(blocks, {}, &Blocking::depth);
  const auto same = [](const Blocking& a, const Blocking& b) { return a.depth == b.depth; };
  blocks.erase(std::unique(blocks.begin(), blocks.end(), same), blocks.end());
  return blocks;
}

void measure_blocks(Lab& lab) {
  lab.begin("block sizes");
  const std::size_t n = is_slow(lab) ? 256 : lab.quick() ? 1024 : 2048;
  const Blocking chosen = default_blocking();
  const std::vector<Blocking> blocks = blocks_to_try(n, chosen);
  const SquareMatrices matrices(n);
  std::vector<Variant> variants;
  std::vector<Contestant> contestants;
  for (const Blocking& blocking : blocks) {
    contestants.push_back({"depth " + std::to_string(blocking.depth), "gemm",
                           [blocking](std::size_t m, std::size_t columns, std::size_t k, const float* a, const float* b,
                                      float* c) { gemm(m, columns, k, a, b, c, 1, blocking); },
                           n});
  }
  for (const Contestant& each : contestants) {
    matrices.check(each, n);
    variants.push_back(timed(each.id, [&matrices, &each, n] { matrices.multiply(each, n); }));
  }
  Plan plan = lab.plan();
  plan.warm_seconds = 0;
  plan.minimum_rounds = 3;
  const Sampling sampling = sample_interleaved(variants, plan);

  Series speed = {"block_depth", "measured", Kind::measured, {"depth of the block", "1"}, speed_axis};
  Series traffic = {"block_traffic", "modelled", Kind::modelled, speed.x, {"bytes per 1000 FLOPs", "B"}};
  const double flops = 2 * std::pow(static_cast<double>(n), 3);
  std::size_t best = 0, model = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto depth = static_cast<double>(blocks[i].depth);
    speed.points.emplace_back(depth, transform(sampling.seconds[i], [&](double s) { return flops / s * 1e-9; }));
    traffic.points.emplace_back(depth, modelled_bytes(blocks[i]));
    if (speed.points[i].y.median > speed.points[best].y.median) best = i;
    if (blocks[i].depth <= chosen.depth) model = i;
  }
  lab.add(std::move(speed));
  lab.add(std::move(traffic));
  lab.add(Value("block_depth_chosen", static_cast<double>(blocks[model].depth), "1"));
  lab.add(Value("block_width_chosen", static_cast<double>(blocks[model].width), "1"));
  lab.add(Value("chosen_over_best_block", sampling.ratio(variants[best].id, variants[model].id), "1"));
}

// ---- Layers ----

/// Layers of ResNet, which all do the same number of FLOPs; narrower ones on a machine for which they would be too much.
std::vector<ConvolutionShape> convolutions(const Lab& lab) {
  const std::size_t narrower = is_slow(lab) ? 8 : 1;
  std::vector<ConvolutionShape> shapes;
  for (std::size_t side : {56, 28, 14, 7}) {
    if (lab.quick() && (side == 28 || side == 7)) continue;
    const std::size_t channels = 56 * 64 / side / narrower;
    shapes.push_back({channels, channels, side, side, 3});
  }
  return shapes;
}

Estimate gflops(const LayerRun& layer, const Estimate& seconds) {
  return transform(seconds, [&](double s) { return layer.flops / s * 1e-9; });
}

void measure_convolutions(Lab& lab, const Gemm& gemm) {
  const std::vector<ConvolutionShape> shapes = convolutions(lab);
  const Axis layer_axis = {"layer", "1"};
  Series direct = {"convolution_direct", "by definition", Kind::measured, layer_axis, speed_axis};
  Series reordered = {"convolution_reordered", "loops reordered", Kind::measured, layer_axis, speed_axis};
  Series product = {"convolution_gemm", "im2col and a matrix product", Kind::measured, layer_axis, speed_axis};
  Series extra = {"convolution_extra", "extra memory", Kind::modelled, layer_axis, {"memory", "B"}};
  for (const ConvolutionShape& shape : shapes) {
    const LayerRun layer = convolution_run(shape, gemm);
    check(layer);
    Plan plan = lab.plan(static_cast<int>(shapes.size()) + 2);
    plan.minimum_rounds = 3;
    plan.warm_seconds = 0;
    const Sampling sampling = sample(layer, plan);
    const auto x = static_cast<double>(direct.points.size() + 1);
    direct.points.emplace_back(x, gflops(layer, sampling.of("direct")), layer.label);
    reordered.points.emplace_back(x, gflops(layer, sampling.of("reordered")), layer.label);
    product.points.emplace_back(x, gflops(layer, sampling.of("gemm")), layer.label);
    extra.points.emplace_back(x, layer.extra_bytes, layer.label);
    if (direct.points.size() > 1) continue;  // the numbers in the text are those of the first layer
    lab.add(Value("im2col_speedup", sampling.ratio("direct", "gemm"), "1"));
    lab.add(Value("im2col_over_reordered", sampling.ratio("reordered", "gemm"), "1"));
    lab.add(Value("im2col_time_share", sampling.ratio("im2col", "gemm"), "1"));
    lab.add(Value("im2col_extra_bytes", layer.extra_bytes, "B"));
    lab.add(Value("im2col_input_bytes", layer.input_bytes, "B"));
    lab.add(Value("im2col_extra_over_input", layer.extra_bytes / layer.input_bytes, "1"));
  }
  for (Series* series : {&direct, &reordered, &product, &extra}) lab.add(std::move(*series));
}

void measure_layer(Lab& lab, const std::string& id, const LayerRun& layer) {
  check(layer);
  Plan plan = lab.plan(6);
  plan.minimum_rounds = 3;
  plan.warm_seconds = 0;
  const Sampling sampling = sample(layer, plan);
  lab.add(Value(id + "_direct_gflops", gflops(layer, sampling.of("direct")), "GFLOP/s"));
  lab.add(Value(id + "_gemm_gflops", gflops(layer, sampling.of("gemm")), "GFLOP/s"));
  lab.add(Value(id + "_speedup", sampling.ratio("direct", "gemm"), "1"));
}

void measure_layers(Lab& lab) {
  lab.begin("layers");
  const Gemm best = [](std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
    gemm(m, n, k, a, b, c);
  };
  const bool slow = is_slow(lab);
  measure_convolutions(lab, best);
  Softmax* softmax = widest_softmax(lab.machine());
  const std::size_t tokens = slow ? 128 : 512;
  measure_layer(lab, "attention", attention_run({tokens, 64}, softmax, best));
  lab.add(Value("attention_scores_bytes", 4 * std::pow(static_cast<double>(tokens), 2), "B"));
  const std::size_t width = slow ? 96 : 768;
  measure_layer(lab, "perceptron", perceptron_run({.batch = 32, .inputs = width, .hidden = 4 * width}, best));
}

// ---- Which sentences hold here? ----

void decide_claims(Lab& lab) {
  const auto claim = [&](const char* id, const char* text, const char* value, const char* bound) {
    const auto found = std::ranges::find(lab.results().values, value, &Value::id);
    if (found == lab.results().values.end()) return lab.note(std::string("not decided here: ") + text);
    lab.add(Claim(id, text, found->value.median, bound));
  };
  claim("loop-order-pays", "Exchanging two loops makes the product at least three times as fast.", "loop_order_gain",
        ">= 3");
  claim(
      "blocking-saves-traffic",
      "Blocking cuts what crosses the edge of the level-2 cache to less than a third of what the reordered loops move.",
      "blocking_saves_beyond", ">= 3");
  claim("register-tile-pays", "A tile in registers makes the blocked product at least half as fast again.",
        "register_tile_gain", ">= 1.5");
  claim("register-tile-saves-loads", "A tile in registers cuts what is loaded and stored to less than a third.",
        "register_tile_saves_l1", ">= 3");
  claim("the-ladder-is-long", "At N = 1024 the last rung, on one thread, is at least fifty times as fast as the first.",
        "best_over_naive_1024", ">= 50");
  claim("near-the-peak", "At N = 2048, on one thread, the last rung reaches at least four fifths of the peak.",
        "best_over_peak_2048", ">= 0.8");
  claim("level-with-the-libraries",
        "At no size, on one thread, is the best of the libraries more than a tenth faster than the last rung.",
        "best_over_peers_min", ">= 0.91");
  claim("powers-of-two-collide", "The naive product takes at least half as long again at N = 1024 as at N = 1023.",
        "power_of_two_slowdown", ">= 1.5");
  claim("conflicts-explain-it",
        "In the simulated caches, N = 1024 fetches at least ten times as many bytes from behind the level-2 cache as N "
        "= 1023 does.",
        "conflict_growth", ">= 10");
  claim("the-model-chooses-well", "No other shape of block is more than a tenth faster than the one the model chose.",
        "chosen_over_best_block", "< 1.1");
  claim("im2col-pays", "As a matrix product, a convolution is at least four times as fast as by its definition.",
        "im2col_speedup", ">= 4");
  claim("im2col-costs-memory", "For that, it needs more than eight times the memory of the image.",
        "im2col_extra_over_input", "> 8");
  claim("attention-is-gemm", "As two matrix products, attention is at least three times as fast as token by token.",
        "attention_speedup", ">= 3");
  claim("perceptron-is-gemm", "A batch through a perceptron is at least four times as fast as neuron by neuron.",
        "perceptron_speedup", ">= 4");
}

CacheSimulator simulated_caches(Lab& lab) {
  const CacheGeometry l1 = detect_geometry(lab.machine(), 1), l2 = detect_geometry(lab.machine(), 2);
  lab.add(Value("simulated_l1_bytes", static_cast<double>(l1.bytes), "B"));
  lab.add(Value("simulated_l1_ways", static_cast<double>(l1.ways), "1"));
  lab.add(Value("simulated_l1_sets", static_cast<double>(l1.sets()), "1"));
  lab.add(Value("simulated_l2_bytes", static_cast<double>(l2.bytes), "B"));
  lab.add(Value("simulated_l2_ways", static_cast<double>(l2.ways), "1"));
  lab.add(Value("simulated_l2_sets", static_cast<double>(l2.sets()), "1"));
  if (lab.machine().cache_bytes(1) == 0 || lab.machine().cache_bytes(2) == 0) {
    lab.note("this machine does not tell its caches: traffic is simulated for typical ones");
  }
  return {l1, l2};
}

void measure_matmul(Lab& lab) {
  const std::vector<Peer> peers = find_peers();
  for (const Peer& peer : peers) {
    if (peer.set_threads)
      peer.set_threads(lab.machine().cores);  // threads of its own are made before this one is pinned
  }
  const PinnedOpenMp pinned(lab.machine().cores);
  const CacheSimulator caches = simulated_caches(lab);
  measure_peaks(lab);
  if (is_slow(lab)) lab.note("a very slow core: the ladder, the blocks and the layers were measured at smaller sizes");
  count_traffic(lab, caches);
  climb_the_ladder(lab);
  measure_conflict(lab, caches);
  measure_blocks(lab);
  measure_layers(lab);
  race(lab, peers);
  decide_claims(lab);
}

}  // namespace
}  // namespace hf::matmul

int main(int argc, char** argv) {
  const hf::LabInfo info = {.id = "02-matmul",
                            .title = "Everything is matrix multiplication",
                            .steps = {{"peaks", 0.3, 1},
                                      {"simulated traffic", 2.5, 7},
                                      {"the ladder", 3, 24},
                                      {"powers of two", 0.7, 3},
                                      {"block sizes", 1.2, 7},
                                      {"layers", 1.6, 8},
                                      {"race, all threads", 1.5, 12},
                                      {"race, 1 thread", 2.5, 16}}};
  return hf::run_lab(info, argc, argv, hf::matmul::measure_matmul);
}
