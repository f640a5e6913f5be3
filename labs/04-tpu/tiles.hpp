/// \file
/// Registers that hold a whole tile, and one instruction that multiplies two of them: AMX, on recent Intel servers.
#pragma once

#include <cstdint>

#include "harness/machine.hpp"

namespace hf {

/// Whether this machine has tiles of 8-bit numbers and the system lets this thread use them. Asks the system for them.
bool can_use_tiles(const Machine& machine);

/// Operations of one iteration of tile_peak(), a multiplication and an addition counted as two.
constexpr double tile_operations = 4 * 2.0 * 16 * 16 * 64;

/// The tile instruction alone: four tiles of sums, (16, 16) each, gain the product of a tile of a's, (16, 64), and one of
/// b's, (64, 16), so many times. To be called only where can_use_tiles().
/// \return one of the sums: 64 a b for each iteration
std::int32_t tile_peak(std::int64_t iterations, std::uint8_t a, std::int8_t b);

}  // namespace hf
