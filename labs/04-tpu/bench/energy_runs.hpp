/// \file
/// Where the energy of one product goes, in each dataflow, without reuse, and with too little memory on the chip.
#pragma once

#include <vector>

#include "04-tpu/kernels/systolic.hpp"
#include "harness/results.hpp"

namespace hf::tpu {

/// A product of 512 in each direction, on 128 × 128 cells.
struct EnergyRuns {
  ArrayRun outputs, weights, inputs;  ///< which of them stay
  ArrayRun crowded;                   ///< weights stay, and 128 KiB of SRAM hold the operands
  ArrayRun vector;                    ///< weights stay, and the first matrix has one row
};
EnergyRuns run_for_energy();

/// A bar for each way to compute it, one series for each part of the energy.
std::vector<Series> energy_series(const EnergyRuns& runs);

}  // namespace hf::tpu
