// Chapter 04, the TPU. One function for each step, in the order of the chapter:
//
//   check_array            is the simulated array right, and how fast is the simulator?
//   measure_utilisation    how much of an array works, by shape, dataflow and size?
//   predict_tpuv1          what do two models say of the first TPU, and what did its counters say?
//   count_energy           where do the picojoules go?
//   measure_matrix_unit    how fast are narrow numbers on this machine?
//   measure_repeats        the same work again and again: array and processor
//   decide_claims          which sentences of the chapter hold here?
#include "harness/lab.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "04-tpu/array_check.hpp"
#include "04-tpu/energy.hpp"
#include "04-tpu/int8_gemm.hpp"
#include "04-tpu/matrix_unit.hpp"
#include "04-tpu/repeat.hpp"
#include "04-tpu/systolic.hpp"
#include "04-tpu/tiles.hpp"
#include "04-tpu/tpuv1.hpp"
#include "common/random.hpp"
#include "harness/threads.hpp"

namespace hf::tpu {
namespace {

const Axis utilisation_axis = {"utilisation", "%"}, speed_axis = {"speed", "Gop/s"};

void add_simulated(Lab& lab, const std::string& id, double value, const std::string& unit = "1") {
  lab.add(Value(id, value, unit, Kind::simulated));
}

ArrayRun run_random(Dataflow dataflow, const ArrayShape& array, const ProductShape& shape,
                    const ArrayOptions& options = {}, std::uint32_t seed = 1) {
  const auto a = random_bytes<std::int8_t>(shape.m * shape.k, seed);
  const auto b = random_bytes<std::int8_t>(shape.k * shape.n, seed + 1);
  return run_array(dataflow, array, shape, a, b, options);
}

// ---- Is the array right, and how fast is the simulator? ----

/// A small product on 3 × 3 cells, register by register: what the animation shows. One series for each kind of register,
/// point after point, cell after cell and cycle after cycle.
void add_trace(Lab& lab) {
  const ArrayShape array = {3, 3};
  const ProductShape shape = {4, 3, 3};
  // Sequences in which every digit occurs, and none twice among the weights.
  auto a = random_bytes<std::int8_t>(shape.m * shape.k, 91), b = random_bytes<std::int8_t>(shape.k * shape.n, 616);
  for (auto* operand : {&a, &b})
    for (std::int8_t& each : *operand) each = static_cast<std::int8_t>(1 + (each & 0x7f) % 9);  // single digits
  const auto series = [&](const char* id, const char* label) {
    return Series{id, label, Kind::simulated, {"register", "1"}, {"number", "1"}};
  };
  Series moving = series("trace_moving", "activations, cycle by cycle");
  Series held = series("trace_held", "weights, cycle by cycle"), sums = series("trace_sums", "sums, cycle by cycle");
  Series left = series("trace_a", "the matrix that streams through"), right = series("trace_b", "the weights");
  Series product = series("trace_c", "the product");
  const auto append = [](Series& to, const auto& numbers) {
    for (const auto number : numbers) to.points.emplace_back(static_cast<double>(to.points.size()), double(number));
  };
  const ArrayRun run = run_array(Dataflow::weight_stationary, array, shape, a, b, {}, [&](const Snapshot& now) {
    append(moving, now.moving);
    append(held, now.stationary);
    append(sums, now.sums);
  });
  append(left, a);
  append(right, b);
  append(product, run.c);
  for (Series* each : {&moving, &held, &sums, &left, &right, &product}) lab.add(std::move(*each));
  add_simulated(lab, "trace_cycles", static_cast<double>(run.cycles.total()), "cycles");
}

void check_array(Lab& lab) {
  lab.begin("the array, checked");
  const int wrong = wrong_shapes(lab.quick() ? 200 : 1000, [&] { lab.tick(); });
  add_simulated(lab, "cycles_match_closed_form", wrong == 0 ? 1 : 0);
  add_trace(lab);

  // Two full tiles, so that the array is busy: 128 × 128 cells, as in today's TPUs.
  const ArrayShape array = {128, 128};
  const ProductShape shape = {256, 256, 128};
  const auto a = random_bytes<std::int8_t>(shape.m * shape.k, 1), b = random_bytes<std::int8_t>(shape.k * shape.n, 2);
  std::int64_t cycles = 0;
  const Variant variant =
      timed("simulator", [&] { cycles = run_array(Dataflow::weight_stationary, array, shape, a, b).simulated_cycles; });
  Plan plan = lab.plan(2);
  plan.warm_seconds = 0;
  const Estimate seconds = sample(variant, plan);
  const double updates = static_cast<double>(cycles * array.cells());
  lab.add(Value("simulator_cell_updates_per_s", transform(seconds, [=](double s) { return updates / s; }), "updates/s",
                "cells simulated, one cycle each"));
}

// ---- How much of an array works? ----

/// Whether this machine simulates so slowly that fewer points must do.
bool is_slow(const Lab& lab) { return lab.value("simulator_cell_updates_per_s") < 2e9; }

std::vector<std::size_t> powers_of_two(std::size_t last, std::size_t step) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size <= last; size *= step) sizes.push_back(size);
  return sizes;
}

/// Utilisation in per cent while one side of a product grows.
template <class Shape>
Series sweep(Lab& lab, std::string id, std::string label, const std::vector<std::size_t>& sizes, const char* side,
             Dataflow dataflow, const ArrayShape& array, bool double_buffered, Shape shape) {
  Series series = {std::move(id), std::move(label), Kind::simulated, {side, "1"}, utilisation_axis};
  for (const std::size_t size : sizes) {
    const ArrayRun run = run_random(dataflow, array, shape(size), {double_buffered});
    series.points.emplace_back(static_cast<double>(size), 100 * run.utilisation(array));
    lab.tick();
  }
  return series;
}

double at(const Series& series, double x) {
  for (const Point& point : series.points)
    if (point.x == x) return point.y.median;
  throw std::out_of_range(series.id + " has no such point");
}

void measure_dataflows(Lab& lab) {
  const ArrayShape array = {128, 128};
  const std::vector<std::size_t> sizes = powers_of_two(512, is_slow(lab) ? 4 : 2);
  for (const Dataflow dataflow : dataflows) {
    const std::string ending = id(dataflow);
    const Series by_m = sweep(lab, "utilisation_m_" + ending, name(dataflow), sizes, "rows of a", dataflow, array, true,
                              [](std::size_t m) {
                                return ProductShape{m, 512, 512};
                              });
    const Series by_k = sweep(lab, "utilisation_k_" + ending, name(dataflow), sizes, "length of the sums", dataflow,
                              array, true, [](std::size_t k) {
                                return ProductShape{512, 512, k};
                              });
    add_simulated(lab, "gemv_utilisation_" + ending, at(by_m, 1) / 100);
    lab.add(by_m);
    lab.add(by_k);
  }
  lab.plot("Utilisation of 128 x 128 cells, in per cent", {"utilisation_m_os", "utilisation_m_ws", "utilisation_m_is"});
}

void measure_batches(Lab& lab) {
  const std::vector<std::size_t> batches =
      powers_of_two(is_slow(lab) ? 256 : 1024, lab.quick() || is_slow(lab) ? 4 : 2);
  const auto layer = [](std::size_t batch) { return ProductShape{batch, 1024, 1024}; };
  std::map<std::size_t, Series> doubled;
  for (const std::size_t side : {64, 128, 256}) {
    const std::string label = std::to_string(side) + " × " + std::to_string(side);
    doubled.emplace(side, sweep(lab, "batch_" + std::to_string(side), label, batches, "batch",
                                Dataflow::weight_stationary, {side, side}, true, layer));
    lab.add(doubled.at(side));
  }
  const Series single = sweep(lab, "batch_256_single", "256 × 256, one weight register", batches, "batch",
                              Dataflow::weight_stationary, {256, 256}, false, layer);
  lab.add(single);
  add_simulated(lab, "double_buffering_gain", at(doubled.at(256), 256) / at(single, 256));
  add_simulated(lab, "utilisation_256_batch_16", at(doubled.at(256), 16) / 100);
  add_simulated(lab, "utilisation_64_batch_16", at(doubled.at(64), 16) / 100);
  const double share = at(doubled.at(256), 16) / at(doubled.at(64), 16);
  add_simulated(lab, "large_over_small_array_share", share);
  add_simulated(lab, "large_over_small_array_work", share * (256 * 256) / (64 * 64));
}

void measure_utilisation(Lab& lab) {
  lab.begin("utilisation");
  if (is_slow(lab))
    lab.note("this machine simulates fewer than 2e9 cells a second: the curves of utilisation are coarser");
  measure_dataflows(lab);
  measure_batches(lab);
}

// ---- The first TPU, predicted ----

/// One series of six applications for each counter and each of: published, one-line model, simulator.
class Counters {
 public:
  void add(const char* counter, const char* label, double x, const char* app, double published, double modelled,
           double simulated) {
    point("published", Kind::quoted, counter, label, x, app, published);
    point("modelled", Kind::modelled, counter, label, x, app, modelled);
    point("simulated", Kind::simulated, counter, label, x, app, simulated);
  }
  void add_to(Lab& lab) {
    for (auto& [id, series] : series_) lab.add(std::move(series));
  }

 private:
  void point(const std::string& what, Kind kind, const std::string& counter, const char* label, double x,
             const char* app, double y) {
    const std::string id = "tpuv1_" + counter + "_" + what;
    const auto [found, is_new] = series_.try_emplace(id);
    Series& series = found->second;
    if (is_new) {
      series = {id, label, kind, {"application", "1"}, {"share of cycles", "%"}, {}, ""};
      if (kind == Kind::quoted) series.source = "jouppi2017";
    }
    series.points.emplace_back(x, y, app);
  }

  std::map<std::string, Series> series_;
};

void add_tpuv1_roofline(Lab& lab) {
  const Axis intensity = {"multiplications per byte of weights", "1"}, tops = {"speed", "Top/s"};
  const double ridge = v1::peak_tops / (2 * v1::weight_bytes_per_s * 1e-12);
  Series roof = {"tpuv1_roof", "roof", Kind::modelled, intensity, tops};
  for (const double x : {20.0, ridge, 10000.0}) roof.points.emplace_back(x, v1::roofline_tops(x));
  Series apps = {"tpuv1_tops", "published", Kind::quoted, intensity, tops, {}, "jouppi2017"};
  for (const auto& app : v1::applications) apps.points.emplace_back(app.intensity, app.tops, app.name);
  lab.add(std::move(roof));
  lab.add(std::move(apps));
  lab.add(Value("tpuv1_ridge", std::round(ridge), "1", Kind::modelled));
}

void predict_tpuv1(Lab& lab) {
  lab.begin("TPUv1");
  Counters counters;
  Table table = {
      "TPUv1, share of cycles in %: published / one line / simulator", {"application", "active", "stall", "shift"}, {}};
  double shift_error = 0, stall_error = 0, active_error = 0, model_error = 0;
  double x = 0;
  for (const auto& app : v1::applications) {
    const v1::Shares model = v1::one_line_model(app), run = v1::simulate(app, lab.quick() ? 4 : 16);
    counters.add("active", "array active", x, app.name, app.active, model.active, run.active);
    counters.add("stall", "waiting for weights", x, app.name, app.stall, model.stall, run.stall);
    counters.add("shift", "shifting weights in", x++, app.name, app.shift, model.shift, run.shift);
    const auto cell = [](double published, double modelled, double simulated) {
      return number_text(published) + " / " + number_text(modelled) + " / " + number_text(simulated);
    };
    table.rows.push_back({app.name, cell(app.active, model.active, run.active), cell(app.stall, model.stall, run.stall),
                          cell(app.shift, model.shift, run.shift)});
    active_error = std::max(active_error, std::abs(run.active - app.active));
    if (app.weight_bound()) {
      shift_error = std::max(shift_error, std::abs(run.shift - app.shift));
      stall_error = std::max(stall_error, std::abs(run.stall - app.stall));
      model_error = std::max(model_error, std::abs(model.shift - run.shift));
    }
    if (app.name == std::string("LSTM0")) add_simulated(lab, "tpuv1_lstm0_active_missed", app.active / run.active);
    if (app.name == std::string("CNN1")) add_simulated(lab, "tpuv1_cnn1_active_missed", run.active / app.active);
    lab.tick();
  }
  counters.add_to(lab);
  lab.show(table);
  add_simulated(lab, "tpuv1_shift_error_points", shift_error, "points");
  add_simulated(lab, "tpuv1_stall_error_points", stall_error, "points");
  add_simulated(lab, "tpuv1_active_error_points", active_error, "points");
  add_simulated(lab, "tpuv1_models_differ_points", model_error, "points");
  lab.add(Value("tpuv1_tile_fetch_ticks", std::round(v1::array.cells() / v1::bytes_per_cycle), "1", Kind::modelled));
  add_tpuv1_roofline(lab);
}

// ---- Where the picojoules go ----

struct EnergyBar {
  const char* label;
  Energy energy;
};

void add_bars(Lab& lab, const std::vector<EnergyBar>& bars) {
  const struct {
    const char *id, *label;
    double Energy::*part;
  } parts[] = {{"energy_mac", "arithmetic", &Energy::mac},
               {"energy_registers", "registers", &Energy::registers},
               {"energy_hops", "neighbours", &Energy::hops},
               {"energy_sram", "SRAM", &Energy::sram},
               {"energy_dram", "DRAM", &Energy::dram}};
  for (const auto& part : parts) {
    Series series = {part.id, part.label, Kind::simulated, {"dataflow", "1"}, {"energy per multiplication", "pJ"}};
    double x = 0;
    for (const EnergyBar& bar : bars) {
      if (bar.energy.*part.part > 0) series.points.emplace_back(x, bar.energy.*part.part, bar.label);
      ++x;
    }
    lab.add(std::move(series));
  }
}

void count_energy(Lab& lab) {
  lab.begin("energy");
  const ArrayShape array = {128, 128};
  const ProductShape shape = {512, 512, 512};
  const ArrayOptions small = {false, {0, 128 * 1024, false, 4}};
  const ArrayRun outputs = run_random(Dataflow::output_stationary, array, shape);
  const ArrayRun weights = run_random(Dataflow::weight_stationary, array, shape);
  const ArrayRun inputs = run_random(Dataflow::input_stationary, array, shape);
  const ArrayRun crowded = run_random(Dataflow::weight_stationary, array, shape, small);
  const ArrayRun vector = run_random(Dataflow::weight_stationary, array, {1, 512, 512});
  add_bars(lab, {{"no reuse", energy_without_reuse(weights)},
                 {"weights, small SRAM", energy(crowded)},
                 {"weights stay", energy(weights)},
                 {"inputs stay", energy(inputs)},
                 {"outputs stay", energy(outputs)}});
  lab.add(Value("energy_mac_pj", mac_picojoules, "pJ", Kind::quoted, "", "han2016"));
  add_simulated(lab, "energy_array_pj", energy(weights).total(), "pJ");
  add_simulated(lab, "energy_without_reuse_pj", energy_without_reuse(weights).total(), "pJ");
  add_simulated(lab, "energy_saved_by_array", energy_without_reuse(weights).total() / energy(weights).total());
  add_simulated(lab, "energy_gemv_over_gemm", energy(vector).total() / energy(weights).total());
  add_simulated(lab, "energy_moving_share", 1 - energy(weights).mac / energy(weights).total());
  add_simulated(lab, "dram_small_sram_over_large",
                static_cast<double>(crowded.accesses.dram) / static_cast<double>(weights.accesses.dram));
}

// ---- The matrix unit of this machine ----

void note_what_is_missing(Lab& lab, const Int8Kernel& kernel, bool bf16) {
  if (!kernel.has_dot_product)
    lab.note("no dot products of 8-bit numbers: this core has no instruction for them, so int8 runs on plain vectors");
  if (!bf16) lab.note("no bf16 dot products: this core has no instruction for them, so peak_bf16_gflops is missing");
  if (!can_use_tiles(lab.machine()))
    lab.note("no registers for tiles: this core has neither AMX nor SME, or the system keeps them");
}

/// An instruction on narrow numbers does as many more operations as more of them fit into a register, if it can start as
/// often.
void predict_matrix_unit(Lab& lab) {
  const double bf16 = sizeof(float) / 2.0, int8 = sizeof(float) / 1.0;
  lab.add(Value("int8_peak_over_fp32_predicted", int8, "1", Kind::modelled));
  lab.show({"Predicted peaks, if a dot product can start as often as an FMA",
            {"precision", "numbers in a register", "over fp32"},
            {{"bf16", "2 for each fp32", number_text(bf16)}, {"int8", "4 for each fp32", number_text(int8)}}});
}

void measure_matrix_unit(Lab& lab) {
  lab.begin("matrix unit");
  const Int8Kernel& kernel = *int8_kernels(lab.machine()).front();
  for (const Int8Kernel* each : int8_kernels(lab.machine())) check_int8(*each);
  predict_matrix_unit(lab);
  const UnitPeaks peaks = measure_unit_peaks(lab, kernel, lab.plan(4));
  note_what_is_missing(lab, kernel, peaks.bf16.has_value());
  lab.add(Value("peak_fp32_gflops", peaks.fp32, "GFLOP/s", "fp32 peak, 1 thread"));
  if (peaks.bf16) lab.add(Value("peak_bf16_gflops", *peaks.bf16, "GFLOP/s", "bf16 peak, 1 thread"));
  lab.add(Value("peak_int8_gops", peaks.int8, "Gop/s", std::string("int8 peak, 1 thread, ") + kernel.name));
  if (peaks.tiles) lab.add(Value("peak_tiles_gops", *peaks.tiles, "Gop/s", "int8 peak on tiles, 1 thread"));
  lab.add(Value("int8_peak_over_fp32_peak", peaks.int8_over_fp32, "1"));
  if (peaks.bf16) lab.add(Value("bf16_peak_over_fp32_peak", ratio(peaks.bf16->samples, peaks.fp32.samples), "1"));

  Series bars = {"unit_peaks", "peak", Kind::measured, {"precision", "1"}, speed_axis};
  bars.points.emplace_back(0, peaks.fp32, "fp32");
  if (peaks.bf16) bars.points.emplace_back(1, *peaks.bf16, "bf16");
  bars.points.emplace_back(2, peaks.int8, "int8");
  if (peaks.tiles) bars.points.emplace_back(3, *peaks.tiles, "int8 tiles");
  lab.add(std::move(bars));

  Series fp32 = {"gemm_fp32", "fp32", Kind::measured, {"N", "1"}, speed_axis};
  Series int8 = {"gemm_int8", "int8", Kind::measured, {"N", "1"}, speed_axis};
  const std::vector<std::size_t> sizes = lab.quick() ? std::vector<std::size_t>{128, 256, 512}
                                                     : std::vector<std::size_t>{128, 192, 256, 384, 512, 768, 1024};
  for (const std::size_t n : sizes) {
    const GemmPair pair = measure_gemms(n, kernel, lab.plan(static_cast<int>(sizes.size()) + 2));
    fp32.points.emplace_back(static_cast<double>(n), pair.fp32);
    int8.points.emplace_back(static_cast<double>(n), pair.int8);
    if (n != sizes.back()) continue;
    lab.add(Value("gemm_fp32_gflops", pair.fp32, "GFLOP/s", "fp32 product, 1 thread"));
    lab.add(Value("gemm_int8_gops", pair.int8, "Gop/s", "int8 product, 1 thread"));
    lab.add(Value("int8_gemm_over_fp32_gemm", pair.int8_over_fp32, "1"));
  }
  lab.add(std::move(fp32));
  lab.add(std::move(int8));
  lab.plot("Square products, 1 thread", {"gemm_fp32", "gemm_int8"});
}

// ---- The same work, again and again ----

/// Batches of calls of the int8 product, each sorted: seconds.
std::vector<std::vector<double>> repeat_on_processor(const Lab& lab, const Int8Kernel& kernel, std::size_t n) {
  const auto a = random_bytes<std::uint8_t>(n * n, 1);
  const auto b = random_bytes<std::int8_t>(n * n, 2);
  std::vector<std::int32_t> c(n * n);
  std::vector<std::vector<double>> batches(lab.quick() ? 11 : 31);
  for (auto& batch : batches) {
    batch = time_calls([&] { kernel.multiply(n, n, n, a.data(), b.data(), c.data()); }, lab.quick() ? 200 : 500,
                       [&] { lab.tick(); });
  }
  return batches;
}

/// Cycles that the array takes for the same shape, each time with other numbers; sorted.
std::vector<double> repeat_on_array(const Lab& lab, std::size_t n) {
  std::vector<double> cycles;
  for (std::uint32_t seed = 1; seed <= (lab.quick() ? 10u : 100u); ++seed) {
    const ArrayRun run =
        run_random(Dataflow::weight_stationary, {64, 64}, {n, n, n}, {.double_buffered = true}, 10 * seed);
    cycles.push_back(static_cast<double>(run.cycles.total()));
    lab.tick();
  }
  std::sort(cycles.begin(), cycles.end());
  return cycles;
}

void measure_repeats(Lab& lab) {
  lab.begin("repeats");
  const Int8Kernel& kernel = *int8_kernels(lab.machine()).front();
  const std::size_t n = kernel.has_dot_product ? 256 : 128;
  const auto processor = repeat_on_processor(lab, kernel, n);
  const auto array = repeat_on_array(lab, n);

  const auto over_batches = [&](auto number) {
    std::vector<double> samples;
    for (const auto& batch : processor) samples.push_back(number(batch));
    return estimate(std::move(samples));
  };
  const auto over_median = [](const std::vector<double>& sorted, double share) {
    return percentile(sorted, share) / percentile(sorted, 0.5);
  };
  const Axis share = {"share of the calls", "%"}, relative = {"time over the median", "1"};
  Series measured = {"repeat_processor", "this processor", Kind::measured, share, relative};
  Series simulated = {"repeat_array", "the array", Kind::simulated, share, relative};
  for (const double percent : {0., 1., 5., 10., 20., 30., 40., 50., 60., 70., 80., 90., 95., 97., 98., 99.}) {
    measured.points.emplace_back(percent,
                                 over_batches([&](const auto& sorted) { return over_median(sorted, percent / 100); }));
    simulated.points.emplace_back(percent, over_median(array, percent / 100));
  }
  lab.add(Value("repeat_median_us", over_batches([](auto& sorted) { return percentile(sorted, 0.5) * 1e6; }), "us"));
  lab.add(Value("repeat_p99_over_median", measured.points.back().y, "1"));
  add_simulated(lab, "repeat_array_ticks", array.front());
  add_simulated(lab, "repeat_array_worst_over_best", array.back() / array.front());
  lab.add(std::move(measured));
  lab.add(std::move(simulated));
}

// ---- Which sentences hold here? ----

void decide_claims(Lab& lab) {
  const auto claim = [&](const char* id, const char* text, const char* value, const char* bound,
                         const char* unit = "1") { lab.add(Claim(id, text, lab.value(value), bound, unit)); };
  claim(
      "cycles-match-closed-form",
      "On every random shape that was tried, the array takes exactly as many cycles as the formula says, and computes "
      "exactly the right product.",
      "cycles_match_closed_form", ">= 1");
  claim("simulator-is-usable", "The simulator steps at least a hundred million cells a second.",
        "simulator_cell_updates_per_s", ">= 1e8", "updates/s");
  claim("gemv-starves-the-array",
        "With weights that stay, a matrix times a vector keeps less than one cell in a hundred busy.",
        "gemv_utilisation_ws", "< 0.01");
  claim("double-buffering-pays",
        "At a batch of 256, a second weight register makes an array of 256 rows at least three times as fast.",
        "double_buffering_gain", ">= 3");
  claim(
      "small-arrays-starve-less",
      "At a batch of 16, an array of 64 rows has a larger share of its cells at work than one of 256 rows: at most 0.3 "
      "of that share is left to the large one.",
      "large_over_small_array_share", "<= 0.3");
  claim(
      "shift-predicted",
      "For the four applications that wait for weights, the share of cycles spent shifting weights in comes out within "
      "0.6 points of the published counter.",
      "tpuv1_shift_error_points", "<= 0.6", "points");
  claim("lstm-missed",
        "The same model misses the active cycles of LSTM0: the TPU was active at least 1.8 times as often.",
        "tpuv1_lstm0_active_missed", ">= 1.8");
  claim(
      "array-saves-energy",
      "For one multiplication, an array that passes numbers from cell to cell needs at most a third of the energy that "
      "fetching every one from SRAM would take.",
      "energy_saved_by_array", ">= 3");
  claim("gemv-costs-energy",
        "Each multiplication costs at least ten times as much in a matrix-vector product as in the "
        "matrix product.",
        "energy_gemv_over_gemm", ">= 10");
  claim("int8-is-faster", "One core does at least three times as many operations per second on int8 as on fp32.",
        "int8_peak_over_fp32_peak", ">= 3");
  claim("int8-gemm-pays", "A matrix product in int8 is at least 2.5 times as fast as our best in fp32.",
        "int8_gemm_over_fp32_gemm", ">= 2.5");
  claim("array-never-varies", "The array takes the same number of cycles every time, whatever the numbers are.",
        "repeat_array_worst_over_best", "<= 1");
  claim("processor-varies", "One call in a hundred takes this processor at least 1 % longer than the median call.",
        "repeat_p99_over_median", ">= 1.01");
}

void measure_tpu(Lab& lab) {
  const Pinned pinned;
  check_array(lab);
  measure_utilisation(lab);
  predict_tpuv1(lab);
  count_energy(lab);
  measure_matrix_unit(lab);
  measure_repeats(lab);
  decide_claims(lab);
}

}  // namespace
}  // namespace hf::tpu

int main(int argc, char** argv) {
  const hf::LabInfo info = {.id = "04-tpu",
                            .title = "The TPU",
                            .steps = {{"the array, checked", 1, 2},
                                      {"utilisation", 3, 5},
                                      {"TPUv1", 2, 4},
                                      {"energy", 1, 1},
                                      {"matrix unit", 3, 12},
                                      {"repeats", 1, 3}}};
  return hf::run_lab(info, argc, argv, hf::tpu::measure_tpu);
}
