// Chapter 04, the TPU. One function for each step, in the order of the chapter:
//
//   check_array            is the simulated array right, and how fast is the simulator?
//   simulate_utilisation   how much of an array works, by shape, dataflow and size?
//   predict_tpuv1          what do two models say of the first TPU, and what did its counters say?
//   count_energy           where does the energy go?
//   measure_matrix_unit    how fast are narrow numbers on this machine?
//   measure_both_repeats   the same work again and again: array and processor
#include "harness/lab.hpp"
#include "04-tpu/kernels/energy.hpp"
#include "04-tpu/kernels/systolic.hpp"
#include "04-tpu/kernels/tpuv1.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "04-tpu/bench/array_runs.hpp"
#include "04-tpu/bench/energy_runs.hpp"
#include "04-tpu/bench/matrix_unit.hpp"
#include "04-tpu/bench/repeat_runs.hpp"
#include "04-tpu/bench/tpuv1_runs.hpp"
#include "04-tpu/bench/utilisation_runs.hpp"
#include "04-tpu/check/array_check.hpp"
#include "04-tpu/kernels/int8_gemm.hpp"
#include "04-tpu/kernels/tiles.hpp"
#include "harness/threads.hpp"

namespace hf::tpu {
namespace {

// ---- Is the array right, and how fast is the simulator? ----

void check_array(Lab& lab) {
  const int wrong = wrong_shapes(lab.quick() ? 200 : 1000, [&] { lab.tick(); });
  lab.simulated("cycles_match_closed_form", wrong == 0 ? 1 : 0);

  for (Series& series : trace_small_product()) lab.add(std::move(series));

  Plan plan = lab.plan(2);
  plan.warm_seconds = 0;
  lab.add(
      Value("simulator_cell_updates_per_s", cell_updates_per_s(plan), "updates/s", "cells simulated, one cycle each"));
}

// ---- How much of an array works? ----

/// Whether this machine simulates so slowly that fewer points must do.
bool is_slow(const Lab& lab) { return lab.value("simulator_cell_updates_per_s") < 2e9; }

void simulate_dataflows(Lab& lab) {
  const auto tick = [&] { lab.tick(); };
  const std::vector<std::size_t> sizes = powers(is_slow(lab) ? 4 : 2, 512);
  for (const Dataflow dataflow : dataflows) {
    const Series by_rows = utilisation_by_rows(dataflow, sizes, tick);
    lab.simulated(std::string("gemv_utilisation_") + id(dataflow), at(by_rows, 1) / 100);
    lab.add(by_rows);
    lab.add(utilisation_by_depth(dataflow, sizes, tick));
  }
}

void simulate_batches(Lab& lab) {
  const std::vector<std::size_t> batches = powers(lab.quick() || is_slow(lab) ? 4 : 2, is_slow(lab) ? 256 : 1024);
  const auto add_curve = [&](std::size_t side, bool double_buffered) {
    const Series series = utilisation_by_batch(side, double_buffered, batches, [&] { lab.tick(); });
    lab.add(series);
    return series;
  };
  const Series small = add_curve(64, true);
  add_curve(128, true);
  const Series large = add_curve(256, true), single = add_curve(256, false);
  lab.simulated("double_buffering_gain", at(large, 256) / at(single, 256));
  lab.simulated("utilisation_256_batch_16", at(large, 16) / 100);
  lab.simulated("utilisation_64_batch_16", at(small, 16) / 100);
  lab.derived("large_over_small_array_work");
}

void simulate_utilisation(Lab& lab) {
  if (is_slow(lab))
    lab.note("this machine simulates fewer than 2e9 cells a second: the curves of utilisation are coarser");
  simulate_dataflows(lab);
  simulate_batches(lab);
}

// ---- The first TPU, predicted ----

void predict_tpuv1(Lab& lab) {
  v1::Predictions predicted = v1::predict_applications(lab.quick() ? 4 : 16, [&] { lab.tick(); });
  for (Series& series : predicted.counters) lab.add(std::move(series));
  lab.show(predicted.table);
  lab.simulated("tpuv1_lstm0_active_missed", predicted.lstm0_active_missed);
  lab.simulated("tpuv1_cnn1_active_missed", predicted.cnn1_active_missed);
  lab.simulated("tpuv1_shift_error_points", predicted.shift_error, "points");
  lab.simulated("tpuv1_active_error_points", predicted.active_error, "points");
  const double fetch = v1::array.cells() / v1::bytes_per_cycle;
  lab.modelled("tpuv1_tile_fetch_ticks", std::round(fetch));
  for (const Series& series : v1::roofline_series()) lab.add(series);
  lab.modelled("tpuv1_ridge", std::round(v1::ridge()));
}

// ---- Where the energy goes ----

void count_energy(Lab& lab) {
  const EnergyRuns runs = run_for_energy();
  for (const Series& series : energy_series(runs)) lab.add(series);
  const double weights = energy(runs.weights).total();
  lab.simulated("energy_saved_by_array", energy_without_reuse(runs.weights).total() / weights);
  lab.simulated("energy_gemv_over_gemm", energy(runs.vector).total() / weights);
  lab.simulated("energy_moving_share", 1 - energy(runs.weights).mac / weights);
  lab.simulated("dram_small_sram_over_large",
                static_cast<double>(runs.crowded.accesses.dram) / static_cast<double>(runs.weights.accesses.dram));
}

// ---- The matrix unit of this machine ----

void note_what_is_missing(Lab& lab, const Int8Kernel& kernel, bool bf16) {
  if (!kernel.has_dot_product)
    lab.note("no dot products of 8-bit numbers: this core has no instruction for them, so int8 runs on plain vectors");
  if (!bf16) lab.note("no bf16 dot products: this core has no instruction for them");
  if (!can_use_tiles(lab.machine()))
    lab.note("no registers for tiles: this core has neither AMX nor SME, or the system keeps them");
}

/// An instruction on narrow numbers does as many more operations as more of them fit into a register, if it can start as
/// often.
void predict_matrix_unit(Lab& lab) {
  const double bf16 = sizeof(float) / 2.0, int8 = sizeof(float) / 1.0;
  lab.modelled("int8_peak_over_fp32_predicted", int8);
  lab.show({"Predicted peaks, if a dot product can start as often as an FMA",
            {"precision", "numbers in a register", "over fp32"},
            {{"bf16", "2 for each fp32", number_text(bf16)}, {"int8", "4 for each fp32", number_text(int8)}}});
}

void measure_matrix_unit(Lab& lab) {
  const Int8Kernel& kernel = *int8_kernels(lab.machine()).front();
  for (const Int8Kernel* each : int8_kernels(lab.machine())) check_int8(*each);
  predict_matrix_unit(lab);
  const UnitPeaks peaks = measure_unit_peaks(lab, kernel, lab.plan(4));
  note_what_is_missing(lab, kernel, peaks.bf16.has_value());
  lab.add(Value("peak_fp32_gflops", peaks.fp32, "GFLOP/s", "fp32 peak, 1 thread"));
  lab.add(Value("peak_int8_gops", peaks.int8, "Gop/s", std::string("int8 peak, 1 thread, ") + kernel.name));
  if (peaks.tiles) lab.add(Value("peak_tiles_gops", *peaks.tiles, "Gop/s", "int8 peak on tiles, 1 thread"));
  lab.add(Value("int8_peak_over_fp32_peak", peaks.int8_over_fp32, "1"));
  lab.add(peak_series("unit_peaks", peaks));

  const std::vector<GemmPair> products = measure_gemms(lab, kernel);
  const GemmPair& largest = products.back();
  lab.add(Value("gemm_fp32_gflops", largest.fp32, "GFLOP/s", "fp32 product, 1 thread"));
  lab.add(Value("gemm_int8_gops", largest.int8, "Gop/s", "int8 product, 1 thread"));
  lab.add(Value("int8_gemm_over_fp32_gemm", largest.int8_over_fp32, "1"));
  lab.add(gemm_series("gemm_fp32", "fp32", products, &GemmPair::fp32));
  lab.add(gemm_series("gemm_int8", "int8", products, &GemmPair::int8));
}

// ---- The same work, again and again ----

void measure_both_repeats(Lab& lab) {
  const Repeats repeats = measure_repeats(lab, *int8_kernels(lab.machine()).front());
  lab.add(Value("repeat_p99_over_median", repeats.p99_over_median(), "1"));
  lab.simulated("repeat_array_ticks", repeats.ticks);
  lab.add(repeats.processor);
  lab.add(repeats.array);
}

void measure_tpu(Lab& lab) {
  const Pinned pinned;
  lab.step("the array, checked", [&] { check_array(lab); });
  lab.step("utilisation", [&] { simulate_utilisation(lab); });
  lab.step("TPUv1", [&] { predict_tpuv1(lab); });
  lab.step("energy", [&] { count_energy(lab); });
  lab.step("matrix unit", [&] { measure_matrix_unit(lab); });
  lab.step("repeats", [&] { measure_both_repeats(lab); });
}

}  // namespace
}  // namespace hf::tpu

int main(int argc, char** argv) {
  const hf::LabInfo info = {.id = "04-tpu",
                            .title = "The TPU",
                            .steps = {{"the array, checked", 1, 2},
                                      {"utilisation", 3, 5, {"the array, checked"}},
                                      {"TPUv1", 2, 4},
                                      {"energy", 1, 1},
                                      {"matrix unit", 3, 12},
                                      {"repeats", 1, 3}}};
  return hf::run_lab(info, argc, argv, hf::tpu::measure_tpu);
}
