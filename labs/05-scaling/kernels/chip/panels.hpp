/// \file
/// Matrices in panels: laid out once so that a product with few rows reads them from the first number to the last.
#pragma once

#include <cstddef>

namespace hf::scaling {

/// Columns of a panel: as many as the micro-kernel keeps in registers.
extern const std::size_t panel_columns;

/// A matrix (depth, columns) cut into panels of `panel_columns` columns, which lie one after the other, each (depth,
/// panel_columns) without gaps. It does not own its numbers.
struct Panels {
  float* data;
  std::size_t depth, columns;  ///< columns: a multiple of panel_columns

  float* panel(std::size_t number) const { return data + number * depth * panel_columns; }
  float& at(std::size_t row, std::size_t column) const {
    return panel(column / panel_columns)[row * panel_columns + column % panel_columns];
  }
};

/// Rows that lie `stride` floats apart.
struct Rows {
  const float* data;
  std::size_t count, stride;
};

/// y (rows, panel_columns) = x (rows, depth) · panel, added to what is there if `add`. Each number of the panel is
/// fetched once and serves all rows from then on from a near cache; what lies behind it in memory is fetched on the way. On
/// this thread.
/// \param depth  how many rows of the panel, the first ones
/// \param y_stride  floats from row to row of y
void multiply_panel(Rows x, std::size_t depth, const float* panel, bool add, float* y, std::size_t y_stride);

/// y (rows, columns) = start + bias + x (rows, depth) · weights. The cores share the panels.
/// \param bias  (columns)
/// \param start  (rows, columns), or null for zeros; may be y
/// \param stride  floats from row to row of y and start
void multiply_panels(Rows x, Panels weights, const float* bias, const float* start, float* y, std::size_t stride);

}  // namespace hf::scaling
