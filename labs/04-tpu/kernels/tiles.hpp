/// \file
/// Registers that hold a whole tile, and an instruction that multiplies tiles: AMX on recent Intel servers, SME on Arm.
#pragma once

#include <cstdint>

#include "harness/machine/machine.hpp"

namespace hf::tpu {

/// True if this machine has tiles of 8-bit numbers and the system, when asked, lets this thread use them.
bool can_use_tiles(const Machine& machine);

/// Returns how many products of 8-bit numbers one instruction adds to each sum: 64 with AMX, 4 with SME.
std::int64_t tile_depth();

/// Returns the operations in one iteration of tile_peak(); a multiplication and an addition count as two. With SME the
/// width of a tile depends on the machine. \pre can_use_tiles()
double tile_operations();

/// Runs the tile instruction alone: each iteration adds a product of two tiles to four tiles of sums. One factor has
/// tile_depth() numbers per row, all equal to a; the other as many per column, all equal to b. \pre can_use_tiles()
/// \return one of the sums: tile_depth() a b for each iteration
std::int32_t tile_peak(std::int64_t iterations, std::uint8_t a, std::int8_t b);

}  // namespace hf::tpu
