/// \file
/// A blur in two stages, along the rows and then along the columns, whose numbers in between are kept, or computed again:
/// locality against recomputation (Ragan-Kelley et al., 2013).
#pragma once

#include <cstddef>
#include <vector>

#include "harness/measure/work.hpp"

namespace hf::compilers {

/// A picture to be blurred, and what is in memory for it. The input has `taps` − 1 more rows and columns than the result.
struct BlurShape {
  std::size_t rows, columns;  ///< of the result; columns is a multiple of 64
  std::size_t taps;           ///< numbers that each stage adds up, weighted: one of blur_taps

  std::size_t input_rows() const { return rows + taps - 1; }
  std::size_t input_columns() const { return columns + 64; }  ///< as they lie in memory: whole cache lines, and a halo
};

constexpr std::size_t blur_taps[] = {3, 9};

/// The weights of both stages: they add up to 1.
std::vector<float> blur_weights(std::size_t taps);

/// Where the first stage's rows are computed, and how long they live.
struct BlurSchedule {
  /// Rows of the result that are made at a time, from `tile_rows` + taps − 1 rows of the first stage, which are then
  /// forgotten: those that the next tile needs too are computed again. All rows: breadth first; one: nothing is kept.
  std::size_t tile_rows;
  /// The last taps rows of the first stage are kept, in a ring: nothing is computed twice. One row at a time.
  bool sliding = false;
};

constexpr BlurSchedule breadth_first(const BlurShape& shape) { return {shape.rows}; }
constexpr BlurSchedule recompute() { return {1}; }
constexpr BlurSchedule slide() { return {1, true}; }

/// Rows of the first stage that are in memory at a time.
std::size_t kept_rows(const BlurShape& shape, const BlurSchedule& schedule);

/// Rows of the first stage that are computed in all.
std::size_t computed_rows(const BlurShape& shape, const BlurSchedule& schedule);

/// On this core.
/// \param input  (input_rows, input_columns); \param between  (kept_rows, columns); \param result  (rows, columns)
void blur(const BlurShape& shape, const BlurSchedule& schedule, const float* input, float* between, float* result);

/// \param nearby  whether the rows in between stay in a cache; where not, they are written to memory and read again
Work blur_work(const BlurShape& shape, const BlurSchedule& schedule, bool nearby);

/// The definition, in fp64: one number of the result.
double blurred(const BlurShape& shape, const float* input, std::size_t row, std::size_t column);

}  // namespace hf::compilers
