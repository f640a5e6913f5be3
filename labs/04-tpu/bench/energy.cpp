#include "04-tpu/bench/steps.hpp"

#include <vector>

#include "04-tpu/kernels/energy.hpp"
#include "04-tpu/kernels/systolic.hpp"
#include "harness/measure/results.hpp"
#include "harness/report/lab.hpp"

namespace hf::tpu {
namespace {

/// Runs of a product with m = n = k = 512 on 128 × 128 cells.
struct EnergyRuns {
  ArrayRun outputs, weights, inputs;  ///< named after the operand that stays
  ArrayRun crowded;                   ///< weights stay, and 128 KiB of SRAM hold the operands
  ArrayRun vector;                    ///< weights stay, and the first matrix has one row
};

EnergyRuns run_for_energy() {
  const ArrayShape array = {128, 128};
  const ProductShape shape = {512, 512, 512};
  const ArrayOptions small = {false, {0, 128 * 1024, false, 4}};
  return {run_random(Dataflow::output_stationary, array, shape), run_random(Dataflow::weight_stationary, array, shape),
          run_random(Dataflow::input_stationary, array, shape),
          run_random(Dataflow::weight_stationary, array, shape, small),
          run_random(Dataflow::weight_stationary, array, {1, 512, 512})};
}

/// One series for each part of the energy, with a bar for each way to compute the product.
std::vector<Series> energy_series(const EnergyRuns& runs) {
  const struct {
    const char* label;
    Energy energy;
  } bars[] = {{"no reuse", energy_without_reuse(runs.weights)},
              {"weights, small SRAM", energy(runs.crowded)},
              {"weights stay", energy(runs.weights)},
              {"inputs stay", energy(runs.inputs)},
              {"outputs stay", energy(runs.outputs)}};
  const struct {
    const char *id, *label;
    double Energy::*part;
  } parts[] = {{"energy_mac", "arithmetic", &Energy::mac},
               {"energy_registers", "registers", &Energy::registers},
               {"energy_hops", "neighbours", &Energy::hops},
               {"energy_sram", "SRAM", &Energy::sram},
               {"energy_dram", "DRAM", &Energy::dram}};
  const Axis dataflow = {"dataflow", "1"}, relative = {"energy, in multiplications and additions", "1"};
  std::vector<Series> result;
  for (const auto& part : parts) {
    Series series = {part.id, part.label, Kind::simulated, dataflow, relative};
    double x = 0;
    for (const auto& bar : bars) {
      if (bar.energy.*part.part > 0) series.points.emplace_back(x, bar.energy.*part.part, bar.label);
      ++x;
    }
    result.push_back(series);
  }
  return result;
}

}  // namespace

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

}  // namespace hf::tpu
