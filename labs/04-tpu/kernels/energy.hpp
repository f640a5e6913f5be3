/// \file
/// Where the energy goes: counted accesses times quoted ratios, in units of one multiply-accumulate.
#pragma once

#include "04-tpu/kernels/systolic.hpp"

namespace hf::tpu {

/// Energy of one access, as a multiple of one multiply-accumulate (Chen, Emer and Sze, ISCA 2016, table IV: 16-bit
/// numbers, 65 nm). A register in a cell is charged like their 0.5 KiB register file, and a step into the next cell
/// like a hop on their network; both overestimate the cost for cells as small as ours.
constexpr double mac_cost = 1, register_cost = 1, hop_cost = 2, sram_cost = 6, dram_cost = 200;

/// Energy per multiply-accumulate, in units of one multiply-accumulate.
struct Energy {
  double mac, registers, hops, sram, dram;

  double total() const { return mac + registers + hops + sram + dram; }
};

/// The energy of a product on an array.
Energy energy(const ArrayRun& run);

/// The energy if no cell kept or passed on a number: each multiplication reads its two operands and its sum from the
/// SRAM and writes the sum back. DRAM as in `run`.
Energy energy_without_reuse(const ArrayRun& run);

}  // namespace hf::tpu
