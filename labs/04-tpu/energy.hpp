/// \file
/// Where the picojoules go: counted accesses times quoted energies.
#pragma once

#include "04-tpu/systolic.hpp"

namespace hf::tpu {

/// Energy of one access, as a multiple of one multiply-accumulate (Chen, Emer and Sze, ISCA 2016, table IV: 65 nm).
constexpr double register_cost = 1, hop_cost = 2, sram_cost = 6, dram_cost = 200;
/// One multiplication and one addition of 32-bit integers at 45 nm (Han et al., ISCA 2016, table I), pJ.
constexpr double mac_picojoules = 3.1 + 0.1;

/// pJ for each multiply-accumulate.
struct Energy {
  double mac, registers, hops, sram, dram;

  double total() const { return mac + registers + hops + sram + dram; }
};

/// What a product cost on an array.
Energy energy(const ArrayRun& run);

/// What it would cost if nothing were kept or passed on: each multiplication reads its two operands and its sum from the
/// SRAM and writes the sum back. DRAM as in `run`.
Energy energy_without_reuse(const ArrayRun& run);

}  // namespace hf::tpu
