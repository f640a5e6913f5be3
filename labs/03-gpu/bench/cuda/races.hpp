/// \file
/// The sizes in which the last fp32 rung and cuBLAS race, and who wins.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "harness/measure/sampling.hpp"

namespace hf::gpu {

/// Sides of square products; the ladder is climbed with sgemm_side. A GPU computes as many tiles at a time as it has
/// places for blocks. On 132 places, the last rung's tiles of 128 × 256 fill 99% with 3584 and 73% with 3072.
inline constexpr int sgemm_side = 4096;
inline constexpr std::array sgemm_sides = {2048, 3072, 3584, sgemm_side, 4224, 8192};

/// The share of the places that have a tile to compute, over all turns.
constexpr double places_filled(int side, int tile_rows, int tile_columns, int places) {
  const int rows = (side + tile_rows - 1) / tile_rows, columns = (side + tile_columns - 1) / tile_columns;
  const int tiles = rows * columns, turns = (tiles + places - 1) / places;
  return static_cast<double>(tiles) / turns / places;
}

/// The index of the variant with the least time, by the median.
inline std::size_t fastest_of(const Sampling& sampling) {
  const auto median = [](const Estimate& seconds) { return seconds.median; };
  return static_cast<std::size_t>(std::ranges::min_element(sampling.seconds, {}, median) - sampling.seconds.begin());
}

}  // namespace hf::gpu
