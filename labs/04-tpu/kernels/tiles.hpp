/// \file
/// Registers that hold a whole tile, and one instruction that multiplies into it: AMX on recent Intel servers, SME on Arm.
#pragma once

#include <cstdint>

#include "harness/machine/machine.hpp"

namespace hf::tpu {

/// Whether this machine has tiles of 8-bit numbers and the system lets this thread use them. Asks the system for them.
bool can_use_tiles(const Machine& machine);

/// How many products of 8-bit numbers one instruction adds to each sum: 64 with AMX, 4 with SME.
std::int64_t tile_depth();

/// Operations of one iteration of tile_peak(), a multiplication and an addition counted as two. With SME it depends on
/// the machine, which decides how wide a tile is; to be called only where can_use_tiles().
double tile_operations();

/// The tile instruction alone: four tiles of sums gain the product of a's, tile_depth() in each row, and b's, as many in
/// each column, so many times. To be called only where can_use_tiles().
/// \return one of the sums: tile_depth() a b for each iteration
std::int32_t tile_peak(std::int64_t iterations, std::uint8_t a, std::int8_t b);

}  // namespace hf::tpu
