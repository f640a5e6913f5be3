/// \file
/// Where the energy goes: counted accesses times quoted ratios, in units of one multiply-accumulate.
#pragma once

#include <cstdint>

#include "04-tpu/kernels/systolic.hpp"

namespace hf::tpu {

/// Energy of one access, as a multiple of one multiply-accumulate (Chen, Emer and Sze, ISCA 2016, table IV: 16-bit
/// numbers, 65 nm). A register in a cell is charged like their 0.5 KiB register file, and a step into the next cell
/// like a hop on their network; both overestimate the cost for cells as small as ours.
constexpr double mac_cost = 1, register_cost = 1, hop_cost = 2, sram_cost = 6, dram_cost = 200;

/// The energy of a product on an array, per multiply-accumulate.
inline double energy(const ArrayRun& run) {
  const Accesses& words = run.accesses;
  const std::int64_t sram = words.sram_operands + words.sram_sums + words.sram_writes;
  const double spent = register_cost * static_cast<double>(words.registers) +
                       hop_cost * static_cast<double>(words.hops) + sram_cost * static_cast<double>(sram) +
                       dram_cost * static_cast<double>(words.dram);
  return mac_cost + spent / static_cast<double>(run.useful_macs);
}

/// The energy if no cell kept or passed on a number: each multiplication reads its two operands and its sum from the
/// SRAM and writes the sum back. DRAM as in `run`.
inline double energy_without_reuse(const ArrayRun& run) {
  return mac_cost + 4 * sram_cost +
         dram_cost * static_cast<double>(run.accesses.dram) / static_cast<double>(run.useful_macs);
}

}  // namespace hf::tpu
