/// \file
/// A blur in two stages, along the rows and then along the columns. The intermediate rows are kept or recomputed:
/// locality against recomputation (Ragan-Kelley et al., 2013).
#pragma once

#include <cstddef>
#include <vector>

#include "common/work.hpp"

namespace hf::compilers {

/// A picture to be blurred, and its layout in memory. The input has `taps` − 1 more rows and columns than the result.
struct BlurShape {
  std::size_t rows, columns;  ///< of the result; columns is a multiple of 64
  std::size_t taps;           ///< how many weighted numbers each stage adds up: one of blur_taps

  std::size_t input_rows() const { return rows + taps - 1; }
  std::size_t input_columns() const { return columns + 64; }  ///< in memory: whole cache lines, with the extra columns
};

constexpr std::size_t blur_taps[] = {3, 9};

/// Returns the weights, the same for both stages; they add up to 1.
std::vector<float> blur_weights(std::size_t taps);

/// When the first stage's rows are computed, and how long they are kept.
struct BlurSchedule {
  /// Rows of the result that are computed at a time, from `tile_rows` + taps − 1 rows of the first stage. The next tile
  /// recomputes the rows that both need. All rows at once: breadth first; one row: nothing is kept.
  std::size_t tile_rows;
  /// Keeps the last `taps` rows of the first stage in a ring, so that nothing is computed twice. One row at a time.
  bool sliding = false;
};

constexpr BlurSchedule breadth_first(const BlurShape& shape) { return {shape.rows}; }
constexpr BlurSchedule recompute() { return {1}; }
constexpr BlurSchedule slide() { return {1, true}; }

/// Returns how many rows of the first stage are in memory at a time.
std::size_t kept_rows(const BlurShape& shape, const BlurSchedule& schedule);

/// Returns how many rows of the first stage are computed, repetitions included.
std::size_t computed_rows(const BlurShape& shape, const BlurSchedule& schedule);

/// Blurs a picture, on the calling core.
/// \param input  (input_rows, input_columns); \param between  (kept_rows, columns); \param result  (rows, columns)
void blur(const BlurShape& shape, const BlurSchedule& schedule, const float* input, float* between, float* result);

/// \param nearby  whether the intermediate rows stay in a cache; otherwise they are written to memory and read again
Work blur_work(const BlurShape& shape, const BlurSchedule& schedule, bool nearby);

/// Returns one number of the result by the definition, in fp64.
double blurred(const BlurShape& shape, const float* input, std::size_t row, std::size_t column);

}  // namespace hf::compilers
